package io.streampulse.agent.mapping;

import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SinkProgress;
import io.streampulse.schema.SourceProgress;
import io.streampulse.schema.StateOperatorProgress;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Copies a {@link StreamingQueryProgress} into a record, by typed getters: its JSON leaves out NaN
 * rates and rounds others. Only what no getter has is looked for in the JSON, see {@link
 * RealTimeMetrics}.
 */
final class ProgressMapper {
  private final Redactor redactor;
  private final boolean realTimeMode;

  /**
   * @param realTimeMode whether the platform may add real-time metrics to the progress's JSON
   */
  ProgressMapper(Redactor redactor, boolean realTimeMode) {
    this.redactor = redactor;
    this.realTimeMode = realTimeMode;
  }

  void map(StreamingQueryProgress progress, HealthRecord record) {
    Copy copy = new Copy(record);
    record.setBatchId(progress.batchId());
    record.setNumInputRows(progress.numInputRows());
    record.setInputRowsPerSecond(finite(progress.inputRowsPerSecond()));
    record.setProcessedRowsPerSecond(finite(progress.processedRowsPerSecond()));
    record.setBatchDurationMs(progress.batchDuration());
    record.setDurationMs(copy.of("durationMs", progress.durationMs()));
    record.setEventTimeStats(copy.of("eventTimeStats", progress.eventTime()));
    record.setWatermark(watermark(record.getEventTimeStats()));
    record.setSources(sources(progress, copy));
    record.setSink(sink(progress, copy));
    record.setStateOperators(stateOperators(progress, copy));
    record.setObservedMetrics(observed(copy.of("observedMetrics", progress.observedMetrics())));
    if (realTimeMode) {
      realTime(progress, record, copy);
    }
  }

  /** The instant Spark wrote, or the fallback where it wrote none. */
  static Instant instant(String text, Instant fallback) {
    if (text == null) {
      return fallback;
    }
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      return fallback;
    }
  }

  /** Spark's epoch watermark means that there is none yet. */
  private static Instant watermark(Map<String, String> eventTime) {
    Instant watermark = instant(eventTime.get("watermark"), null);
    return Instant.EPOCH.equals(watermark) ? null : watermark;
  }

  private List<SourceProgress> sources(StreamingQueryProgress progress, Copy copy) {
    List<SourceProgress> sources = new ArrayList<>();
    for (org.apache.spark.sql.streaming.SourceProgress source : progress.sources()) {
      sources.add(
          SourceProgress.newBuilder()
              .setDescription(redactor.text(source.description()))
              .setStartOffset(source.startOffset())
              .setEndOffset(source.endOffset())
              .setLatestOffset(source.latestOffset())
              .setNumInputRows(source.numInputRows())
              .setInputRowsPerSecond(finite(source.inputRowsPerSecond()))
              .setProcessedRowsPerSecond(finite(source.processedRowsPerSecond()))
              .setMetrics(copy.of("sources.metrics", source.metrics()))
              .setBacklog(
                  KafkaBacklog.of(source.description(), source.endOffset(), source.latestOffset()))
              .build());
    }
    return sources;
  }

  private SinkProgress sink(StreamingQueryProgress progress, Copy copy) {
    org.apache.spark.sql.streaming.SinkProgress sink = progress.sink();
    return sink == null
        ? null
        : SinkProgress.newBuilder()
            .setDescription(redactor.text(sink.description()))
            .setNumOutputRows(sink.numOutputRows() < 0 ? null : sink.numOutputRows())
            .setMetrics(copy.of("sink.metrics", sink.metrics()))
            .build();
  }

  private static List<StateOperatorProgress> stateOperators(
      StreamingQueryProgress progress, Copy copy) {
    List<StateOperatorProgress> operators = new ArrayList<>();
    for (org.apache.spark.sql.streaming.StateOperatorProgress state : progress.stateOperators()) {
      operators.add(
          StateOperatorProgress.newBuilder()
              .setOperatorName(state.operatorName())
              .setNumRowsTotal(state.numRowsTotal())
              .setNumRowsUpdated(state.numRowsUpdated())
              .setAllUpdatesTimeMs(state.allUpdatesTimeMs())
              .setNumRowsRemoved(state.numRowsRemoved())
              .setAllRemovalsTimeMs(state.allRemovalsTimeMs())
              .setCommitTimeMs(state.commitTimeMs())
              .setMemoryUsedBytes(state.memoryUsedBytes())
              .setNumRowsDroppedByWatermark(state.numRowsDroppedByWatermark())
              .setNumShufflePartitions(state.numShufflePartitions())
              .setNumStateStoreInstances(state.numStateStoreInstances())
              .setCustomMetrics(copy.of("stateOperators.customMetrics", state.customMetrics()))
              .build());
    }
    return operators;
  }

  private static Map<String, String> observed(Map<String, Row> rows) {
    Map<String, String> observed = new HashMap<>();
    rows.forEach(
        (name, row) -> {
          try {
            observed.put(name, RowJson.of(row));
          } catch (Exception | LinkageError e) {
            // A row without schema, or a value that can't be read: the others are kept.
            observed.put(name, "null");
          }
        });
    return observed;
  }

  /** The JSON can throw, on odd observed metrics for one: then there are no such metrics. */
  private static void realTime(StreamingQueryProgress progress, HealthRecord record, Copy copy) {
    RealTimeMetrics metrics;
    try {
      metrics = RealTimeMetrics.of(progress.json());
    } catch (Exception | LinkageError e) {
      metrics = RealTimeMetrics.NONE;
    }
    record.setLatencies(copy.of("latencies", metrics.latencies()));
    record.setTaskMetrics(copy.of("taskMetrics", metrics.taskMetrics()));
  }

  private static Double finite(double rate) {
    return Double.isFinite(rate) ? rate : null;
  }

  /** Copies maps for a record, and tells the record when one was capped. */
  private record Copy(HealthRecord record) {

    /** A copy without null keys or values, which Avro maps can't hold, and of bounded size. */
    <V> Map<String, V> of(String field, Map<String, V> map) {
      if (map == null) {
        return new HashMap<>();
      }
      CappedMap<V> capped = CappedMap.of(map);
      if (capped.leftOut() > 0) {
        RecordLimiter.addTruncated(record, field);
      }
      return capped.map();
    }
  }
}
