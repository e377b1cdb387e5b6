package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** The consumer as operators run it: submitted, stopped by SIGTERM, started again. */
class ConsumerCommandIT {
  private static final String TOPIC = "consumer-command-it";
  private static final int SIGTERM = 143;

  @Test
  void quarantinesWhatItCanNotDecodeAndEndsCleanlyOnSigterm() throws Exception {
    KafkaBroker broker = Environment.broker();
    broker.createTopic(TOPIC, 1);
    send(broker, "not a health record");
    Path folder = Environment.newFolder("command");
    Map<String, String> conf =
        Environment.consumerConf(
            broker.plainClient(), TOPIC, folder, "spark_catalog.command.streaming_health");

    try (ChildJvm consumer = Environment.submitConsumer("consumer", conf)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> quarantined(folder).size() == 1 || !consumer.isAlive());
      consumer.terminate();
      assertThat(consumer.awaitExit(Duration.ofMinutes(1)))
          .as(consumer.output())
          .isEqualTo(SIGTERM);
      assertThat(consumer.output())
          .contains("health-consumer: topic " + TOPIC)
          .doesNotContain("it is interrupted")
          .doesNotContainPattern("ShutdownHook .* failed");
    }

    Row row = quarantined(folder).get(0);
    assertThat(new String(row.<byte[]>getAs("value"), StandardCharsets.UTF_8))
        .isEqualTo("not a health record");
    assertThat(row.<String>getAs("reason")).contains("C3 01 and a fingerprint");
    assertThat(row.<Row>getAs("kafka").<String>getAs("topic")).isEqualTo(TOPIC);
    assertThat(row.<Row>getAs("kafka").<Long>getAs("offset")).isZero();

    send(broker, "another one");
    try (ChildJvm again = Environment.submitConsumer("consumer-again", conf)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  quarantined(folder).stream()
                          .anyMatch(r -> r.<Row>getAs("kafka").<Long>getAs("offset") == 1L)
                      || !again.isAlive());
      assertThat(again.isAlive()).as(again.output()).isTrue();
    }
  }

  private static List<Row> quarantined(Path folder) {
    Path table = folder.resolve("table_quarantine");
    return Files.exists(table.resolve("_delta_log/00000000000000000000.json"))
        ? Environment.spark().read().format("delta").load(table.toString()).collectAsList()
        : List.of();
  }

  private static void send(KafkaBroker broker, String text) throws Exception {
    Properties settings = new Properties();
    settings.putAll(broker.plainClient());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(TOPIC, text.getBytes(StandardCharsets.UTF_8))).get();
    }
  }
}
