package io.streampulse.consumer.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;

/**
 * A fleet of any size in which every state and signal occurs, with histories that fit: the same for
 * the same seed.
 */
final class SampleFleet {
  /** A name that is markup, and leaves a mark if it is run: it must be shown as it is written. */
  static final String HOSTILE = "<img src=x onerror=\"window.owned=1\"></script>\u2028";

  private static final int POINTS = 240;
  private static final int SPARK_POINTS = 60;
  private static final long STEP_SECONDS = 30;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final List<String> TEAMS = List.of("payments", "risk", "search", "logistics");
  private static final List<String> SOURCES =
      List.of("orders", "clicks", "refunds", "ledger", "sensors", "sessions", "inventory");
  private static final List<String> JOBS =
      List.of("enrich", "dedupe", "aggregate", "to-bronze", "to-silver", "join-customers");

  private final Random random;
  private final Instant now;
  private final List<QueryStatus> queries = new ArrayList<>();
  private final Map<String, ObjectNode> sparks = new LinkedHashMap<>();
  private final Map<String, ObjectNode> details = new LinkedHashMap<>();
  private final List<ObjectNode> telemetry = new ArrayList<>();

  SampleFleet(long seed, int size, Instant now) {
    this.random = new Random(seed);
    this.now = now;
    for (int i = 0; i < size; i++) {
      addQuery(i);
    }
    for (int i = 0; i < (size + 4) / 5; i++) {
      addAgent(i);
    }
    queries.sort(Comparator.comparing(QueryStatus::state));
  }

  FleetSnapshot snapshot() {
    return snapshot(Optional.empty());
  }

  FleetSnapshot snapshot(Optional<String> outage) {
    boolean empty = queries.isEmpty();
    Instant newest = now.minusMillis(outage.isPresent() ? 840_000 : 9_100);
    return new FleetSnapshot(
        "main.observability.streaming_health",
        now,
        empty ? Optional.empty() : Optional.of(newest.minusMillis(5_100)),
        empty ? Optional.empty() : Optional.of(newest),
        outage,
        queries,
        telemetry,
        2);
  }

  Map<String, ObjectNode> sparks() {
    return sparks;
  }

  Map<String, ObjectNode> details() {
    return details;
  }

  ObjectNode json() {
    return FleetJson.of(snapshot(), sparks);
  }

  private void addQuery(int number) {
    QueryState state = state(number);
    String id = new UUID(random.nextLong(), random.nextLong()).toString();
    String team = TEAMS.get(random.nextInt(TEAMS.size()));
    String source = SOURCES.get(random.nextInt(SOURCES.size()));
    double input = Math.pow(10, 1 + 4 * random.nextDouble());
    double headroom = headroom(state);
    boolean stateful = random.nextInt(3) == 0;
    boolean running = state != QueryState.FAILED && state != QueryState.STOPPED;
    Shape shape = new Shape(state, input, headroom, stateful);
    ObjectNode detail = history(id, shape);
    ObjectNode series = (ObjectNode) detail.get("series");

    ObjectNode row = JSON.objectNode();
    row.put("queryId", id).put("runId", new UUID(random.nextLong(), number).toString());
    row.put("queryName", name(number, source));
    row.put("applicationId", "app-20261130-%04d".formatted(number / 5));
    row.put("applicationName", team + "-streaming-" + number / 40);
    row.put("agentId", "agent-%05d".formatted(number / 5)).put("agentVersion", "0.1.0");
    row.put("sparkVersion", "4.0.1")
        .put("host", "10.1.%d.%d".formatted(number / 250, number % 250));
    row.put("jobId", String.valueOf(88_000 + number / 5)).put("jobRunId", String.valueOf(number));
    row.putObject("tags")
        .put("team", team)
        .put("env", number % 4 == 0 ? "staging" : "production")
        .put("tier", String.valueOf(1 + number % 3));
    row.putArray("jobTags").add("sla");
    row.put("state", state.name()).put("severity", List.of(QueryState.values()).indexOf(state));
    ArrayNode signals = row.putArray("signals");
    signals(state, stateful).forEach(signals::add);
    row.put("reason", reason(state, headroom));
    row.put("stateSince", now.minusSeconds(120 + random.nextInt(5000)).toString());
    row.put("startedAt", now.minusSeconds(90_000).toString());
    long age = age(state);
    row.put("lastEventAt", now.minusSeconds(age).toString()).put("lastEventAgeSeconds", age);
    row.put("lastEventType", running ? "PROGRESS" : "TERMINATED");
    row.put("agentLastHeardAt", now.minusSeconds(state == QueryState.SILENT ? age : 6).toString());
    row.put("batchId", 10_000 + random.nextInt(100_000)).put("windowBatches", 20);
    row.put("batchGapMs", 30_000L).put("batchDurationMs", 4_000 + random.nextInt(9_000));
    row.put("batchDurationP99Ms", 14_000 + random.nextInt(30_000));
    if (state != QueryState.IDLE) {
      row.put("inputRowsPerSecond", input).put("processedRowsPerSecond", input * headroom);
      row.put("headroom", headroom).put("numInputRows", Math.round(input * 30));
    }
    if (number % 7 != 6) {
      row.set("lagRecords", last(series, "lagRecords"));
      row.set("lagSeconds", last(series, "lagSeconds"));
      row.put("lagTrendPerSecond", headroom < 1 ? input * (1 - headroom) : -input * 0.01);
    }
    if (state == QueryState.CATCHING_UP) {
      row.put("catchUpSeconds", 300.0 + random.nextInt(20_000));
    }
    row.put("fallingBehindStreak", state == QueryState.FALLING_BEHIND ? 14 : 0);
    if (stateful) {
      row.put("watermark", now.minusSeconds(700).toString());
      row.set("watermarkLagSeconds", last(series, "watermarkLagSeconds"));
      row.set("stateRows", last(series, "stateRows"));
      row.set("stateBytes", last(series, "stateBytes"));
    }
    row.putObject("phaseMs").put("addBatch", 3800).put("queryPlanning", 120).put("walCommit", 85);
    row.put("runsLastHour", state == QueryState.RESTARTING ? 5 : 1);
    if (state == QueryState.FAILED || state == QueryState.RESTARTING) {
      row.put("errorClass", "org.apache.spark.SparkException");
      row.put(
          "errorMessage",
          """
          Job aborted due to stage failure: Task 3 in stage 41.0 failed 4 times
            at org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages
          Caused by: java.io.IOException: No space left on device""");
    }

    detail.putObject("latest").setAll(row);
    queries.add(new QueryStatus(row));
    sparks.put(id, spark(series));
    details.put(id, detail);
  }

