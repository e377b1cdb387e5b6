package io.streampulse.consumer.checkpoint;

import io.streampulse.consumer.checkpoint.OffsetFile.TornFileException;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a checkpoint's files say.
 *
 * @param queryId Spark's id of the query
 * @param offsetIds ids in {@code offsets}
 * @param commitIds ids in {@code commits}
 * @param condition both together
 * @param torn what is wrong with a file that can't be read
 * @param topics the topics of the newest offsets
 * @param start where the next run begins to read, next offset by topic and partition
 */
public record CheckpointState(
    Optional<String> queryId,
    NavigableSet<Long> offsetIds,
    NavigableSet<Long> commitIds,
    Condition condition,
    Optional<String> torn,
    Set<String> topics,
    Map<String, Map<Integer, Long>> start) {

  /** Reads a checkpoint. */
  public static CheckpointState of(CheckpointDirectory directory) {
    NavigableSet<Long> offsets = directory.offsetIds();
    NavigableSet<Long> commits = directory.commitIds();
    Optional<String> queryId = directory.queryId();
    if (offsets.isEmpty()) {
      return new CheckpointState(
          queryId,
          offsets,
          commits,
          commits.isEmpty() ? Condition.NEW : Condition.COMMITS_AHEAD,
          Optional.empty(),
          Set.of(),
          Map.of());
    }
    long last = offsets.last();
    try {
      Map<String, Map<Integer, Long>> newest = directory.offsets(last).topics();
      if (!commits.isEmpty() && !directory.isWholeCommit(commits.last())) {
        throw new TornFileException("commits/%d is empty or cut".formatted(commits.last()));
      }
      boolean committed = !commits.isEmpty() && commits.last() >= last;
      return new CheckpointState(
          queryId,
          offsets,
          commits,
          condition(offsets, commits),
          Optional.empty(),
          newest.keySet(),
          committed ? newest : previous(directory, offsets, newest.keySet()));
    } catch (TornFileException e) {
      return new CheckpointState(
          queryId,
          offsets,
          commits,
          Condition.TORN,
          Optional.of(e.getMessage()),
          Set.of(),
          Map.of());
    }
  }

  public OptionalLong newestOffsets() {
    return newest(offsetIds);
  }

  public OptionalLong newestCommit() {
    return newest(commitIds);
  }

  /** Ids that {@code offsets} lacks between its lowest and its highest. */
  public NavigableSet<Long> missing() {
    NavigableSet<Long> missing = new TreeSet<>();
    if (!offsetIds.isEmpty()) {
      for (long id = offsetIds.first(); id < offsetIds.last(); id++) {
        if (!offsetIds.contains(id)) {
          missing.add(id);
        }
      }
    }
    return missing;
  }

  private static Condition condition(NavigableSet<Long> offsets, NavigableSet<Long> commits) {
    long last = offsets.last();
    long committed = commits.isEmpty() ? -1 : commits.last();
    if (committed > last) {
      return Condition.COMMITS_AHEAD;
    }
    if (last == 0 || offsets.contains(last - 1)) {
      return committed == last ? Condition.CLEAN : Condition.REPLAY;
    }
    if (committed == last) {
      return Condition.GAP_COMMITTED;
    }
    return offsets.size() == 1 ? Condition.ONE_NOT_COMMITTED : Condition.GAP_NOT_COMMITTED;
  }

  private static Map<String, Map<Integer, Long>> previous(
      CheckpointDirectory directory, NavigableSet<Long> offsets, Set<String> topics)
      throws TornFileException {
    Long previous = offsets.lower(offsets.last());
    if (previous != null) {
      return directory.offsets(previous).topics();
    }
    Map<String, Map<Integer, Long>> initial = new TreeMap<>();
    topics.forEach(topic -> initial.put(topic, directory.initialOffsets(topic)));
    return initial;
  }

  private static OptionalLong newest(NavigableSet<Long> ids) {
    return ids.isEmpty() ? OptionalLong.empty() : OptionalLong.of(ids.last());
  }
}
