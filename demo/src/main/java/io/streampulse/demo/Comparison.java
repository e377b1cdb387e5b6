package io.streampulse.demo;

import io.streampulse.testing.KafkaBroker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A topic's messages beside the rows that should be made of them, by coordinates.
 *
 * @param messages how many are in the topic
 * @param rows how many are in the tables
 * @param missing messages without a row
 * @param doubled rows beyond the first of their message
 * @param foreign rows of no message
 */
record Comparison(long messages, long rows, long missing, long doubled, long foreign) {

  static Comparison of(Map<String, Integer> topic, List<String> rows) {
    Map<String, Integer> table = new HashMap<>();
    rows.forEach(row -> table.merge(row, 1, Integer::sum));
    long missing = topic.keySet().stream().filter(message -> !table.containsKey(message)).count();
    long foreign =
        table.entrySet().stream()
            .filter(row -> !topic.containsKey(row.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    long doubled = table.values().stream().mapToLong(times -> times - 1).sum();
    return new Comparison(topic.size(), rows.size(), missing, doubled, foreign);
  }

  boolean isExact() {
    return missing == 0 && doubled == 0 && foreign == 0;
  }

  @Override
  public String toString() {
    return "%,d messages, %,d rows: %,d missing, %,d twice, %,d of no message"
        .formatted(messages, rows, missing, doubled, foreign);
  }

  /** {@code partition/offset/timestamp} of all messages of a topic. */
  static Map<String, Integer> messages(KafkaBroker broker, String topic) {
    Map<String, Integer> found = new HashMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(broker)) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofSeconds(1))) {
          found.put(message.partition() + "/" + message.offset() + "/" + message.timestamp(), 1);
        }
      }
    }
    return found;
  }

  /** How many messages a topic has had. */
  static long end(KafkaBroker broker, String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(broker)) {
      return consumer.endOffsets(partitions(consumer, topic)).values().stream()
          .mapToLong(Long::longValue)
          .sum();
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(KafkaBroker broker) {
    Properties settings = new Properties();
    settings.putAll(broker.plainClient());
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private static List<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, String topic) {
    return consumer.partitionsFor(topic).stream()
        .map(info -> new TopicPartition(topic, info.partition()))
        .toList();
  }
}
