package io.streampulse.testing;

import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.UndecodableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads the health topic without Spark: what is really in it. */
public final class HealthTopic {
  private HealthTopic() {}

  /**
   * All records that are in the topic now, in no order between partitions.
   *
   * @throws IllegalStateException if a message is no health record
   */
  public static List<HealthRecord> read(KafkaBroker broker, String topic) {
    RecordDecoder decoder = new RecordDecoder();
    List<HealthRecord> records = new ArrayList<>();
    try {
      for (ConsumerRecord<byte[], byte[]> message : messages(broker, topic)) {
        records.add(decoder.decode(message.value()));
      }
    } catch (UndecodableException e) {
      throw new IllegalStateException("Not a health record in " + topic, e);
    }
    return records;
  }

  /** The values of the messages that are in the topic now. */
  public static List<byte[]> values(KafkaBroker broker, String topic) {
    return messages(broker, topic).stream().map(ConsumerRecord::value).toList();
  }

  /** {@code partition/offset/timestamp} of each message that is in the topic now. */
  public static Set<String> coordinates(KafkaBroker broker, String topic) {
    return messages(broker, topic).stream()
        .map(m -> m.partition() + "/" + m.offset() + "/" + m.timestamp())
        .collect(Collectors.toSet());
  }

  /** The offset after the last message, by partition. */
  public static Map<Integer, Long> ends(KafkaBroker broker, String topic) {
    Map<Integer, Long> ends = new TreeMap<>();
    try (KafkaConsumer<byte[], byte[]> consumer = newConsumer(broker)) {
      consumer
          .endOffsets(partitions(consumer, topic))
          .forEach((partition, end) -> ends.put(partition.partition(), end));
    }
    return ends;
  }

  private static List<ConsumerRecord<byte[], byte[]>> messages(KafkaBroker broker, String topic) {
    List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = newConsumer(broker)) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer.poll(Duration.ofSeconds(1)).forEach(messages::add);
      }
    }
    return messages;
  }

  private static KafkaConsumer<byte[], byte[]> newConsumer(KafkaBroker broker) {
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
