package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConsumerConfigTest {
  private final Map<String, String> conf =
      new HashMap<>(
          Map.of(
              "spark.streampulse.kafka.bootstrap.servers", "b:9093",
              "spark.streampulse.consumer.checkpoint", "/checkpoints/health"));

  @Test
  void defaults() {
    assertThat(ConsumerConfig.read(conf))
        .isEqualTo(
            new ConsumerConfig(
                "streaming-health",
                Map.of("bootstrap.servers", "b:9093"),
                new TableName("main", "streaming_monitoring", "streaming_health"),
                new TableName("main", "streaming_monitoring", "streaming_health_quarantine"),
                Optional.empty(),
                Map.of(),
                "/checkpoints/health",
                Duration.ofSeconds(10),
                true,
                Duration.ofSeconds(1),
                "earliest",
                Optional.empty()));
  }

  @Test
  void everyKeyIsRead() {
    conf.put("spark.streampulse.topic", "t");
    conf.put("spark.streampulse.consumer.table", "c.s.t");
    conf.put("spark.streampulse.consumer.quarantine-table", "c.s.q");
    conf.put("spark.streampulse.consumer.table-location", "/tables/t");
    conf.put("spark.streampulse.consumer.table-properties.delta.appendOnly", "true");
    conf.put("spark.streampulse.consumer.trigger", "1s");
    conf.put("spark.streampulse.consumer.async-progress.enabled", "false");
    conf.put("spark.streampulse.consumer.async-progress.checkpoint-interval", "0s");
    conf.put("spark.streampulse.consumer.starting-offsets", "latest");
    conf.put("spark.streampulse.consumer.max-offsets-per-trigger", "5");

    assertThat(conf.keySet()).containsAll(ConsumerKeys.ALL.stream().map(ConfigKey::name).toList());
    assertThat(ConsumerConfig.read(conf))
        .isEqualTo(
            new ConsumerConfig(
                "t",
                Map.of("bootstrap.servers", "b:9093"),
                new TableName("c", "s", "t"),
                new TableName("c", "s", "q"),
                Optional.of("/tables/t"),
                Map.of("delta.appendOnly", "true"),
                "/checkpoints/health",
                Duration.ofSeconds(1),
                false,
                Duration.ZERO,
                "latest",
                Optional.of(5L)));
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
                    .anyMatch(p -> p.contains("trigger = \"10\" is not a valid duration"))
                    .anyMatch(p -> p.contains("table = \"two.parts\" must have three parts"))
                    .anyMatch(
                        p ->
                            p.contains("chekpoint is not a setting")
                                && p.contains("consumer.checkpoint?")));
  }
}
