package io.streampulse.agent.publish;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before trying again: twice as long after each failure in a row, up to a limit,
 * and a random part, so that a thousand agents do not come back to a broker at once.
 *
 * <p>Thread-safe.
 */
final class BackOff {
  private static final int MOST_DOUBLINGS = 20;

  private final Clock clock;
  private final Duration first;
  private final Duration longest;
  private int failures;
  private long notBefore;

  BackOff(Clock clock, Duration first, Duration longest) {
    this.clock = clock;
    this.first = first;
    this.longest = longest;
  }

  /** Whether the wait is over. */
  synchronized boolean isOver() {
    long left = notBefore - clock.millis();
    return left <= 0 || left > longest.toMillis(); // the clock was set back
  }

  /** It has failed: waits from now, longer than the last time. Failures during a wait are one. */
  synchronized void failed() {
    if (!isOver()) {
      return;
    }
    long wait =
        Math.min(longest.toMillis(), first.toMillis() << Math.min(failures, MOST_DOUBLINGS));
    failures++;
    notBefore = clock.millis() + wait / 2 + ThreadLocalRandom.current().nextLong(wait / 2 + 1);
  }

  /** It has worked: the next failure is a first one. */
  synchronized void worked() {
    failures = 0;
    notBefore = 0;
  }
}
