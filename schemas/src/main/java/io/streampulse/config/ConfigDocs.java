package io.streampulse.config;

import java.util.Collection;

/** Writes the table of settings for {@code docs/configuration.md}. */
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
              .formatted(key.name(), key.type().label(), fallback, key.doc(), rule)
              .replace("\r\n", "\n"));
    }
    return table.toString();
  }

  private static String code(String text) {
    return "`" + text + "`";
  }
}
