package io.streampulse.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.agent.publish.ProducerSettings;
import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.connection.ConnectionKeys;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.registry.SchemaSubject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentConfigTest {
  private final Map<String, String> conf =
      new HashMap<>(
          Map.of(
              "spark.streampulse.kafka.bootstrap.servers", "b:9093",
              "spark.streampulse.kafka.security.protocol", "SSL"));

  @Test
  void defaults() {
    AgentConfig config = AgentConfig.read(conf);

    assertThat(config)
        .isEqualTo(
            new AgentConfig(
                "streaming-health",
                new KafkaSettings(
                    Map.of("bootstrap.servers", "b:9093", "security.protocol", "SSL")),
                true,
                Optional.empty(),
                new SchemaSubject("streaming-health-value", true),
                Duration.ofSeconds(10),
                1000,
                16_000_000,
                900_000,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10),
                1,
                Map.of(),
                java.util.List.of()));
  }

  @Test
  void aRegistryAndItsSubject() {
    conf.put("spark.streampulse.schema-registry.url", "https://registry:8081");
    conf.put("spark.streampulse.schema-registry.auto-register", "false");
    conf.put("spark.streampulse.schema-registry.subject-name-strategy", "record-name");
    AgentConfig config = AgentConfig.read(conf);

    assertThat(config.registry()).isPresent();
    assertThat(config.subject())
        .isEqualTo(new SchemaSubject("io.streampulse.schema.HealthRecord", false));
  }

  @Test
  void everyKeyIsRead() {
    Map<String, String> wrong = new HashMap<>();
    for (ConfigKey<?> key : AgentKeys.ALL) {
      wrong.put(key.name(), "not \u00e0 valid value");
    }

    assertThatThrownBy(() -> AgentConfig.read(wrong))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(AgentKeys.ALL)
                    .filteredOn(key -> !ConnectionKeys.ALL.contains(key)) // ConnectionTest has them
                    .allSatisfy(key -> assertThat(e.getMessage()).contains(key.name())));
  }

  @Test
  void needsNoBrokerToLog() {
    AgentConfig config = AgentConfig.read(Map.of("spark.streampulse.agent.publisher", "log"));

    assertThat(config.toKafka()).isFalse();
  }

  @Test
  void warnsOfUnknownSettingsAndRuns() {
    conf.put("spark.streampulse.agent.flush-intervall", "1s");
    conf.put("spark.streampulse.consumer.table", "a.b.c");
    conf.put("spark.streampulse.agent.tags.team", "data");
    AgentConfig config = AgentConfig.read(conf);

    assertThat(config.warnings())
        .singleElement()
        .asString()
        .contains("did you mean spark.streampulse.agent.flush-interval?");
    assertThat(config.tags()).isEqualTo(Map.of("team", "data"));
  }

  @Test
  void refusesAMechanismItsClientDoesNotKnow() {
    conf.put("spark.streampulse.kafka.sasl.mechanism", "MAGIC");

    assertThatThrownBy(() -> AgentConfig.read(conf))
        .hasMessageContaining("spark.streampulse.kafka.sasl.mechanism = \"MAGIC\"")
        .hasMessageContaining("SCRAM-SHA-512");
  }

  @Test
  void saysWhatWeakensIt() {
    conf.put("spark.streampulse.kafka.acks", "1");
    conf.put("spark.streampulse.kafka.enable.idempotence", "false");
    conf.put("spark.streampulse.kafka.ssl.endpoint.identification.algorithm", "");
    conf.put("spark.streampulse.kafka.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----");

    assertThat(AgentConfig.read(conf).warnings())
        .hasSize(4)
        .anyMatch(warning -> warning.contains("kafka.acks = \"1\""))
        .anyMatch(warning -> warning.contains("kafka.enable.idempotence"))
        .anyMatch(warning -> warning.contains("host name"))
        .anyMatch(warning -> warning.contains("ssl.keystore.key stands in Spark conf as it is"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"acks=1", "acks=0", "retries=0", "max.in.flight.requests.per.connection=6"})
  void refusesWhatTheClientWouldRefuseForEver(String setting) {
    String[] nameAndValue = setting.split("=", 2);
    conf.put("spark.streampulse.kafka." + nameAndValue[0], nameAndValue[1]);

    assertThatThrownBy(() -> AgentConfig.read(conf))
        .hasMessageContaining(
            "spark.streampulse.kafka.%s = \"%s\" does not go with the agent's idempotent producer"
                .formatted(nameAndValue[0], nameAndValue[1]));
    // A control: so does the client.
    Properties settings =
        ProducerSettings.of(
            new KafkaSettings(
                Map.of("bootstrap.servers", "127.0.0.1:9", nameAndValue[0], nameAndValue[1])),
            "c");
    assertThatThrownBy(() -> new ProducerConfig(settings))
        .isInstanceOf(org.apache.kafka.common.config.ConfigException.class);
  }

  @Test
  void saysThatSeveralRequestsAtOnceCanDouble() {
    conf.put("spark.streampulse.kafka.max.in.flight.requests.per.connection", "2");
    assertThat(AgentConfig.read(conf).warnings())
        .singleElement()
        .asString()
        .contains("may be in the topic twice");
  }

  @Test
  void hasNoSecretsInItsText() {
    conf.put("spark.streampulse.sasl.username", "u");
    conf.put("spark.streampulse.sasl.password", "HUNTER2");
    conf.put("spark.streampulse.kafka.security.protocol", "SASL_SSL");
    conf.put("spark.streampulse.schema-registry.url", "https://registry:8081");
    conf.put("spark.streampulse.schema-registry.basic-auth", "u:HUNTER2");

    assertThat(AgentConfig.read(conf).toString()).contains("b:9093").doesNotContain("HUNTER2");
  }

  @Test
  void refusesACodecItDoesNotCarry() {
    conf.put("spark.streampulse.kafka.compression.type", "zstd");

    assertThatThrownBy(() -> AgentConfig.read(conf)).hasMessageContaining("write none or gzip");
  }
}
