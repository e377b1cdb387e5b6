package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import io.streampulse.config.SharedKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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
  private static final String KAFKA = ConfigKey.KAFKA_PREFIX;
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
      checkNames();
      Optional<EventHubsConnectionString> eventHubs =
          reader.find(ConnectionKeys.EVENT_HUBS).flatMap(this::parse);
      String topic = topic(eventHubs);
      Map<String, String> settings = new HashMap<>();
      eventHubs.ifPresent(found -> add(settings, found));
      String servers = given.getOrDefault(SERVERS, settings.getOrDefault(SERVERS, ""));
      checkServers(servers);
      addLogin(settings, eventHubs.isPresent(), servers);
      addGiven(settings);
      checkJaas(settings);
      new KafkasOAuth(reader, client).translate(settings);
      addProtocol(settings);
      TlsStores.complete(settings, reader);
      boolean isEventHubs =
          eventHubs.isPresent()
              || BootstrapServers.hosts(servers).stream().anyMatch(BootstrapServers::isEventHubs);
      if (isEventHubs) {
        EVENT_HUBS.forEach(settings::putIfAbsent);
      }
      KafkaSettings kafka = new KafkaSettings(client.fit(settings), isEventHubs);
      warnings.addAll(Safety.check(kafka, reader.value(ConnectionKeys.ALLOW_PLAINTEXT), reader));
      return new Connection(topic, kafka, warnings);
    }

    /** Spark takes the names of its Kafka source's options in any case; our checks do not. */
    private void checkNames() {
      given.keySet().stream()
          .filter(name -> !name.equals(name.toLowerCase(Locale.ROOT)))
          .forEach(
              name ->
                  reader.problem(
                      "%s%s: Kafka's settings are written in lower case".formatted(KAFKA, name)));
    }

    /** What was pasted in the wrong place may be a secret, so it is not shown. */
    private void checkServers(String servers) {
      if (servers.isBlank()) {
        reader.problem(
            "%s%s is required: the brokers to connect to, host:port, separated by commas; or give %s"
                .formatted(KAFKA, SERVERS, ConnectionKeys.EVENT_HUBS.name()));
      } else if (!BootstrapServers.areAddresses(servers)) {
        reader.problem(
            "%s%s is not a list of host:port, separated by commas; an Event Hubs connection string belongs in %s"
                .formatted(KAFKA, SERVERS, ConnectionKeys.EVENT_HUBS.name()));
      }
    }

    private void checkJaas(Map<String, String> settings) {
      if (client.isRelocated()
          && settings.containsKey(JAAS)
          && JaasLine.parse(settings.get(JAAS)).isEmpty()) {
        reader.problem(
            "%s%s can't be read: write one CLASS required username=\"...\" password=\"...\"; with the semicolon"
                .formatted(KAFKA, JAAS));
      }
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
      if (settings.containsKey(JAAS) && !given.containsKey(JAAS)) {
        checkUsed(settings.get(MECHANISM));
      }
      for (String name : List.of(SERVERS, PROTOCOL, JAAS)) {
        if (settings.containsKey(name)
            && given.containsKey(name)
            && !given.get(name).equals(settings.get(name))) {
          warnings.add(
              "%s%s wins over what %s"
                  .formatted(
                      KAFKA,
                      name,
                      reader.isGiven(ConnectionKeys.EVENT_HUBS)
                          ? ConnectionKeys.EVENT_HUBS.name() + " says"
                          : "the login's settings say"));
        }
      }
      if (given.containsKey(JAAS)) {
        settings.remove(MECHANISM); // it was for another line
        mechanism(given.get(JAAS)).ifPresent(found -> settings.put(MECHANISM, found));
        if (given.get(JAAS).contains(".ScramLoginModule") && !given.containsKey(MECHANISM)) {
          reader.problem(
              "%s%s is required with a SCRAM login: write SCRAM-SHA-256 or SCRAM-SHA-512"
                  .formatted(KAFKA, MECHANISM));
        }
      }
      settings.putAll(given);
    }

    /** A login that the rest of the settings would leave out. */
    private void checkUsed(String mechanism) {
      String protocol = given.getOrDefault(PROTOCOL, "SASL_SSL");
      if (!protocol.toUpperCase(Locale.ROOT).startsWith("SASL_")) {
        reader.problem(
            "%s%s = \"%s\" makes no use of the login that is set: write SASL_SSL, or remove one"
                .formatted(KAFKA, PROTOCOL, protocol));
      }
      String wanted = given.getOrDefault(MECHANISM, mechanism);
      if (!wanted.equals(mechanism)) {
        reader.problem(
            "%s%s = \"%s\" can't be used with a login for %s: remove it, or give %s%s too"
                .formatted(KAFKA, MECHANISM, wanted, mechanism, KAFKA, JAAS));
      }
    }

    /** Where the login module leaves no choice; Kafka's own default is GSSAPI. */
    private static Optional<String> mechanism(String jaas) {
      String module = JaasLine.parse(jaas).map(JaasLine::loginModule).orElse("");
      return module.endsWith(".PlainLoginModule")
          ? Optional.of("PLAIN")
          : module.endsWith(".OAuthBearerLoginModule")
              ? Optional.of("OAUTHBEARER")
              : Optional.empty();
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
