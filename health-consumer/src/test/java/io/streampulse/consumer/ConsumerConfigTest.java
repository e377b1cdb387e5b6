package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.Secret;
import io.streampulse.connection.ConnectionKeys;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.consumer.table.TableName;
import io.streampulse.registry.RegistrySettings;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ConsumerConfigTest {
  private final Map<String, String> conf =
      new HashMap<>(
          Map.of(
              "spark.streampulse.kafka.bootstrap.servers", "b:9093",
              "spark.streampulse.kafka.security.protocol", "SSL",
              "spark.streampulse.consumer.checkpoint", "/checkpoints/health"));

  @Test
  void defaults() {
    assertThat(ConsumerConfig.read(conf))
        .isEqualTo(
            new ConsumerConfig(
                "streaming-health",
                new KafkaSettings(
                    Map.of("bootstrap.servers", "b:9093", "security.protocol", "SSL")),
                Optional.empty(),
                new TableName("main", "streaming_monitoring", "streaming_health"),
                new TableName("main", "streaming_monitoring", "streaming_health_quarantine"),
                Optional.empty(),
                Map.of(),
                "/checkpoints/health",
                ConsumerTrigger.every(Duration.ofSeconds(10)),
                true,
                Duration.ofSeconds(1),
                "earliest",
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                10,
                List.of()));
  }

  @Test
  void everyKeyIsRead() {
    conf.put("spark.streampulse.topic", "t");
    conf.put("spark.streampulse.consumer.table", "c.s.t");
    conf.put("spark.streampulse.consumer.quarantine-table", "c.s.q");
    conf.put("spark.streampulse.consumer.table-location", "/tables/t//");
    conf.put("spark.streampulse.consumer.table-properties.delta.appendOnly", "true");
    conf.put("spark.streampulse.consumer.trigger", "1s");
    conf.put("spark.streampulse.consumer.async-progress.enabled", "false");
    conf.put("spark.streampulse.consumer.async-progress.checkpoint-interval", "0s");
    conf.put("spark.streampulse.consumer.starting-offsets", "latest");
    conf.put("spark.streampulse.consumer.max-offsets-per-trigger", "5");
    conf.put("spark.streampulse.consumer.min-partitions", "6");
    conf.put("spark.streampulse.consumer.max-partitions", "7");
    conf.put("spark.streampulse.consumer.take-over", "true");
    conf.put("spark.streampulse.consumer.max-restarts", "0");

    conf.put("spark.streampulse.schema-registry.url", "https://r:8081");
    conf.put("spark.streampulse.schema-registry.basic-auth", "u:p");
    conf.put("spark.streampulse.schema-registry.request-timeout", "6s");
    conf.put("spark.streampulse.schema-registry.retry-timeout", "7s");
    conf.put("spark.redaction.regex", "basic-auth");
    // Not the consumer's, or one of two: RegistryKeysTest has them, and ConnectionTest.
    Set<String> elsewhere =
        Set.of("bearer-token", "ca-file", "auto-register", "subject-name-strategy");

    assertThat(conf.keySet())
        .containsAll(
            ConsumerKeys.ALL.stream()
                .filter(key -> !ConnectionKeys.ALL.contains(key))
                .map(ConfigKey::name)
                .filter(name -> elsewhere.stream().noneMatch(name::endsWith))
                .toList());
    assertThat(ConsumerConfig.read(conf))
        .isEqualTo(
            new ConsumerConfig(
                "t",
                new KafkaSettings(
                    Map.of("bootstrap.servers", "b:9093", "security.protocol", "SSL")),
                Optional.of(
                    new RegistrySettings(
                        List.of(URI.create("https://r:8081")),
                        new Secret("u:p"),
                        Secret.NONE,
                        "",
                        Duration.ofSeconds(6),
                        Duration.ofSeconds(7))),
                new TableName("c", "s", "t"),
                new TableName("c", "s", "q"),
                Optional.of("/tables/t"),
                Map.of("delta.appendOnly", "true"),
                "/checkpoints/health",
                ConsumerTrigger.every(Duration.ofSeconds(1)),
                false,
                Duration.ZERO,
                "latest",
                Optional.of(5L),
                Optional.of(6),
                Optional.of(7),
                true,
                0,
                List.of()));
  }

  @Test
  void reportsAllProblemsTogetherUnknownSettingsAmongThem() {
    Map<String, String> wrong =
        Map.of(
            "spark.streampulse.consumer.trigger", "10",
            "spark.streampulse.consumer.table", "two.parts",
            "spark.streampulse.consumer.chekpoint", "/c",
            "spark.streampulse.agent.enabled", "true");

    assertThatThrownBy(() -> ConsumerConfig.read(wrong))
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .hasSize(5)
                    .anyMatch(p -> p.contains("bootstrap.servers is required"))
                    .anyMatch(p -> p.contains("consumer.checkpoint is required"))
                    .anyMatch(p -> p.contains("trigger = \"10\" is not a valid trigger"))
                    .anyMatch(p -> p.contains("table = \"two.parts\" must have three parts"))
                    .anyMatch(
                        p ->
                            p.contains("chekpoint is not a setting")
                                && p.contains("consumer.checkpoint?")));
  }

  @Test
  void refusesWhatAsyncProgressCanNotDoAndSaysTheWayOut() {
    conf.put("spark.sql.streaming.minBatchesToRetain", "1");
    conf.put("spark.sql.streaming.metadataCache.enabled", "false");
    for (String trigger : List.of("once", "available-now")) {
      conf.put("spark.streampulse.consumer.trigger", trigger);

      assertThatThrownBy(() -> ConsumerConfig.read(conf))
          .isInstanceOfSatisfying(
              ConfigException.class,
              e ->
                  assertThat(e.problems())
                      .hasSize(3)
                      .allMatch(
                          p ->
                              p.contains("spark.streampulse.consumer.async-progress.enabled=false"))
                      .anyMatch(p -> p.contains("trigger = \"" + trigger + "\""))
                      .anyMatch(p -> p.contains("minBatchesToRetain = \"1\""))
                      .anyMatch(p -> p.contains("metadataCache.enabled = \"false\"")));
    }
  }

  @Test
  void syncProgressTakesThemAll() {
    conf.put("spark.sql.streaming.minBatchesToRetain", "1");
    conf.put("spark.sql.streaming.metadataCache.enabled", "false");
    conf.put("spark.streampulse.consumer.async-progress.enabled", "false");
    conf.put("spark.streampulse.consumer.trigger", "available-now");

    assertThat(ConsumerConfig.read(conf).trigger().ends()).isTrue();
  }
}
