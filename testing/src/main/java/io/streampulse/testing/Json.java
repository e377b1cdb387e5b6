package io.streampulse.testing;

import java.util.Map;
import java.util.stream.Collectors;

/** As much JSON as the token server writes: objects of texts and numbers. Thread-safe. */
final class Json {
  private Json() {}

  /**
   * An object.
   *
   * @param members a number is written as it is, all else as its text
   */
  static String object(Map<String, Object> members) {
    return members.entrySet().stream()
        .map(member -> text(member.getKey()) + ":" + value(member.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String value(Object value) {
    return value instanceof Number ? value.toString() : text(value.toString());
  }

  private static String text(String text) {
    return text.chars().mapToObj(Json::escaped).collect(Collectors.joining("", "\"", "\""));
  }

  private static String escaped(int c) {
    if (c < ' ') {
      return "\\u%04x".formatted(c);
    }
    return (c == '"' || c == '\\' ? "\\" : "") + (char) c;
  }
}
