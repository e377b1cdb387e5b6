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
 * Copies a {@link StreamingQueryProgress} into a record, by typed getters only: its JSON leaves out
 * NaN rates and rounds others.
 */
final class ProgressMapper {
  private ProgressMapper() {}

  static void map(StreamingQueryProgress progress, HealthRecord record) {
    record.setBatchId(progress.batchId());
    record.setNumInputRows(progress.numInputRows());
    record.setInputRowsPerSecond(finite(progress.inputRowsPerSecond()));
    record.setProcessedRowsPerSecond(finite(progress.processedRowsPerSecond()));
    record.setBatchDurationMs(progress.batchDuration());
    record.setDurationMs(copy(progress.durationMs()));
    record.setEventTimeStats(copy(progress.eventTime()));
    record.setWatermark(watermark(progress.eventTime()));
    record.setSources(sources(progress));
    record.setSink(sink(progress));
    record.setStateOperators(stateOperators(progress));
    record.setObservedMetrics(observed(progress.observedMetrics()));
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
    Instant watermark = instant(copy(eventTime).get("watermark"), null);
    return Instant.EPOCH.equals(watermark) ? null : watermark;
  }

  private static List<SourceProgress> sources(StreamingQueryProgress progress) {
    List<SourceProgress> sources = new ArrayList<>();
    for (org.apache.spark.sql.streaming.SourceProgress source : progress.sources()) {
      sources.add(
          SourceProgress.newBuilder()
              .setDescription(source.description())
              .setStartOffset(source.startOffset())
              .setEndOffset(source.endOffset())
              .setLatestOffset(source.latestOffset())
              .setNumInputRows(source.numInputRows())
              .setInputRowsPerSecond(finite(source.inputRowsPerSecond()))
              .setProcessedRowsPerSecond(finite(source.processedRowsPerSecond()))
              .setMetrics(copy(source.metrics()))
              .setBacklog(
                  KafkaBacklog.of(source.description(), source.endOffset(), source.latestOffset()))
              .build());
    }
    return sources;
  }

  private static SinkProgress sink(StreamingQueryProgress progress) {
    org.apache.spark.sql.streaming.SinkProgress sink = progress.sink();
    return sink == null
        ? null
        : SinkProgress.newBuilder()
            .setDescription(sink.description())
            .setNumOutputRows(sink.numOutputRows() < 0 ? null : sink.numOutputRows())
            .setMetrics(copy(sink.metrics()))
            .build();
  }

  private static List<StateOperatorProgress> stateOperators(StreamingQueryProgress progress) {
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
              .setCustomMetrics(copy(state.customMetrics()))
              .build());
    }
    return operators;
  }

  private static Map<String, String> observed(Map<String, Row> rows) {
    Map<String, String> observed = new HashMap<>();
    copy(rows)
        .forEach(
            (name, row) -> {
              try {
                observed.put(name, RowJson.of(row));
              } catch (RuntimeException e) {
                // A row without schema, or a value that can't be read: the others are kept.
                observed.put(name, "null");
              }
            });
    return observed;
  }

  private static Double finite(double rate) {
    return Double.isFinite(rate) ? rate : null;
  }

  /** A copy without null keys or values, which Avro maps can't hold. */
  private static <V> Map<String, V> copy(Map<String, V> map) {
    Map<String, V> copy = new HashMap<>();
    if (map != null) {
      map.forEach(
          (key, value) -> {
            if (key != null && value != null) {
              copy.put(key, value);
            }
          });
    }
    return copy;
  }
}
