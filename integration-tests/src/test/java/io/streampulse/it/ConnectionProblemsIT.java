package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Missing topic, no broker, senseless settings: the consumer exits with a line that names the
 * setting, the agent warns and leaves the job alone. What can be wrong with a login is in {@link
 * LoginsIT}.
 */
class ConnectionProblemsIT {
  private static final int REFUSED = 4;
  private static Turns jobs;

  @BeforeAll
  static void runJobs() {
    Map<String, Map<String, String>> confs = new LinkedHashMap<>();
    Map<String, String> missing =
        Environment.agentConf(Environment.broker().plainClient(), "no-such-topic");
    missing.put(JobsInTurn.SECONDS, "7"); // it is given 5 s to appear
    confs.put("missing-topic", missing);
    Map<String, String> away =
        Environment.agentConf(Map.of("bootstrap.servers", "127.0.0.1:9"), "streaming-health");
    away.put("spark.streampulse.agent.shutdown-timeout", "8s");
    away.put("spark.streampulse.kafka.max.block.ms", "500");
    confs.put("no-broker", away);
    confs.put(
        "senseless",
        Map.of(
            "spark.sql.streaming.streamingQueryListeners",
            "io.streampulse.agent.HealthListener",
            "spark.streampulse.agent.flush-interval",
            "often"));
    jobs = Turns.ofJobs(confs);
  }

  @Test
  void consumerOfAMissingTopicNamesIt() {
    Path folder = Environment.newFolder("failing-consumer");
    try (ChildJvm consumer =
        Environment.submitConsumer(
            "failing-consumer",
            Environment.consumerConf(
                Environment.broker().plainClient(),
                "no-such-topic",
                folder,
                "spark_catalog.failing.streaming_health"))) {
      assertThat(consumer.awaitExit(Duration.ofMinutes(3)))
          .as(consumer.output())
          .isEqualTo(REFUSED);
      List<String> said =
          consumer.output().lines().filter(line -> line.startsWith("health-consumer: ")).toList();
      assertThat(said.get(said.size() - 1)).contains("topic no-such-topic is not there");
      assertNoSecret(consumer.output());
    }
  }

  @Test
  void agentOfAMissingTopicWarnsAndTheJobIsNotAffected() {
    assertJobSucceeded("missing-topic", "no broker tells of topic no-such-topic");
  }

  @Test
  void agentWithoutABrokerCountsWhatItCouldNotPublishAndEndsInTime() {
    assertJobSucceeded("no-broker", "bootstrap.servers");
    assertThat(jobs.output("no-broker"))
        .containsPattern("agent stopped: \\d+ records produced, 0 published, \\d+ dropped")
        .contains("publish_failed=")
        .doesNotContain("not through");
  }

  @Test
  void agentWithSenselessSettingsWarnsOnceAndTheJobIsNotAffected() {
    assertJobSucceeded(
        "senseless", "spark.streampulse.agent.flush-interval = \"often\" is not a valid duration");
    assertThat(jobs.output("senseless"))
        .contains("spark.streampulse.kafka.bootstrap.servers is required");
    assertThat(jobs.output("senseless").lines().filter(line -> line.contains("agent is off")))
        .hasSize(1);
  }

  private static void assertJobSucceeded(String name, String expectedWarning) {
    assertThat(jobs.output(name).lines())
        .anyMatch(line -> line.contains("WARN") && line.contains(expectedWarning));
    assertThat(jobs.output(name)).containsPattern("=== end %s: [1-9]\\d* rows".formatted(name));
    assertNoSecret(jobs.output(name));
  }

  private static void assertNoSecret(String output) {
    assertThat(output)
        .doesNotContain(Environment.broker().password())
        .doesNotContain(Environment.broker().certificates().password());
  }
}
