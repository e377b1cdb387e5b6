package io.streampulse.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * How the text of a setting becomes a value.
 *
 * @param label the type in the reference ("duration")
 * @param example values a user could write, for messages ("10s, 500ms, 2min")
 * @param parser the conversion; throws {@link IllegalArgumentException} for any other text
 */
public record ConfigType<T>(String label, String example, Function<String, T> parser) {
  static final ConfigType<String> STRING = new ConfigType<>("text", "any text", ConfigType::text);
  static final ConfigType<Secret> SECRET =
      new ConfigType<>("secret", "any text", text -> new Secret(text(text)));
  static final ConfigType<Integer> INTEGER =
      new ConfigType<>("integer", "a whole number", Integer::valueOf);
  static final ConfigType<Long> LONG = new ConfigType<>("integer", "a whole number", Long::valueOf);
  static final ConfigType<Boolean> BOOLEAN =
      new ConfigType<>("boolean", "true or false", ConfigType::parseBoolean);
  static final ConfigType<Duration> DURATION =
      new ConfigType<>("duration", "500ms, 10s, 2min or 1h", Durations::parse);

  static ConfigType<String> oneOf(List<String> words) {
    String all = String.join(" or ", words);
    return new ConfigType<>(
        String.join(" | ", words),
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
}
