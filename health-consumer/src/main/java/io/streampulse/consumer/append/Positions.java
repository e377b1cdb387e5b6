package io.streampulse.consumer.append;

import io.streampulse.consumer.source.KafkaOffsets;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * Where a run stands in the topic, by partition, as Spark's progress of a micro-batch tells it.
 *
 * @param next the first offset that has not been read
 * @param latest the end of the log when that micro-batch was planned; empty where not told
 */
public record Positions(Map<Integer, Long> next, Map<Integer, Long> latest) {
  /** The positions after a micro-batch; empty where its progress does not tell them. */
  public static Optional<Positions> after(StreamingQueryProgress progress, String topic) {
    if (progress.sources().length != 1) {
      return Optional.empty();
    }
    return parse(progress.sources()[0].endOffset(), topic)
        .map(
            next ->
                new Positions(
                    next, parse(progress.sources()[0].latestOffset(), topic).orElse(Map.of())));
  }

  /** The offsets of one topic in Spark's JSON, {@code {"topic":{"0":12}}}; empty where absent. */
  public static Optional<Map<Integer, Long>> parse(String json, String topic) {
    if (json == null) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(KafkaOffsets.parse(json).get(topic));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Whether everything that was in the partition at planning has been read. */
  boolean atEnd(int partition) {
    Long end = latest.get(partition);
    return end != null && next.getOrDefault(partition, 0L) >= end;
  }
}
