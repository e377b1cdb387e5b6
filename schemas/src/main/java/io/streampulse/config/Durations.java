package io.streampulse.config;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them in settings: a whole number and a unit, {@code 10s}. */
public final class Durations {
  private static final Pattern PATTERN = Pattern.compile("(\\d{1,15})\\s*([a-z]+)");

  /** A hundred years: in nanoseconds it still is a long. */
  private static final Duration LONGEST = Duration.ofDays(36_525);

  private Durations() {}

  /**
   * The duration a text stands for.
   *
   * @throws IllegalArgumentException if it is none, or of more than a hundred years
   */
  public static Duration parse(String text) {
    Matcher matcher = PATTERN.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration");
    }
    long amount = Long.parseLong(matcher.group(1));
    Duration duration;
    try {
      duration =
          switch (matcher.group(2)) {
            case "ms", "millis", "milliseconds" -> Duration.ofMillis(amount);
            case "s", "sec", "second", "seconds" -> Duration.ofSeconds(amount);
            case "m", "min", "minute", "minutes" -> Duration.ofMinutes(amount);
            case "h", "hour", "hours" -> Duration.ofHours(amount);
            case "d", "day", "days" -> Duration.ofDays(amount);
            default -> throw new IllegalArgumentException("not a duration");
          };
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("too long", e);
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("too long");
    }
    return duration;
  }

  /** The shortest text that {@link #parse} reads back as the duration, to the millisecond. */
  public static String text(Duration duration) {
    long millis = duration.toMillis();
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds == 0 || seconds % 60 != 0) {
      return seconds + "s";
    }
    return seconds % 3600 == 0 ? seconds / 3600 + "h" : seconds / 60 + "min";
  }
}
