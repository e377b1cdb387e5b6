package io.streampulse.consumer.checkpoint;

import io.streampulse.consumer.checkpoint.OffsetFile.TornFileException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/**
 * Mends a checkpoint of a stopped query, after a copy of all of it. It never touches {@code
 * metadata} or {@code sources}. Why each repair is safe stands with the steps it plans; all of them
 * rest on the replay guard, which keeps what is read again from being appended again.
 */
public final class CheckpointRepair {
  private final CheckpointDirectory directory;
  private final CheckpointState state;
  private final List<Step> steps;

  private CheckpointRepair(CheckpointDirectory directory, CheckpointState state, List<Step> steps) {
    this.directory = directory;
    this.state = state;
    this.steps = steps;
  }

  /** Plans the repair of a checkpoint. */
  public static CheckpointRepair plan(CheckpointDirectory directory) {
    CheckpointState state = CheckpointState.of(directory);
    try {
      return new CheckpointRepair(directory, state, steps(directory, state));
    } catch (TornFileException e) {
      throw new CheckpointException(
          "checkpoint %s: %s, so this can't be mended; restore a backup, or start with a new checkpoint and spark.streampulse.consumer.take-over=true"
              .formatted(directory, e.getMessage()),
          e);
    }
  }

  /**
   * Plans the repair of state E: what was read is told by the table.
   *
   * @param topic the topic
   * @param highest by partition, the highest offset in the health table before its last append:
   *     that batch is done again, since its quarantine may be missing
   */
  public static CheckpointRepair planFromTable(
      CheckpointDirectory directory, String topic, Map<Integer, Long> highest) {
    CheckpointState state = CheckpointState.of(directory);
    if (state.condition() != Condition.ONE_NOT_COMMITTED) {
      return plan(directory);
    }
    long last = state.offsetIds().last();
    try {
      OffsetFile newest = directory.offsets(last);
      Map<Integer, Long> initial = directory.initialOffsets(topic);
      Map<Integer, Long> next = new HashMap<>();
      newest
          .of(topic)
          .forEach(
              (partition, end) -> {
                long inTable = highest.getOrDefault(partition, -1L) + 1;
                long from = Math.max(inTable, initial.getOrDefault(partition, 0L));
                next.put(partition, Math.min(from, end));
              });
      return new CheckpointRepair(
          directory,
          state,
          List.of(
              new Step(
                  "write offsets/%d with what the table holds: %s".formatted(last - 1, next),
                  "batch %d is then done again from there; what is in the table already is not appended again"
                      .formatted(last),
                  () -> directory.writeOffsets(last - 1, newest.withOffsets(topic, next)))));
    } catch (TornFileException e) {
      throw new CheckpointException("checkpoint %s: %s".formatted(directory, e.getMessage()), e);
    }
  }

  public CheckpointState state() {
    return state;
  }

  /** What would be done; empty where nothing is to be mended, or no repair is safe. */
  public List<Step> steps() {
    return steps;
  }

  /**
   * Copies the checkpoint beside it, then does the steps.
   *
   * @param backupSuffix ends the copy's name
   * @return where the copy is
   * @throws CheckpointException if a step fails; the copy is whole then
   */
  public Path apply(String backupSuffix) {
    Path backup;
    try {
      backup = directory.backUp(backupSuffix);
    } catch (IOException e) {
      throw new CheckpointException(
          "checkpoint %s can't be copied, so nothing was changed: %s"
              .formatted(directory, e.getMessage()),
          e);
    }
    for (Step step : steps) {
      try {
        step.work().run();
      } catch (IOException e) {
        throw new CheckpointException(
            "could not %s: %s; the copy from before is %s"
                .formatted(step.what(), e.getMessage(), backup),
            e);
      }
    }
    return backup;
  }

  private static List<Step> steps(CheckpointDirectory directory, CheckpointState state)
      throws TornFileException {
    return switch (state.condition()) {
      case GAP_COMMITTED, GAP_NOT_COMMITTED -> closeGap(directory, state);
      case COMMITS_AHEAD -> dropCommitsAhead(directory, state);
      case TORN -> dropTorn(directory, state);
      case NEW, CLEAN, REPLAY, ONE_NOT_COMMITTED -> List.of();
    };
  }

  private static List<Step> closeGap(CheckpointDirectory directory, CheckpointState state)
      throws TornFileException {
    long last = state.offsetIds().last();
    Long lower = state.offsetIds().lower(last);
    long previous = lower == null ? last : lower;
    OffsetFile content = directory.offsets(previous);
    return List.of(
        new Step(
            "copy offsets/%d to offsets/%d".formatted(previous, last - 1),
            state.condition() == Condition.GAP_COMMITTED
                ? "batch %d is committed, the next run begins at its end".formatted(last)
                : "the next run does batch %d again from the end of batch %d, as async progress tracking would"
                    .formatted(last, previous),
            () -> directory.writeOffsets(last - 1, content)));
  }

  private static List<Step> dropCommitsAhead(CheckpointDirectory directory, CheckpointState state) {
    long last = state.newestOffsets().orElse(-1);
    List<Step> steps = new ArrayList<>();
    for (long id : state.commitIds().tailSet(last, false)) {
      steps.add(
          new Step(
              "delete commits/" + id,
              "its offsets were never written; the batch is planned anew",
              () -> directory.delete("commits", id)));
    }
    return steps;
  }

  private static List<Step> dropTorn(CheckpointDirectory directory, CheckpointState state)
      throws TornFileException {
    List<Step> steps = new ArrayList<>();
    long last = state.offsetIds().last();
    boolean tornOffsets;
    try {
      directory.offsets(last);
      tornOffsets = false;
    } catch (TornFileException e) {
      tornOffsets = true;
    }
    long newestCommit = state.newestCommit().orElse(-1);
    if (!tornOffsets && (newestCommit < 0 || directory.isWholeCommit(newestCommit))) {
      throw new TornFileException(state.torn().orElse("an older file") + ", of the batch before");
    }
    if (tornOffsets && state.offsetIds().size() == 1 && last > 0) {
      throw new TornFileException("offsets/%d is the only one and can't be read".formatted(last));
    }
    if (tornOffsets) {
      steps.add(
          new Step(
              "delete offsets/" + last,
              "it can't be read; the next run begins at the batch before it",
              () -> directory.delete("offsets", last)));
      for (long id : state.commitIds().tailSet(last, true)) {
        steps.add(
            new Step(
                "delete commits/" + id,
                "its offsets are gone",
                () -> directory.delete("commits", id)));
      }
    } else {
      steps.add(
          new Step(
              "delete commits/" + newestCommit,
              "it can't be read; the next run does the batch again",
              () -> directory.delete("commits", newestCommit)));
    }
    return steps;
  }

  /**
   * One change.
   *
   * @param what in words
   * @param why why it is safe
   * @param work does it
   */
  public record Step(String what, String why, Work work) {}

  /** A change to storage. */
  public interface Work {
    void run() throws IOException;
  }
}
