package io.streampulse.agent;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.SharedKeys;
import io.streampulse.registry.RegistryKeys;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.registry.SchemaSubject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The agent's settings, checked. What each means stands with its key in {@link AgentKeys}.
 *
 * @param kafka the Kafka client's settings; empty for the log publisher
 * @param registry the schema registry whose ids messages carry; empty for single-object messages
 * @param warnings settings under our prefix that the agent does not know; it runs all the same
 */
record AgentConfig(
    String topic,
    Map<String, String> kafka,
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
    Map<String, String> kafka = toKafka ? reader.kafka() : Map.of();
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
    String topic = reader.value(SharedKeys.TOPIC);
    AgentConfig config =
        new AgentConfig(
            topic,
            kafka,
            toKafka,
            RegistryKeys.read(reader),
            SchemaSubject.of(
                topic,
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
            reader.unknown(
                AgentKeys.ALL, List.of(AgentKeys.TAGS_PREFIX, ConfigKey.PREFIX + "consumer.")));
    reader.throwIfProblems();
    return config;
  }
}
