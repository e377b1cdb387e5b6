package io.streampulse.agent;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.SharedKeys;
import io.streampulse.connection.Connection;
import io.streampulse.connection.ExposedSecrets;
import io.streampulse.connection.KafkaClient;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.registry.RegistryKeys;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.registry.SchemaSubject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The agent's settings, checked. What each means stands with its key in {@link AgentKeys}.
 *
 * @param kafka the Kafka client's settings; empty for the log publisher
 * @param registry the schema registry whose ids messages carry; empty for single-object messages
 * @param warnings what is to be said at the start: settings that the agent does not know, that
 *     contradict each other or that weaken it; it runs all the same
 */
record AgentConfig(
    String topic,
    KafkaSettings kafka,
    boolean toKafka,
    Optional<RegistrySettings> registry,
    SchemaSubject subject,
    Duration flushInterval,
    int bufferCapacity,
    long bufferMaxBytes,
    int recordMaxBytes,
    Duration heartbeatInterval,
    Duration shutdownTimeout,
    int warnAfter,
    Map<String, String> tags,
    List<String> warnings) {

  private static final Set<String> CODECS = Set.of("none", "gzip");

  /** The client's own limit. */
  private static final int MOST_IN_FLIGHT_IDEMPOTENT = 5;

  private static final List<String> MECHANISMS =
      List.of("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI");

  /** Whether the job wants an agent; a value that is no boolean is left to {@link #read}. */
  static boolean enabled(Map<String, String> conf) {
    return new ConfigReader(conf).value(AgentKeys.ENABLED);
  }

  /**
   * Reads Spark conf.
   *
   * @throws ConfigException with all problems together
   */
  static AgentConfig read(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    reader.value(AgentKeys.ENABLED);
    boolean toKafka = "kafka".equals(reader.value(AgentKeys.PUBLISHER));
    Connection connection =
        toKafka
            ? Connection.read(reader, KafkaClient.relocated(ByteArraySerializer.class))
            : new Connection(reader.value(SharedKeys.TOPIC), KafkaSettings.NONE, List.of());
    Map<String, String> kafka = connection.kafka().asMap();
    String codec = kafka.getOrDefault("compression.type", "none");
    if (!CODECS.contains(codec)) {
      reader.problem(
          "spark.streampulse.kafka.compression.type = \"%s\" needs a native library that the agent does not carry: write none or gzip"
              .formatted(codec));
    }
    String mechanism = kafka.getOrDefault("sasl.mechanism", "PLAIN");
    if (!MECHANISMS.contains(mechanism)) {
      // The client itself would only time out.
      reader.problem(
          "spark.streampulse.kafka.sasl.mechanism = \"%s\" is not one the agent's client knows: write one of %s"
              .formatted(mechanism, String.join(", ", MECHANISMS)));
    }
    List<String> warnings = new ArrayList<>(connection.warnings());
    warnings.addAll(weakened(kafka, reader));
    warnings.addAll(ExposedSecrets.in(conf, AgentKeys.ALL));
    warnings.addAll(
        reader.unknown(
            AgentKeys.ALL, List.of(AgentKeys.TAGS_PREFIX, ConfigKey.PREFIX + "consumer.")));
    AgentConfig config =
        new AgentConfig(
            connection.topic(),
            connection.kafka(),
            toKafka,
            RegistryKeys.read(reader),
            SchemaSubject.of(
                connection.topic(),
                reader.value(RegistryKeys.SUBJECT_NAME_STRATEGY),
                reader.value(RegistryKeys.AUTO_REGISTER)),
            reader.value(AgentKeys.FLUSH_INTERVAL),
            reader.value(AgentKeys.BUFFER_CAPACITY),
            reader.value(AgentKeys.BUFFER_MAX_BYTES),
            reader.value(AgentKeys.RECORD_MAX_BYTES),
            reader.value(AgentKeys.HEARTBEAT_INTERVAL),
            reader.value(AgentKeys.SHUTDOWN_TIMEOUT),
            reader.value(AgentKeys.WARN_AFTER),
            reader.below(AgentKeys.TAGS_PREFIX),
            warnings);
    reader.throwIfProblems();
    return config;
  }

  /**
   * Settings by which the producer would lose records, or send them twice, without a word. The
   * client itself refuses those that do not go with idempotence, again and again.
   */
  private static List<String> weakened(Map<String, String> kafka, ConfigReader reader) {
    List<String> warnings = new ArrayList<>();
    boolean idempotent =
        !kafka.getOrDefault("enable.idempotence", "true").equalsIgnoreCase("false");
    String acks = kafka.getOrDefault("acks", "all");
    boolean waitsForAll = acks.equals("all") || acks.equals("-1");
    int inFlight = number(kafka, "max.in.flight.requests.per.connection", 1);
    if (idempotent) {
      if (!waitsForAll) {
        reader.problem(notIdempotent("acks", acks));
      }
      if (number(kafka, "retries", 1) == 0) {
        reader.problem(notIdempotent("retries", "0"));
      }
      if (inFlight > MOST_IN_FLIGHT_IDEMPOTENT) {
        reader.problem(
            notIdempotent("max.in.flight.requests.per.connection", String.valueOf(inFlight)));
      }
    } else {
      if (!waitsForAll) {
        warnings.add(
            "spark.streampulse.kafka.acks = \"%s\": a broker that fails can lose records that count as published. Remove it"
                .formatted(acks));
      }
      warnings.add(
          "spark.streampulse.kafka.enable.idempotence = \"false\": what is sent again may be in the"
              + " topic twice. Remove it");
    }
    if (inFlight > 1) {
      warnings.add(
          "spark.streampulse.kafka.max.in.flight.requests.per.connection = \"%d\": after a broker's failure records may be in the topic twice. Remove it"
              .formatted(inFlight));
    }
    return warnings;
  }

  private static String notIdempotent(String name, String value) {
    return "spark.streampulse.kafka.%s = \"%s\" does not go with the agent's idempotent producer: remove it"
        .formatted(name, value);
  }

  /** A value that is no number is left to the client. */
  private static int number(Map<String, String> kafka, String name, int otherwise) {
    String value = kafka.getOrDefault(name, "").strip();
    return value.matches("\\d{1,9}") ? Integer.parseInt(value) : otherwise;
  }
}
