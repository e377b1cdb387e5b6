package io.streampulse.consumer;

import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.checkpoint.Condition;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What is wrong with a checkpoint, said before Spark fails on it. */
final class StartChecks {
  private StartChecks() {}

  /**
   * Reads the checkpoint and checks that this run can go on from it.
   *
   * @throws CheckpointException if it can't, with the command that mends it
   */
  static CheckpointState checkpoint(CheckpointDirectory directory, ConsumerConfig config) {
    directory.requireWritable();
    CheckpointState state = CheckpointState.of(directory);
    if (!state.topics().isEmpty() && !state.topics().equals(Set.of(config.topic()))) {
      throw new CheckpointException(
          "checkpoint %s is of topic %s, not of %s: correct spark.streampulse.topic, or name another spark.streampulse.consumer.checkpoint"
              .formatted(directory, String.join(", ", state.topics()), config.topic()));
    }
    if (!state.condition().canStart(config.asyncProgress())) {
      throw new CheckpointException(
          "checkpoint %s can't be used by %s progress tracking: %s (L = %s, K = %s). %s"
              .formatted(
                  directory,
                  config.asyncProgress() ? "async" : "sync",
                  state.torn().orElse(state.condition().words()),
                  text(state.newestOffsets()),
                  text(state.newestCommit()),
                  wayOut(state.condition(), directory)));
    }
    return state;
  }

  /**
   * How many offsets before the start are in no table, by partition.
   *
   * @param start where the run begins to read
   * @param highest highest offset in the tables
   * @param first where the query once began
   */
  static Map<Integer, Long> behind(
      Map<Integer, Long> start, Map<Integer, Long> highest, Map<Integer, Long> first) {
    Map<Integer, Long> behind = new TreeMap<>();
    start.forEach(
        (partition, next) -> {
          long done =
              Math.max(highest.getOrDefault(partition, -1L) + 1, first.getOrDefault(partition, 0L));
          if (next > done) {
            behind.put(partition, next - done);
          }
        });
    return behind;
  }

  static Map<Integer, Long> higher(Map<Integer, Long> one, Map<Integer, Long> other) {
    Map<Integer, Long> higher = new HashMap<>(one);
    other.forEach((partition, offset) -> higher.merge(partition, offset, Math::max));
    return higher;
  }

  private static String wayOut(Condition condition, CheckpointDirectory directory) {
    return switch (condition) {
      case GAP_COMMITTED, GAP_NOT_COMMITTED ->
          ("Run \"health-consumer checkpoint settle\" with this consumer's settings, or"
                  + " \"health-consumer checkpoint repair %s --state %s --apply\"")
              .formatted(directory, condition.letter());
      case ONE_NOT_COMMITTED ->
          "Run \"health-consumer checkpoint repair %s --state E --from-table\" with this consumer's settings"
              .formatted(directory);
      default ->
          "Run \"health-consumer checkpoint repair %s --state %s --apply\""
              .formatted(directory, condition.letter());
    };
  }

  private static String text(java.util.OptionalLong id) {
    return id.isPresent() ? String.valueOf(id.getAsLong()) : "none";
  }
}
