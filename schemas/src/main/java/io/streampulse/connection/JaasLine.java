package io.streampulse.connection;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line of Kafka's {@code sasl.jaas.config}: {@code CLASS required name="value" …;}.
 *
 * @param loginModule name of the class
 * @param options what it is given
 */
record JaasLine(String loginModule, Map<String, String> options) {
  private static final Pattern LINE =
      Pattern.compile(
          "\\s*(\\S+)\\s+(required|requisite|sufficient|optional)\\b(.*);\\s*",
          Pattern.DOTALL | Pattern.CASE_INSENSITIVE);
  private static final Pattern OPTION =
      Pattern.compile(
          "([\\w.-]+)\\s*=\\s*(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|([^\\s;\"]+))", Pattern.DOTALL);

  JaasLine {
    options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /** Reads a line; empty where it is none. */
  static Optional<JaasLine> parse(String text) {
    Matcher line = LINE.matcher(text);
    if (!line.matches()) {
      return Optional.empty();
    }
    Map<String, String> options = new LinkedHashMap<>();
    Matcher option = OPTION.matcher(line.group(3));
    while (option.find()) {
      options.put(
          option.group(1), option.group(2) == null ? option.group(3) : unescaped(option.group(2)));
    }
    return Optional.of(new JaasLine(line.group(1), options));
  }

  /** The text that Kafka's client reads as this line. */
  String text() {
    StringBuilder text = new StringBuilder(loginModule).append(" required");
    options.forEach(
        (name, value) ->
            text.append(' ').append(name).append("=\"").append(escaped(value)).append('"'));
    return text.append(';').toString();
  }

  JaasLine withLoginModule(String name) {
    return new JaasLine(name, options);
  }

  @Override
  public String toString() {
    return loginModule + " required ***;";
  }

  private static String escaped(String value) {
    return value
        .replace("\\", "\\\\")
        .replace("\"", "\\\"")
        .replace("\r", "\\r")
        .replace("\n", "\\n");
  }

  private static String unescaped(String value) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\' && i + 1 < value.length()) {
        i++;
        c =
            switch (value.charAt(i)) {
              case 'n' -> '\n';
              case 'r' -> '\r';
              case 't' -> '\t';
              default -> value.charAt(i);
            };
      }
      text.append(c);
    }
    return text.toString();
  }
}
