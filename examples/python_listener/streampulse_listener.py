"""A listener in Python that publishes records of the agent's schema, where no jar can be attached.

It is for compute that takes no JVM listener, such as Databricks' serverless. It is tested in a
classic session; over Spark Connect, which needs a client of Spark 4.0 or newer, it was not run.
Where the jar can be attached, attach the jar: it notices when the driver shuts down, cuts records to size, takes
secrets out of texts, which this one does not, knows host, cluster and application id, and is tested
against far more.

    pip install -r requirements.txt

    from streampulse_listener import StreampulseListener
    listener = StreampulseListener(
        kafka={
            "bootstrap.servers": "broker:9093",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "agents",
            "sasl.password": password,
        },
        schema="HealthRecord.avsc",
        application_name="orders-job",
    )
    spark.streams.addListener(listener)
    ...
    listener.close()

Keys of `kafka` are librdkafka's. The schema is the file of this release, schemas/src/main/avro.
The callbacks do no I/O and never wait: they put events into a bounded queue, and one daemon thread
maps, encodes and publishes them. What does not fit is dropped, and counted in the field `dropped`
of every later record.
"""

from __future__ import annotations

import atexit
import io
import itertools
import json
import logging
import math
import queue
import threading
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable

import fastavro
from confluent_kafka import KafkaException, Producer
from fastavro.schema import fingerprint, to_parsing_canonical_form
from pyspark.sql.streaming.listener import StreamingQueryListener

VERSION = "python-0.1.0"
LOG = logging.getLogger("streampulse")

# As the agent's defaults: flush and heartbeat in seconds, capacity in events.
FLUSH_INTERVAL = 10.0
HEARTBEAT_INTERVAL = 60.0
CAPACITY = 1000
# Event Hubs takes a million bytes; the agent cuts larger records, this one drops them.
MAX_RECORD_BYTES = 900_000

_PRODUCER_DEFAULTS = {
    "acks": "all",
    "enable.idempotence": True,
    "max.in.flight.requests.per.connection": 1,
    "compression.type": "none",
    "message.max.bytes": 1_000_000,
    "message.timeout.ms": 600_000,
    "client.id": "streampulse-python-listener",
}


