package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Secrets in Spark conf that Spark would show: its UI and event log blot out what {@code
 * spark.redaction.regex} finds in a setting's name or value, and print the rest.
 */
public final class ExposedSecrets {
  private static final String REGEX = "spark.redaction.regex";
  private static final String KAFKA = ConfigKey.KAFKA_PREFIX;

  /** Spark's default of {@code spark.redaction.regex}. */
  public static final String SPARKS = "(?i)secret|password|token|access[.]?key";

  /** Spark's default, and our own settings that it does not find. */
  public static final String COVERING =
      SPARKS
          + "|[.]basic-auth|[.]ssl[.]keystore[.](key|location)|[.]sasl[.]jaas|[.]connection-string";

  private ExposedSecrets() {}

  /** A warning for each, naming the setting. */
  public static List<String> in(Map<String, String> conf, Collection<ConfigKey<?>> keys) {
    Pattern redacted = pattern(conf.getOrDefault(REGEX, SPARKS));
    List<String> warnings = new ArrayList<>();
    new TreeMap<>(conf)
        .forEach(
            (name, value) -> {
              if ((isSecret(name, keys) || (name.startsWith(KAFKA) && value.startsWith("data:")))
                  && !value.contains("${")
                  && !redacted.matcher(name).find()
                  && !redacted.matcher(value).find()) {
                warnings.add(
                    "%s stands in Spark conf as it is, and Spark's UI and event log show it: write ${env:NAME} or ${file:path}, or extend %s"
                        .formatted(name, REGEX));
              }
            });
    return warnings;
  }

  private static boolean isSecret(String name, Collection<ConfigKey<?>> keys) {
    return name.startsWith(KAFKA)
        ? KafkaSettings.isSecret(name.substring(KAFKA.length()))
        : keys.stream().anyMatch(key -> key.name().equals(name) && key.isSecret());
  }

  private static Pattern pattern(String regex) {
    try {
      return Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      return Pattern.compile(SPARKS); // Spark itself will not start with it
    }
  }
}