  /** Three quarters are well; the rest goes through all states in turn. */
  private static QueryState state(int number) {
    QueryState[] states = QueryState.values();
    return number % 4 == 1 ? states[number / 4 % (states.length - 1)] : QueryState.OK;
  }

  private static String name(int number, String source) {
    return number == 0
        ? HOSTILE
        : "%s-%s-%d".formatted(source, JOBS.get(number % JOBS.size()), number);
  }

  private double headroom(QueryState state) {
    return switch (state) {
      case FALLING_BEHIND -> 0.55 + 0.4 * random.nextDouble();
      case LONG_BATCH -> 1.02 + 0.1 * random.nextDouble();
      default -> 1.2 + 3 * random.nextDouble();
    };
  }

  private long age(QueryState state) {
    return switch (state) {
      case HUNG, STALLED -> 600 + random.nextInt(4000);
      case SILENT, STOPPED -> 4000 + random.nextInt(300_000);
      case FAILED -> 200 + random.nextInt(3000);
      case LONG_BATCH -> 95;
      default -> 2 + random.nextInt(28);
    };
  }

  private static List<String> signals(QueryState state, boolean stateful) {
    return switch (state) {
      case FAILED -> List.of("FLAPPING");
      case SILENT -> List.of("BLIND");
      case FALLING_BEHIND -> List.of("SLOW_PHASE");
      case CATCHING_UP -> List.of("REWOUND", "JITTER");
      case LONG_BATCH -> List.of("JITTER");
      default -> stateful ? List.of("STATE_GROWTH", "WATERMARK_STUCK") : List.of();
    };
  }

  private static String reason(QueryState state, double headroom) {
    return switch (state) {
      case FAILED ->
          "ended with SparkException: Job aborted due to stage failure, 5 runs in an hour";
      case HUNG -> "no batch for 31 times its usual gap, the agent is heard";
      case SILENT -> "nothing is heard of it or of its agent";
      case STALLED -> "lag rises and no rows are processed";
      case FALLING_BEHIND ->
          "processes %.2f of what arrives, 14 batches in a row".formatted(headroom);
      case RESTARTING -> "started again 5 times in the last hour";
      case LONG_BATCH -> "the running batch takes 3 times as long as usual";
      case CATCHING_UP -> "has lag, and the lag falls";
      case STOPPED -> "ended without an error";
      case IDLE -> "waits for data";
      case OK -> "keeps up";
    };
  }

  private record Shape(QueryState state, double input, double headroom, boolean stateful) {}

