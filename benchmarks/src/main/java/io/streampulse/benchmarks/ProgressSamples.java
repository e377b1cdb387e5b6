package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.mapping.ApplicationInfo;
import io.streampulse.agent.mapping.RecordMapper;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.SinkProgress;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Progress of four sizes as they are met: rate, one topic, a stateful join, a thousand partitions.
 */
final class ProgressSamples {
  static final List<String> SIZES = List.of("rate", "kafka", "stateful", "large");

  private ProgressSamples() {}

  /** A mapper as a job's agent has it. */
  static RecordMapper mapper() {
    return new RecordMapper(
        ApplicationInfo.of(
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "0.1.0",
            "4.2.0",
            Map.of("spark.app.id", "app-1", "spark.app.name", "job"),
            Map.of("team", "data")),
        Map.of(),
        new Accounting(),
        Integer.MAX_VALUE);
  }

  static QueryProgressEvent of(String size) {
    return of(
        size,
        new Batch(
            UUID.randomUUID(), UUID.randomUUID(), "orders", "2026-01-02T03:04:05.678Z", 123456));
  }

  static QueryProgressEvent of(String size, Batch batch) {
    return switch (size) {
      case "rate" -> event(batch, 0, 1, 0);
      case "kafka" -> event(batch, 12, 1, 0);
      case "stateful" -> event(batch, 48, 2, 2);
      case "large" -> event(batch, 1000, 2, 4);
      default -> throw new IllegalArgumentException(size);
    };
  }

  static String json(StreamingQueryListener.Event event) {
    return ((QueryProgressEvent) event).progress().json();
  }

  private static QueryProgressEvent event(
      Batch batch, int partitions, int sources, int stateOperators) {
    SourceProgress[] sourceProgress = new SourceProgress[sources];
    for (int i = 0; i < sources; i++) {
      sourceProgress[i] = source("topic-" + i, partitions);
    }
    StateOperatorProgress[] operators = new StateOperatorProgress[stateOperators];
    for (int i = 0; i < stateOperators; i++) {
      operators[i] = operator();
    }
    Map<String, Long> durations = new HashMap<>();
    for (String phase :
        new String[] {
          "addBatch",
          "commitOffsets",
          "getBatch",
          "latestOffset",
          "queryPlanning",
          "triggerExecution",
          "walCommit"
        }) {
      durations.put(phase, 100L + phase.length());
    }
    Map<String, String> eventTime = new HashMap<>();
    Map<String, Row> observed = new HashMap<>();
    if (stateOperators > 0) {
      eventTime.put("watermark", "2026-01-02T03:04:05.678Z");
      eventTime.put("max", "2026-01-02T03:04:15.678Z");
      observed.put(
          "latency",
          new GenericRowWithSchema(
              new Object[] {63.8, 219L},
              new StructType().add("avg", DataTypes.DoubleType).add("max", DataTypes.LongType)));
    }
    return new QueryProgressEvent(
        new StreamingQueryProgress(
            batch.queryId(),
            batch.runId(),
            batch.queryName(),
            batch.timestamp(),
            batch.batchId(),
            1234,
            durations,
            eventTime,
            operators,
            sourceProgress,
            new SinkProgress("DeltaSink[s3://bucket/table]", 1000, new HashMap<>()),
            observed));
  }

  private static SourceProgress source(String topic, int partitions) {
    if (partitions == 0) {
      return new SourceProgress(
          "RateStreamV2[rowsPerSecond=5]", "10", "11", "11", 50, 4.8, 5.7, new HashMap<>());
    }
    Map<String, String> metrics = new HashMap<>();
    metrics.put("avgOffsetsBehindLatest", "12.5");
    metrics.put("maxOffsetsBehindLatest", "40");
    metrics.put("minOffsetsBehindLatest", "0");
    return new SourceProgress(
        "KafkaV2[Subscribe[" + topic + "]]",
        offsets(topic, partitions, 1_000_000),
        offsets(topic, partitions, 1_000_500),
        offsets(topic, partitions, 1_000_540),
        500L * partitions,
        480.5,
        510.25,
        metrics);
  }

  private static String offsets(String topic, int partitions, long offset) {
    StringBuilder json = new StringBuilder("{\"").append(topic).append("\":{");
    for (int p = 0; p < partitions; p++) {
      json.append(p == 0 ? "" : ",").append('"').append(p).append("\":").append(offset + p);
    }
    return json.append("}}").toString();
  }

  private static StateOperatorProgress operator() {
    Map<String, Long> custom = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      custom.put("rocksdbMetric" + i, 1000L * i);
    }
    return new StateOperatorProgress(
        "symmetricHashJoin", 1_000_000, 500, 12, 100, 3, 44, 123_456_789, 5, 200, 800, custom);
  }

  /** Which batch of which query the progress is of. */
  record Batch(UUID queryId, UUID runId, String queryName, String timestamp, long batchId) {}
}
