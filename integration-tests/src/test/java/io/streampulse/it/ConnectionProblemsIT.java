package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.Certificates;
import io.streampulse.testing.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Wrong password, untrusted certificate, missing topic, senseless settings: the consumer exits with
 * a line that names the setting, the agent warns and leaves the job alone.
 */
class ConnectionProblemsIT {
  private static final Duration LONGEST = Duration.ofMinutes(3);
  private static final int REFUSED = 4;

  @Test
  void consumerWithAWrongPasswordNamesTheSetting() {
    assertConsumerFails(
        wrongPassword(), "streaming-health", "spark.streampulse.kafka.sasl.jaas.config");
  }

  @Test
  void consumerThatDoesNotTrustTheBrokerNamesTheSetting() {
    assertConsumerFails(
        untrusted(), "streaming-health", "spark.streampulse.kafka.ssl.truststore.location");
  }

  @Test
  void consumerOfAMissingTopicNamesIt() {
    assertConsumerFails(
        Environment.broker().plainClient(), "no-such-topic", "topic no-such-topic is not there");
  }

  @Test
  void agentWithAWrongPasswordWarnsAndTheJobIsNotAffected() {
    assertJobSucceeds(
        Environment.agentConf(wrongPassword(), "streaming-health"),
        "spark.streampulse.kafka.sasl.jaas.config");
  }

  @Test
  void agentThatDoesNotTrustTheBrokerWarnsAndTheJobIsNotAffected() {
    assertJobSucceeds(
        Environment.agentConf(untrusted(), "streaming-health"),
        "spark.streampulse.kafka.ssl.truststore.location");
  }

  @Test
  void agentOfAMissingTopicWarnsAndTheJobIsNotAffected() {
    assertJobSucceeds(
        Environment.agentConf(Environment.broker().plainClient(), "no-such-topic"),
        "no broker tells of topic no-such-topic");
  }

  @Test
  void agentWithoutABrokerCountsWhatItCouldNotPublishAndEndsInTime() {
    Map<String, String> conf =
        new HashMap<>(
            Environment.agentConf(Map.of("bootstrap.servers", "127.0.0.1:9"), "streaming-health"));
    conf.put("spark.streampulse.agent.shutdown-timeout", "8s");
    conf.put("spark.streampulse.kafka.max.block.ms", "500");
    String output = assertJobSucceeds(conf, "bootstrap.servers");

    assertThat(output)
        .containsPattern("agent stopped: \\d+ records produced, 0 published, \\d+ dropped")
        .contains("publish_failed=")
        .doesNotContain("not through");
  }

  @Test
  void agentWithSenselessSettingsWarnsOnceAndTheJobIsNotAffected() {
    String output =
        assertJobSucceeds(
            Map.of(
                "spark.sql.streaming.streamingQueryListeners",
                "io.streampulse.agent.HealthListener",
                "spark.streampulse.agent.flush-interval",
                "often"),
            "spark.streampulse.agent.flush-interval = \"often\" is not a valid duration");

    assertThat(output).contains("spark.streampulse.kafka.bootstrap.servers is required");
    assertThat(output.lines().filter(line -> line.contains("agent is off"))).hasSize(1);
  }

  private static void assertConsumerFails(
      Map<String, String> client, String topic, String expected) {
    Path folder = Environment.newFolder("failing-consumer");
    try (ChildJvm consumer =
        Environment.submitConsumer(
            "failing-consumer",
            Environment.consumerConf(
                client, topic, folder, "spark_catalog.failing.streaming_health"))) {
      assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(REFUSED);
      List<String> said =
          consumer.output().lines().filter(line -> line.startsWith("health-consumer: ")).toList();
      assertThat(said.get(said.size() - 1)).contains(expected);
      assertNoSecret(consumer.output());
    }
  }

  private static String assertJobSucceeds(Map<String, String> agentConf, String expectedWarning) {
    Path folder = Environment.newFolder("unaffected-job");
    Path truth = folder.resolve("truth.txt");
    try (ChildJvm job =
        Environment.submit(
            "unaffected-job",
            RateJob.class,
            agentConf,
            List.of(ChildJvm.jarOnClassPath("streampulse-listener-agent")),
            "12",
            folder.resolve("checkpoint").toString(),
            truth.toString())) {
      assertThat(job.awaitExit(LONGEST)).as(job.output()).isZero();
      assertThat(truth).isNotEmptyFile();
      assertThat(job.output().lines())
          .anyMatch(line -> line.contains("WARN") && line.contains(expectedWarning));
      assertNoSecret(job.output());
      return job.output();
    }
  }

  private static void assertNoSecret(String output) {
    assertThat(output)
        .doesNotContain(Environment.broker().password())
        .doesNotContain(Environment.broker().certificates().password())
        .doesNotContain("not-the-password");
  }

  private static Map<String, String> wrongPassword() {
    Map<String, String> client = new HashMap<>(Environment.broker().plainClient());
    client.computeIfPresent(
        "sasl.jaas.config",
        (k, v) -> v.replace(Environment.broker().password(), "not-the-password"));
    return client;
  }

  private static Map<String, String> untrusted() {
    Certificates other = Certificates.create(Environment.newFolder("other"));
    Map<String, String> client = new HashMap<>(Environment.broker().plainClient());
    client.put("ssl.truststore.location", other.trustStore().toString());
    client.put("ssl.truststore.password", other.password());
    return client;
  }
}