  private ObjectNode history(String id, Shape shape) {
    ObjectNode detail = JSON.objectNode().put("queryId", id);
    ObjectNode series = detail.putObject("series");
    ArrayNode t = series.putArray("t");
    ArrayNode in = series.putArray("in");
    ArrayNode out = series.putArray("out");
    ArrayNode lagRecords = series.putArray("lagRecords");
    ArrayNode lagSeconds = series.putArray("lagSeconds");
    ArrayNode batchMs = series.putArray("batchMs");
    ObjectNode phases = series.putObject("phases");
    ArrayNode addBatch = phases.putArray("addBatch");
    ArrayNode planning = phases.putArray("queryPlanning");
    ArrayNode wal = phases.putArray("walCommit");
    ArrayNode offsets = phases.putArray("latestOffset");
    ArrayNode commit = phases.putArray("commitOffsets");
    ArrayNode watermark = series.putArray("watermarkLagSeconds");
    ArrayNode stateRows = series.putArray("stateRows");
    ArrayNode stateBytes = series.putArray("stateBytes");

    int restart = shape.state() == QueryState.RESTARTING ? 150 : 40;
    double lag =
        shape.state() == QueryState.CATCHING_UP ? shape.input() * 4000 : shape.input() * 20;
    for (int i = 0; i < POINTS; i++) {
      boolean down = i >= restart && i < restart + 5;
      double wave = 1 + 0.3 * Math.sin(i / 23.0) + 0.12 * random.nextGaussian();
      double input = Math.max(0, shape.input() * wave);
      double output = input * shape.headroom() * (1 + 0.05 * random.nextGaussian());
      lag = Math.max(input * 3 * random.nextDouble(), lag + (input - output) * STEP_SECONDS / 4);
      t.add(now.getEpochSecond() - (POINTS - 1 - i) * STEP_SECONDS);
      add(in, down, input);
      add(out, down, output);
      add(lagRecords, down, Math.rint(lag));
      add(lagSeconds, down, lag / shape.input());
      double batch = 3000 + 2500 * wave + (random.nextInt(40) == 0 ? 9000 : 0);
      add(batchMs, down, Math.rint(batch));
      add(addBatch, down, Math.rint(batch * 0.78));
      add(planning, down, Math.rint(batch * 0.08));
      add(wal, down, Math.rint(batch * 0.05));
      add(offsets, down, Math.rint(batch * 0.03));
      add(commit, down, Math.rint(batch * 0.02));
      add(watermark, down || !shape.stateful(), 600 + 80 * wave);
      add(stateRows, down || !shape.stateful(), 1_000_000 + 4_000.0 * i);
      add(stateBytes, down || !shape.stateful(), 310_000_000 + 1_300_000.0 * i);
    }
    ArrayNode events = detail.putArray("events");
    event(events, t, restart, "FAILED", "SparkException: No space left on device");
    event(events, t, restart + 4, "STARTED", "run 2, from the checkpoint");
    if (shape.state() == QueryState.FAILED) {
      event(events, t, POINTS - 2, "FAILED", "SparkException: Job aborted due to stage failure");
    } else if (shape.state() == QueryState.STOPPED) {
      event(events, t, POINTS - 2, "STOPPED", "without an error");
    }
    return detail;
  }

  private static void event(ArrayNode events, ArrayNode t, int point, String kind, String text) {
    events.addObject().put("t", t.get(point).asLong()).put("kind", kind).put("text", text);
  }

  private static void add(ArrayNode values, boolean none, double value) {
    if (none) {
      values.addNull();
    } else {
      values.add(value);
    }
  }

  private static JsonNode last(ObjectNode series, String name) {
    return series.get(name).get(POINTS - 1);
  }

  private static ObjectNode spark(ObjectNode series) {
    ObjectNode spark = JSON.objectNode();
    Map<String, String> names =
        Map.of("t", "t", "lag", "lagRecords", "in", "in", "out", "out", "batchMs", "batchMs");
    names.forEach(
        (name, from) -> {
          ArrayNode points = spark.putArray(name);
          for (int i = POINTS - SPARK_POINTS; i < POINTS; i++) {
            points.add(series.get(from).get(i));
          }
        });
    return spark;
  }

  private void addAgent(int number) {
    long produced = 5_000L + random.nextInt(400_000);
    long dropped = number % 6 == 2 ? 40 + random.nextInt(900) : 0;
    long missing = number % 9 == 4 ? 1 + random.nextInt(30) : 0;
    ObjectNode row = JSON.objectNode();
    row.put("agentId", "agent-%05d".formatted(number));
    row.put("applicationId", "app-20261130-%04d".formatted(number));
    row.put("applicationName", TEAMS.get(number % TEAMS.size()) + "-streaming-" + number / 8);
    row.put("agentVersion", "0.1.0").put("host", "10.1.0." + number % 250);
    row.put("lastHeardAt", now.minusSeconds(4 + random.nextInt(40)).toString());
    row.put("firstHeardAt", now.minusSeconds(86_000).toString());
    row.put("closed", number % 11 == 10);
    row.put("produced", produced).put("inTable", produced - dropped - missing);
    row.put("missing", missing).put("droppedTotal", dropped);
    ObjectNode reasons = row.putObject("dropped");
    if (dropped > 0) {
      reasons.put("buffer_full", dropped - 3).put("publish_failed", 3);
    }
    row.put("truncatedRecords", number % 5 == 3 ? 12 : 0);
    row.put("ingestDelaySeconds", 3 + 8 * random.nextDouble());
    row.put("ingestDelayMaxSeconds", 14 + 60 * random.nextDouble());
    row.put("quarantined", 2);
    telemetry.add(row);
  }
}
