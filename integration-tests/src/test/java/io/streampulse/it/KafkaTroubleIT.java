package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.HealthMessages;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What brokers and topics do to a consumer: the exit code, the line, and nothing lost after it. */
@Tag("fault-injection")
class KafkaTroubleIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final int DATA_LOSS = 5;
  private static final int FAILED = 1;

  @Test
  void partitionsAddedInMidRunAreReadFromTheirStart() {
    try (ConsumerFixture it = new ConsumerFixture("added-partitions-it", 1)) {
      it.run(
          consumer -> {
            it.messages.send(0, 10);
            it.awaitCaughtUp(consumer);
            Environment.broker().addPartitions(it.topic, 3);
            for (int partition = 0; partition < 3; partition++) {
              it.messages.sendRaw(partition, HealthMessages.numbered(10 + partition));
            }
            it.awaitCaughtUp(consumer);
          });

      it.assertExactlyOnce();
      assertThat(it.numbers()).hasSize(13);
    }
  }

  @Test
  void offsetsThatAgedOutAreNamedWithTheChoicesAndTheChoiceWorks() {
    try (ConsumerFixture it = new ConsumerFixture("aged-out-it", 1)) {
      it.messages.send(0, 10);
      it.runUntilCaughtUp();
      it.messages.send(10, 60);
      Environment.broker().deleteRecordsBefore(it.topic, 0, 40);

      assertExits(it.conf, DATA_LOSS, "aged-out-it-0", "spark.streampulse.consumer.take-over=true");

      it.set("checkpoint", it.folder.resolve("second").toString()).set("take-over", "true");
      it.runUntilCaughtUp();
      assertThat(it.numbers()).hasSize(30).contains(0L, 9L, 40L, 59L).doesNotHaveDuplicates();
    }
  }

  @Test
  void aTopicMadeAnewInMidRunStopsTheConsumerInsteadOfReadingOverIt() {
    try (ConsumerFixture it = new ConsumerFixture("made-anew-mid-run-it", 1)) {
      it.messages.send(0, 30);
      it.runUntilCaughtUp();
      it.makeTopicAnew(30, 35);

      assertExits(it.conf, DATA_LOSS, "made-anew-mid-run-it-0", "made anew");
    }
  }

  @Test
  void aTopicDeletedInMidRunStopsTheConsumer() {
    try (ConsumerFixture it = new ConsumerFixture("deleted-it", 1)) {
      it.messages.send(0, 10);
      // What it waits for a broker or a partition that does not answer; minutes by default.
      it.conf.put("spark.network.timeout", "15s");
      it.conf.put("spark.network.timeoutInterval", "10s");
      it.conf.put("spark.streampulse.kafka.default.api.timeout.ms", "5000");
      it.conf.put("spark.streampulse.kafka.request.timeout.ms", "2000");
      try (ChildJvm consumer = Environment.submitConsumer("deleted", it.conf)) {
        it.awaitFilesRows(consumer, 10);
        Environment.broker().deleteTopic(it.topic);
        assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isIn(4, DATA_LOSS);
        assertThat(said(consumer)).contains("deleted-it");
      }
    }
  }

  @Test
  void aBrokerThatGoesIsWaitedForAndNothingIsLostOrTwice() {
    Path folder = Environment.newFolder("outage");
    EmbeddedBroker first = EmbeddedBroker.start(folder.resolve("broker"));
    try {
      first.createTopic("outage-it", 2);
      Map<String, String> conf =
          Environment.consumerConf(
              first.plainClient(), "outage-it", folder, "spark_catalog.outage_it.streaming_health");
      conf.put("spark.streampulse.consumer.trigger", "200ms");
      conf.put("spark.streampulse.kafka.default.api.timeout.ms", "3000");
      conf.put("spark.streampulse.kafka.request.timeout.ms", "2000");
      send(first, 0, 20);
      try (ChildJvm consumer = Environment.submitConsumer("outage-consumer", conf)) {
        ConsumerFixture.awaitBanner(consumer);
        awaitRows(folder, 20);
        first.close();
        await().atMost(LONGEST).until(() -> consumer.output().contains("restart 1 of 10"));
        assertThat(consumer.output()).contains("the broker does not answer");
        try (EmbeddedBroker again = first.again()) {
          send(again, 20, 40);
          awaitRows(folder, 40);
          consumer.terminate();
          assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(143);
        }
      }
      // Without restarts the failure is the end: for platforms that restart jobs themselves.
      conf.put("spark.streampulse.consumer.max-restarts", "0");
      assertExits(conf, FAILED, "the broker does not answer", "bootstrap.servers");
      assertThat(numbers(folder)).isEqualTo(40);
    } finally {
      first.close();
    }
  }

  private static void send(EmbeddedBroker broker, long from, long to) {
    try (HealthMessages messages = new HealthMessages(broker.plainClient(), "outage-it")) {
      messages.send(from, to);
    }
  }

  private static void awaitRows(Path folder, long rows) {
    await()
        .atMost(LONGEST)
        .pollInterval(Duration.ofSeconds(1))
        .ignoreExceptions()
        .until(() -> numbers(folder) >= rows);
  }

  private static long numbers(Path folder) {
    return Environment.spark()
        .read()
        .format("delta")
        .load(folder.resolve("table").toString())
        .where("agentId = '" + HealthMessages.AGENT + "'")
        .count();
  }

  private static void assertExits(Map<String, String> conf, int exitCode, String... parts) {
    try (ChildJvm consumer = Environment.submitConsumer("troubled-consumer", conf)) {
      assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(exitCode);
      assertThat(said(consumer)).contains(parts);
    }
  }

  /** The last line for the operator. */
  private static String said(ChildJvm consumer) {
    return consumer
        .output()
        .lines()
        .filter(line -> line.startsWith("health-consumer: "))
        .reduce((earlier, later) -> later)
        .orElse("");
  }
}
