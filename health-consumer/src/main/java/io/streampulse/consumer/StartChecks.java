package io.streampulse.consumer;

import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.consumer.checkpoint.CheckpointRepair;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.checkpoint.Condition;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is wrong with a checkpoint, said before Spark fails on it. */
final class StartChecks {
  private static final Logger LOG = LoggerFactory.getLogger(StartChecks.class);

  private StartChecks() {}

  /**
   * Reads the checkpoint and checks that this run can go on from it, by {@link #mended} perhaps.
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
    boolean canBeMended =
        state.condition() == Condition.COMMITS_AHEAD
            && state.queryId().isPresent()
            && state.newestOffsets().isPresent();
    if (!canBeMended) {
      requireStartable(directory, state, config);
    }
    return state;
  }

  private static void requireStartable(
      CheckpointDirectory directory, CheckpointState state, ConsumerConfig config) {
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
  }

  /**
   * Mends what one failed write of async progress tracking leaves: commits above the newest
   * offsets. For a run that has locked older ones out, and will compare what it reads again with
   * the table.
   *
   * @return the checkpoint's state from now on
   * @throws CheckpointException if it can't be mended, or what is left needs a repair of its own
   */
  static CheckpointState mended(
      CheckpointDirectory directory, CheckpointState state, ConsumerConfig config) {
    if (state.condition() != Condition.COMMITS_AHEAD) {
      return state;
    }
    Path backup = CheckpointRepair.plan(directory).apply("at_start_" + System.currentTimeMillis());
    LOG.warn(
        "Checkpoint {} has commits whose offsets were not written: they are removed, and their"
            + " messages are read again; the copy from before is {}",
        directory,
        backup);
    CheckpointState now = CheckpointState.of(directory);
    requireStartable(directory, now, config);
    return now;
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

  private static String text(OptionalLong id) {
    return id.isPresent() ? String.valueOf(id.getAsLong()) : "none";
  }
}
