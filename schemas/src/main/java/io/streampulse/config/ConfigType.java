package io.streampulse.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the text of a setting becomes a value.
 *
 * @param label the type in the reference ("duration")
 * @param example values a user could write, for messages ("10s, 500ms, 2min")
 * @param parser the conversion; throws {@link IllegalArgumentException} for any other text
 */
public record ConfigType<T>(String label, String example, Function<String, T> parser) {
  private static final Pattern DURATION_PATTERN = Pattern.compile("(\\d{1,15})\\s*([a-z]+)");

  static final ConfigType<String> STRING = new ConfigType<>("text", "any text", ConfigType::text);
  static final ConfigType<Integer> INTEGER =
      new ConfigType<>("integer", "a whole number", Integer::valueOf);
  static final ConfigType<Long> LONG = new ConfigType<>("integer", "a whole number", Long::valueOf);
  static final ConfigType<Boolean> BOOLEAN =
      new ConfigType<>("boolean", "true or false", ConfigType::parseBoolean);
  static final ConfigType<Duration> DURATION =
      new ConfigType<>("duration", "500ms, 10s, 2min or 1h", ConfigType::parseDuration);

  static ConfigType<String> oneOf(List<String> words) {
    String all = String.join(" or ", words);
    return new ConfigType<>(
        String.join(" \\| ", words),
        all,
        text -> {
          if (!words.contains(text)) {
            throw new IllegalArgumentException("not one of " + all);
          }
          return text;
        });
  }

  /** The value of a text without its surrounding white space. */
  public T parse(String value) {
    return parser.apply(value.strip());
  }

  private static String text(String value) {
    if (value.isEmpty()) {
      throw new IllegalArgumentException("empty");
    }
    return value;
  }

  private static boolean parseBoolean(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("not a boolean");
    };
  }

  private static Duration parseDuration(String value) {
    Matcher matcher = DURATION_PATTERN.matcher(value.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration");
    }
    long amount = Long.parseLong(matcher.group(1));
    try {
      return switch (matcher.group(2)) {
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
  }
}
