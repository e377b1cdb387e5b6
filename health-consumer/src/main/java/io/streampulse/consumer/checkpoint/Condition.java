package io.streampulse.consumer.checkpoint;

/** What the two logs of a checkpoint say together. L is the newest id in offsets, K in commits. */
public enum Condition {
  NEW("", "no batch yet: a new query", true, true),
  CLEAN("", "batch L is committed: the next run begins with batch L+1", true, true),
  REPLAY(
      "",
      "batch L was begun and not committed: the next run does it again; rows that are in the table"
          + " already are not appended again",
      true,
      true),
  GAP_COMMITTED(
      "A",
      "offsets has a gap before L, as async progress tracking leaves it; L is committed. Sync"
          + " progress tracking can't start from here",
      true,
      false),
  GAP_NOT_COMMITTED(
      "B",
      "offsets has a gap before L, as async progress tracking leaves it; L is not committed. Sync"
          + " progress tracking can't start from here",
      true,
      false),
  COMMITS_AHEAD(
      "D",
      "commits has ids above L, on which Spark alone would fail with CONCURRENT_STREAM_LOG_UPDATE: the"
          + " consumer removes them at its start",
      false,
      false),
  ONE_NOT_COMMITTED(
      "E",
      "offsets has one file only and it is not committed: the next run would read the topic from"
          + " its beginning",
      false,
      false),
  TORN("F", "the newest file is empty or cut: Spark can't read it", false, false);

  private final String letter;
  private final String words;
  private final boolean asyncCanStart;
  private final boolean syncCanStart;

  Condition(String letter, String words, boolean asyncCanStart, boolean syncCanStart) {
    this.letter = letter;
    this.words = words;
    this.asyncCanStart = asyncCanStart;
    this.syncCanStart = syncCanStart;
  }

  /** The letter by which a repair is asked for; empty where there is nothing to repair. */
  public String letter() {
    return letter;
  }

  /** The condition in a sentence. */
  public String words() {
    return words;
  }

  /** Whether a run with this kind of progress tracking can start from it as it is. */
  public boolean canStart(boolean async) {
    return async ? asyncCanStart : syncCanStart;
  }
}