class StreampulseListener(StreamingQueryListener):
    """Publishes the health of every query of the session it is added to."""

    def __init__(
        self,
        kafka: dict[str, Any],
        schema: str | Path,
        topic: str = "streaming-health",
        application_name: str | None = None,
        tags: dict[str, str] | None = None,
        flush_interval: float = FLUSH_INTERVAL,
    ) -> None:
        parsed = json.loads(Path(schema).read_text(encoding="utf-8"))
        self._schema = fastavro.parse_schema(parsed)
        canonical = to_parsing_canonical_form(parsed)
        # Avro's single-object encoding: marker, version, fingerprint in little-endian order.
        self._header = b"\xc3\x01" + bytes.fromhex(fingerprint(canonical, "CRC-64-AVRO"))
        self._producer = Producer({**_PRODUCER_DEFAULTS, **kafka})
        self._topic = topic
        self._flush_interval = flush_interval
        self._identity = {
            "agentId": str(uuid.uuid4()),
            "agentVersion": VERSION,
            "applicationName": application_name,
            "tags": dict(tags or {}),
        }
        self._events: queue.Queue[dict[str, Any]] = queue.Queue(CAPACITY)
        self._lock = threading.Lock()
        self._dropped: dict[str, int] = {}
        self._runs: dict[str, dict[str, Any]] = {}
        self._streaks: dict[str, int] = {}
        # Given to each event before it can be dropped: a number that is missing is a lost record.
        self._numbers = itertools.count()
        self._last_record = time.monotonic()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="streampulse", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    # Callbacks: they must not wait, and what they throw must not reach Spark.

    def onQueryStarted(self, event: Any) -> None:
        self._offer(
            "STARTED",
            lambda: {
                "sparkTime": event.timestamp,
                "queryId": str(event.id),
                "runId": str(event.runId),
                "queryName": event.name,
            },
        )

    def onQueryProgress(self, event: Any) -> None:
        self._offer("PROGRESS", lambda: {"progress": event.progress.json})

    def onQueryIdle(self, event: Any) -> None:
        self._offer(
            "IDLE",
            lambda: {
                "sparkTime": event.timestamp,
                "queryId": str(event.id),
                "runId": str(event.runId),
            },
        )

    def onQueryTerminated(self, event: Any) -> None:
        self._offer(
            "TERMINATED",
            lambda: {
                "sparkTime": None,
                "queryId": str(event.id),
                "runId": str(event.runId),
                "exception": event.exception,
                "errorClass": event.errorClassOnException,
            },
        )

    def close(self, timeout: float = 10.0) -> None:
        """Publishes what is there and a closing record; called at the exit of the interpreter too."""
        if not self._closing.is_set():
            self._closing.set()
            self._thread.join(timeout)

    def _offer(self, kind: str, details: Callable[[], dict[str, Any]]) -> None:
        number = next(self._numbers)
        if self._closing.is_set():
            self._drop("closed")
            return
        try:
            observed = datetime.now(timezone.utc)
            self._events.put_nowait(
                {"sequence": number, "eventType": kind, "observedTime": observed, **details()}
            )
        except queue.Full:
            self._drop("buffer_full")
        except Exception:  # pylint: disable=broad-except
            LOG.debug("an event was not taken", exc_info=True)
            self._drop("encode_failed")

    def _drop(self, reason: str) -> None:
        with self._lock:
            self._dropped[reason] = self._dropped.get(reason, 0) + 1

    # From here on: the daemon thread.

    def _run(self) -> None:
        while not self._closing.wait(self._flush_interval):
            self._flush()
        self._flush()
        self._publish(self._own_event("AGENT_STOPPED"))
        left = self._producer.flush(8.0)
        if left:
            LOG.warning("streampulse: %d records were not acknowledged", left)

    def _flush(self) -> None:
        try:
            while True:
                try:
                    event = self._events.get_nowait()
                except queue.Empty:
                    break
                try:
                    record = {"sequence": event["sequence"], **self._record(event)}
                except Exception:  # pylint: disable=broad-except
                    LOG.debug("an event could not be mapped", exc_info=True)
                    self._drop("encode_failed")
                    continue
                self._publish(record)
            if time.monotonic() - self._last_record >= HEARTBEAT_INTERVAL:
                self._publish(self._own_event("HEARTBEAT"))
            self._producer.poll(0)
        except Exception:  # pylint: disable=broad-except
            LOG.warning("streampulse: a flush failed", exc_info=True)

    def _publish(self, record: dict[str, Any]) -> None:
        with self._lock:
            dropped = dict(self._dropped)
        record = {**self._identity, **record, "dropped": dropped}
        body = io.BytesIO()
        body.write(self._header)
        try:
            fastavro.schemaless_writer(body, self._schema, record)
        except Exception:  # pylint: disable=broad-except
            LOG.debug("a record could not be encoded", exc_info=True)
            self._drop("encode_failed")
            return
        if body.tell() > MAX_RECORD_BYTES:
            self._drop("too_large")
            return
        key = record.get("queryId") or record["agentId"]
        try:
            self._producer.produce(
                self._topic, key=key.encode(), value=body.getvalue(), on_delivery=self._delivered
            )
        except (BufferError, KafkaException):
            self._drop("publish_failed")
            return
        self._last_record = time.monotonic()

    def _delivered(self, error: Any, _message: Any) -> None:
        if error is not None:
            self._drop("publish_failed")
            LOG.debug("a record was not delivered: %s", error)

    def _own_event(self, kind: str) -> dict[str, Any]:
        now = datetime.now(timezone.utc)
        return {
            "sequence": next(self._numbers),
            "eventType": kind,
            "eventTime": now,
            "observedTime": now,
            "activeRuns": list(self._runs.values()),
        }

    def _record(self, event: dict[str, Any]) -> dict[str, Any]:
        kind, observed = event["eventType"], event["observedTime"]
        if kind == "PROGRESS":
            return self._progress(json.loads(event["progress"]), observed)
        record = {
            "eventType": kind,
            "eventTime": _time(event["sparkTime"]) or observed,
            "observedTime": observed,
            "queryId": event["queryId"],
            "runId": event["runId"],
        }
        run = self._runs.get(event["runId"])
        if kind == "STARTED":
            record["queryName"] = event["queryName"]
            self._runs[event["runId"]] = {
                name: record[name] for name in ("queryId", "runId", "queryName")
            }
        elif run is not None:
            record["queryName"] = run["queryName"]
        if kind == "TERMINATED":
            self._runs.pop(event["runId"], None)
            self._streaks.pop(event["runId"], None)
            failure = event["exception"]
            if failure:
                record["exception"] = failure[:10_000]
                record["errorMessage"] = failure.strip().splitlines()[0][:1_000]
            record["errorClass"] = event["errorClass"]
        return record

    def _progress(self, progress: dict[str, Any], observed: datetime) -> dict[str, Any]:
        run = progress["runId"]
        arrived = _number(progress.get("inputRowsPerSecond"))
        processed = _number(progress.get("processedRowsPerSecond"))
        behind = bool(arrived and arrived > 0 and (processed or 0.0) < arrived)
        self._streaks[run] = self._streaks.get(run, 0) + 1 if behind else 0
        self._runs.setdefault(
            run, {"queryId": progress["id"], "runId": run, "queryName": progress.get("name")}
        )
        event_time = progress.get("eventTime") or {}
        watermark = _time(event_time.get("watermark"))
        return {
            "eventType": "PROGRESS",
            "eventTime": _time(progress["timestamp"]) or observed,
            "observedTime": observed,
            "queryId": progress["id"],
            "runId": run,
            "queryName": progress.get("name"),
            "batchId": progress["batchId"],
            "numInputRows": progress.get("numInputRows"),
            "inputRowsPerSecond": arrived,
            "processedRowsPerSecond": processed,
            "fallingBehind": behind,
            "fallingBehindStreak": self._streaks[run],
            "batchDurationMs": progress.get("batchDuration")
            or progress.get("durationMs", {}).get("triggerExecution"),
            "durationMs": progress.get("durationMs") or {},
            "watermark": watermark if watermark and watermark.timestamp() > 0 else None,
            "eventTimeStats": event_time,
            "sources": [_source(source) for source in progress.get("sources", [])],
            "sink": _sink(progress.get("sink")),
            "stateOperators": [_state(state) for state in progress.get("stateOperators", [])],
            "observedMetrics": {
                name: json.dumps(value)
                for name, value in (progress.get("observedMetrics") or {}).items()
            },
        }


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text.replace("Z", "+00:00")) if text else None


