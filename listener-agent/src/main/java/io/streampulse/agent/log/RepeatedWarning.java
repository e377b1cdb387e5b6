package io.streampulse.agent.log;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/**
 * Warnings that may repeat: each text is logged at once the first time, then at most once a minute
 * with the number of times it was held back. Texts that differ in numbers only are one.
 *
 * <p>Thread-safe.
 */
public final class RepeatedWarning {
  private static final long QUIET_MILLIS = Duration.ofMinutes(1).toMillis();
  private static final int MOST_TEXTS = 100;
  private static final Pattern NUMBER = Pattern.compile("\\d+");

  private final Logger log;
  private final Clock clock;
  private final Map<String, Repeats> repeats = new HashMap<>();

  public RepeatedWarning(Logger log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  /** Logs the text, or counts it. What the logger throws ends here. */
  public void warn(String text) {
    String key = NUMBER.matcher(text).replaceAll("0");
    long heldBack;
    synchronized (this) {
      if (repeats.size() >= MOST_TEXTS && !repeats.containsKey(key)) {
        repeats.clear();
      }
      Repeats before = repeats.get(key);
      long now = clock.millis();
      // The clock may have been set back.
      if (before != null && now >= before.loggedAt && now - before.loggedAt < QUIET_MILLIS) {
        before.heldBack++;
        return;
      }
      heldBack = before == null ? 0 : before.heldBack;
      repeats.put(key, new Repeats(now));
    }
    try {
      if (heldBack == 0) {
        log.warn("{}", text);
      } else {
        log.warn("{} ({} more times since it was last said)", text, heldBack);
      }
    } catch (RuntimeException e) { // as an appender whose disk is full: there is no one to tell
      return;
    }
  }

  private static final class Repeats {
    private final long loggedAt;
    private long heldBack;

    private Repeats(long loggedAt) {
      this.loggedAt = loggedAt;
    }
  }
}
