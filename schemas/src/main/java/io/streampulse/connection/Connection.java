package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import io.streampulse.config.SharedKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The way to the topic, out of all that a user may say about it: an Event Hubs connection string, a
 * login, the Kafka client's own settings. What is said of {@code spark.streampulse.kafka.*} wins,
 * and where it says otherwise than the rest there is a warning.
 *
 * <p>Immutable.
 *
 * @param topic topic or event hub
 * @param kafka what the Kafka client is told
 * @param warnings sentences to be said at each start: settings that contradict or give away
 */
public record Connection(String topic, KafkaSettings kafka, List<String> warnings) {
  private static final String KAFKA = ConfigKey.PREFIX + "kafka.";
  private static final String MECHANISM = "sasl.mechanism";
  private static final String JAAS = "sasl.jaas.config";
  private static final String PROTOCOL = "security.protocol";
  private static final String SERVERS = "bootstrap.servers";

  /** What Microsoft recommends for Event Hubs, of producers and consumers alike. */
  private static final Map<String, String> EVENT_HUBS =
      Map.of(
          "metadata.max.age.ms", "180000",
          "connections.max.idle.ms", "180000", // Azure drops idle connections at 240 s
          "request.timeout.ms", "60000",
          "enable.metrics.push", "false");

  public Connection {
    warnings = List.copyOf(warnings);
  }

  /**
   * Reads Spark conf. Problems stay with the reader; what is returned is of use only where there
   * are none.
   *
   * @param client the Kafka client whose settings they will be
   */
  public static Connection read(ConfigReader reader, KafkaClient client) {
    return new Reading(reader, client).read();
  }

  /** One reading. */
  private static final class Reading {
    private final ConfigReader reader;
    private final KafkaClient client;
    private final List<String> warnings = new ArrayList<>();
    private final Map<String, String> given;

    Reading(ConfigReader reader, KafkaClient client) {
      this.reader = reader;
      this.client = client;
      this.given = reader.below(KAFKA);
    }

    Connection read() {
      Optional<EventHubsConnectionString> eventHubs =
          reader.find(ConnectionKeys.EVENT_HUBS).flatMap(this::parse);
      String topic = topic(eventHubs);
      Map<String, String> settings = new HashMap<>();
      eventHubs.ifPresent(found -> add(settings, found));
      String servers = given.getOrDefault(SERVERS, settings.getOrDefault(SERVERS, ""));
      addLogin(settings, eventHubs.isPresent(), servers);
      addGiven(settings);
      if (servers.isEmpty()) {
        reader.problem(
            "%s%s is required: the brokers to connect to, host:port, separated by commas; or give %s"
                .formatted(KAFKA, SERVERS, ConnectionKeys.EVENT_HUBS.name()));
      }
      new KafkasOAuth(reader, client).translate(settings);
      addProtocol(settings);
      TlsStores.complete(settings);
      if (new KafkaSettings(settings).isEventHubs()) {
        EVENT_HUBS.forEach(settings::putIfAbsent);
      }
      KafkaSettings kafka = new KafkaSettings(client.fit(settings), eventHubs.isPresent());
      warnings.addAll(Safety.check(kafka, reader.value(ConnectionKeys.ALLOW_PLAINTEXT), reader));
      return new Connection(topic, kafka, warnings);
    }

    private Optional<EventHubsConnectionString> parse(Secret text) {
      try {
        return Optional.of(EventHubsConnectionString.parse(text.value()));
      } catch (IllegalArgumentException e) {
        reader.problem(
            "%s %s: copy it whole from the namespace's or event hub's shared access policies"
                .formatted(ConnectionKeys.EVENT_HUBS.name(), e.getMessage()));
        return Optional.empty();
      }
    }

    private String topic(Optional<EventHubsConnectionString> eventHubs) {
      String topic = reader.value(SharedKeys.TOPIC);
      Optional<String> entity = eventHubs.flatMap(EventHubsConnectionString::entityPath);
      if (entity.isEmpty() || entity.get().equals(topic)) {
        return topic;
      }
      if (reader.isGiven(SharedKeys.TOPIC)) {
        reader.problem(
            "%s = \"%s\", and %s is of event hub %s alone: remove the one, or give the namespace's connection string"
                .formatted(
                    SharedKeys.TOPIC.name(),
                    topic,
                    ConnectionKeys.EVENT_HUBS.name(),
                    entity.get()));
      }
      return entity.get();
    }

    private static void add(Map<String, String> settings, EventHubsConnectionString eventHubs) {
      settings.put(SERVERS, eventHubs.bootstrapServers());
      settings.put(PROTOCOL, eventHubs.isEmulator() ? "SASL_PLAINTEXT" : "SASL_SSL");
      settings.put(MECHANISM, "PLAIN");
      settings.put(JAAS, Logins.plain("$ConnectionString", eventHubs.text()).text());
      settings.putAll(EVENT_HUBS);
    }

    private void addLogin(Map<String, String> settings, boolean isEventHubs, String servers) {
      Logins logins = new Logins(reader, given.getOrDefault(MECHANISM, "PLAIN"), servers);
      Optional<Logins.Login> login = logins.read();
      if (login.isEmpty()) {
        return;
      }
      if (isEventHubs) {
        reader.problem(
            "%s and %s are both logins: give one; with the second, name the brokers by %s%s"
                .formatted(ConnectionKeys.EVENT_HUBS.name(), login.get().key(), KAFKA, SERVERS));
      }
      settings.put(MECHANISM, login.get().mechanism());
      settings.put(JAAS, login.get().jaas().text());
    }

    /** The user's own settings, over all that was derived. */
    private void addGiven(Map<String, String> settings) {
      for (String name : List.of(SERVERS, PROTOCOL, MECHANISM, JAAS)) {
        String derived = settings.get(name);
        if (derived != null && given.containsKey(name) && !given.get(name).equals(derived)) {
          if (name.equals(MECHANISM) && !given.containsKey(JAAS)) {
            reader.problem(
                "%s%s = \"%s\" can't be used with a login for %s: remove it, or give %s%s too"
                    .formatted(KAFKA, name, given.get(name), derived, KAFKA, JAAS));
          } else {
            warnings.add(
                "%s%s wins over what %s says"
                    .formatted(
                        KAFKA,
                        name,
                        reader.isGiven(ConnectionKeys.EVENT_HUBS)
                            ? ConnectionKeys.EVENT_HUBS.name()
                            : "the login's settings say"));
          }
        }
      }
      settings.putAll(given);
    }

    /** Whoever has a login or a certificate means to use it. */
    private static void addProtocol(Map<String, String> settings) {
      if (settings.containsKey(PROTOCOL)) {
        return;
      }
      if (settings.containsKey(JAAS)) {
        settings.put(PROTOCOL, "SASL_SSL");
      } else if (settings.keySet().stream()
          .anyMatch(n -> n.matches("ssl\\.(key|trust)store\\..*"))) {
        settings.put(PROTOCOL, "SSL");
      }
    }
  }
}
