package io.streampulse.connection;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Kafka client's settings, secrets among them: never printed whole, and able to blot its secrets
 * out of what others print. Immutable.
 */
public final class KafkaSettings {
  /** None. */
  public static final KafkaSettings NONE = new KafkaSettings(Map.of());

  private static final Pattern SECRET_NAME =
      Pattern.compile(
          "(?i).*(password|passphrase|secret|token$|jaas\\.config|ssl\\.keystore\\.key).*");

  /** Shorter ones stand in any text by chance. */
  private static final int SHORTEST_SECRET = 4;

  private final Map<String, String> settings;
  private final boolean eventHubs;

  /** Settings by the names that Kafka gives them. */
  public KafkaSettings(Map<String, String> settings) {
    this(settings, false);
  }

  /**
   * Settings by the names that Kafka gives them.
   *
   * @param eventHubs whether it is Event Hubs that is at the other end
   */
  KafkaSettings(Map<String, String> settings, boolean eventHubs) {
    this.settings = Collections.unmodifiableMap(new TreeMap<>(settings));
    this.eventHubs = eventHubs;
  }

  /** By the names that Kafka gives them. */
  public Map<String, String> asMap() {
    return settings;
  }

  /** Where the brokers are. */
  public String bootstrapServers() {
    return settings.getOrDefault("bootstrap.servers", "");
  }

  /** Kafka's own default where none is given. */
  public String securityProtocol() {
    return settings.getOrDefault("security.protocol", "PLAINTEXT").toUpperCase(Locale.ROOT);
  }

  /** Whether it is Event Hubs that is at the other end. */
  public boolean isEventHubs() {
    return eventHubs;
  }

  /** The text with stars where it has one of the secrets. */
  public String blotted(String text) {
    String blotted = text;
    for (String secret : secrets().toList()) {
      blotted = blotted.replace(secret, "***");
    }
    return blotted;
  }

  /** Whether a setting's value may be a secret. */
  static boolean isSecret(String name) {
    return SECRET_NAME.matcher(name).matches();
  }

  /** Names of all, values of those that tell where the connection goes. */
  @Override
  public String toString() {
    return "%s over %s with %s"
        .formatted(bootstrapServers(), securityProtocol(), settings.keySet());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KafkaSettings that && settings.equals(that.settings);
  }

  @Override
  public int hashCode() {
    return settings.hashCode();
  }

  /** The longest first: one may be a part of another. */
  private Stream<String> secrets() {
    return settings.entrySet().stream()
        .filter(setting -> isSecret(setting.getKey()))
        .flatMap(setting -> secrets(setting.getValue()))
        .filter(secret -> secret.length() >= SHORTEST_SECRET)
        .sorted((a, b) -> Integer.compare(b.length(), a.length()));
  }

  private static Stream<String> secrets(String value) {
    Optional<JaasLine> jaas = JaasLine.parse(value);
    List<String> options =
        jaas.map(
                line ->
                    line.options().entrySet().stream()
                        .filter(option -> isSecret(option.getKey()))
                        .map(Map.Entry::getValue)
                        .toList())
            .orElse(List.of());
    return Stream.concat(Stream.of(value), options.stream());
  }
}
