package io.streampulse.config;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One setting: its name in Spark conf, its type, its default, what values it takes, and one
 * sentence of documentation. Every setting of the product is a constant of this type; {@link
 * ConfigReader} reads it.
 *
 * <p>Immutable.
 *
 * <pre>{@code
 * static final ConfigKey<Duration> FLUSH_INTERVAL =
 *     ConfigKey.duration("spark.streampulse.agent.flush-interval")
 *         .withDefault("10s")
 *         .check("must be at least 100ms", d -> d.toMillis() >= 100)
 *         .doc("How often buffered records are published.");
 * }</pre>
 *
 * @param name full name in Spark conf
 * @param type how the text becomes a value
 * @param defaultText the default as a user would write it; empty where there is none
 * @param required whether a value must be given
 * @param check what values are allowed
 * @param rule the check in words, for the message ("must be ..."); empty where all are allowed
 * @param doc one sentence for {@code docs/configuration.md}
 */
public record ConfigKey<T>(
    String name,
    ConfigType<T> type,
    Optional<String> defaultText,
    boolean required,
    Predicate<T> check,
    String rule,
    String doc) {

  /** The prefix of all settings. */
  public static final String PREFIX = "spark.streampulse.";

  /** Below it, the Kafka client's own settings. */
  public static final String KAFKA_PREFIX = PREFIX + "kafka.";

  public ConfigKey {
    Objects.requireNonNull(type);
    Objects.requireNonNull(check);
    if (!name.startsWith(PREFIX)) {
      throw new IllegalArgumentException(name + " does not begin with " + PREFIX);
    }
  }

  public static ConfigKey<String> string(String name) {
    return of(name, ConfigType.STRING);
  }

  /** A setting that is never printed. */
  public static ConfigKey<Secret> secret(String name) {
    return of(name, ConfigType.SECRET);
  }

  public static ConfigKey<Integer> integer(String name) {
    return of(name, ConfigType.INTEGER);
  }

  public static ConfigKey<Long> longInteger(String name) {
    return of(name, ConfigType.LONG);
  }

  public static ConfigKey<Boolean> bool(String name) {
    return of(name, ConfigType.BOOLEAN);
  }

  public static ConfigKey<Duration> duration(String name) {
    return of(name, ConfigType.DURATION);
  }

  /** A setting that takes one of the given words. */
  public static ConfigKey<String> oneOf(String name, List<String> words) {
    return of(name, ConfigType.oneOf(words));
  }

  /** Whether its value must never be printed. */
  public boolean isSecret() {
    return type.equals(ConfigType.SECRET);
  }

  public ConfigKey<T> withDefault(String text) {
    return new ConfigKey<>(name, type, Optional.of(text), required, check, rule, doc);
  }

  public ConfigKey<T> mustBeGiven() {
    return new ConfigKey<>(name, type, defaultText, true, check, rule, doc);
  }

  /** Allows only values that pass; the rule completes the sentence "NAME ...". */
  public ConfigKey<T> check(String newRule, Predicate<T> newCheck) {
    return new ConfigKey<>(name, type, defaultText, required, newCheck, newRule, doc);
  }

  public ConfigKey<T> doc(String sentence) {
    return new ConfigKey<>(name, type, defaultText, required, check, rule, sentence);
  }

  /** A setting of a type of its own. */
  public static <T> ConfigKey<T> of(String name, ConfigType<T> type) {
    return new ConfigKey<>(name, type, Optional.empty(), false, v -> true, "", "");
  }
}