def _number(value: Any) -> float | None:
    """None where Spark had no number: it writes NaN and infinite ones as texts, or leaves them out."""
    if isinstance(value, (int, float)) and math.isfinite(value):
        return float(value)
    return None


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _texts(values: dict[str, Any] | None) -> dict[str, str]:
    return {name: str(value) for name, value in (values or {}).items()}


def _source(source: dict[str, Any]) -> dict[str, Any]:
    return {
        "description": source.get("description"),
        "startOffset": _text(source.get("startOffset")),
        "endOffset": _text(source.get("endOffset")),
        "latestOffset": _text(source.get("latestOffset")),
        "numInputRows": source.get("numInputRows"),
        "inputRowsPerSecond": _number(source.get("inputRowsPerSecond")),
        "processedRowsPerSecond": _number(source.get("processedRowsPerSecond")),
        "metrics": _texts(source.get("metrics")),
        "backlog": _backlog(source.get("endOffset"), source.get("latestOffset")),
    }


def _backlog(end: Any, latest: Any) -> int | None:
    """Over all partitions, of a Kafka source, whose offsets are by topic and partition."""
    try:
        total = 0
        for topic, partitions in latest.items():
            for partition, offset in partitions.items():
                total += max(0, offset - end[topic][partition])
        return total
    except (AttributeError, KeyError, TypeError):
        return None


def _sink(sink: dict[str, Any] | None) -> dict[str, Any] | None:
    if sink is None:
        return None
    rows = sink.get("numOutputRows")
    return {
        "description": sink.get("description"),
        "numOutputRows": None if rows is None or rows < 0 else rows,
        "metrics": _texts(sink.get("metrics")),
    }


def _state(state: dict[str, Any]) -> dict[str, Any]:
    names = (
        "operatorName",
        "numRowsTotal",
        "numRowsUpdated",
        "allUpdatesTimeMs",
        "numRowsRemoved",
        "allRemovalsTimeMs",
        "commitTimeMs",
        "memoryUsedBytes",
        "numRowsDroppedByWatermark",
        "numShufflePartitions",
        "numStateStoreInstances",
    )
    record = {name: state.get(name) for name in names}
    record["customMetrics"] = state.get("customMetrics") or {}
    return record
