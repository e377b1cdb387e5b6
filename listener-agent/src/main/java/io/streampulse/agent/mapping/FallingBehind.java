package io.streampulse.agent.mapping;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * The rule for a query that does not keep up: rows arrive, and Spark processes them slower than
 * they arrive. One such batch is jitter, so it counts how many there were in a row, for each run.
 *
 * <p>Not thread-safe.
 */
final class FallingBehind {
  private static final long QUIET_MILLIS = Duration.ofMinutes(1).toMillis();

  private final Map<String, Integer> streaks = new HashMap<>();
  private final Map<String, Long> warnedAt = new HashMap<>();

  /** {@code inputRowsPerSecond > 0 && processedRowsPerSecond < inputRowsPerSecond}. */
  static boolean test(double inputRowsPerSecond, double processedRowsPerSecond) {
    return inputRowsPerSecond > 0 && processedRowsPerSecond < inputRowsPerSecond;
  }

  /** Counts a batch of a run; the answer is how many in a row fell behind, this one included. */
  int streakAfter(String runId, boolean fallingBehind) {
    int streak = fallingBehind ? streaks.getOrDefault(runId, 0) + 1 : 0;
    streaks.put(runId, streak);
    return streak;
  }

  /** Whether to warn of a run now: once a minute, however short its batches are. */
  boolean mayWarn(String runId, long nowMillis) {
    Long before = warnedAt.get(runId);
    if (before != null && nowMillis >= before && nowMillis - before < QUIET_MILLIS) {
      return false;
    }
    warnedAt.put(runId, nowMillis);
    return true;
  }

  /** The run has ended. */
  void forget(String runId) {
    streaks.remove(runId);
    warnedAt.remove(runId);
  }
}
