package io.streampulse.testing;

import io.streampulse.config.ConfigKey;
import java.util.Collection;

/** Writes what in the documentation is made from code, such as the table of settings. */
public final class ConfigDocs {
  private ConfigDocs() {}

  /** A Markdown table, one row a key, in the given order. */
  public static String table(Collection<ConfigKey<?>> keys) {
    StringBuilder table =
        new StringBuilder("| key | type | default | meaning |\n| --- | --- | --- | --- |\n");
    for (ConfigKey<?> key : keys) {
      String fallback =
          key.required() ? "required" : key.defaultText().map(ConfigDocs::code).orElse("none");
      String rule = key.rule().isEmpty() ? "" : " (" + key.rule() + ")";
      table.append(
          "| `%s` | %s | %s | %s%s |%n"
              .formatted(
                  key.name(), key.type().label().replace("|", "\\|"), fallback, key.doc(), rule)
              .replace("\r\n", "\n"));
    }
    return table.toString();
  }

  /**
   * A document with the table in its place.
   *
   * @throws IllegalArgumentException if the document has no such place
   */
  public static String withTable(String document, String place, Collection<ConfigKey<?>> keys) {
    return withText(document, place, table(keys));
  }

  /**
   * A document with whole lines in their place, between {@code <!-- NAME:begin -->} and {@code <!--
   * NAME:end -->}.
   *
   * @throws IllegalArgumentException if the document has no such place
   */
  public static String withText(String document, String place, String lines) {
    String begin = "<!-- " + place + ":begin -->";
    String end = "<!-- " + place + ":end -->";
    int from = document.indexOf(begin);
    int to = document.indexOf(end);
    if (from < 0 || to < from) {
      throw new IllegalArgumentException("No place " + begin + " ... " + end + " in the document");
    }
    return document.substring(0, from + begin.length())
        + "\n\n"
        + lines
        + "\n"
        + document.substring(to);
  }

  private static String code(String text) {
    return "`" + text + "`";
  }
}
