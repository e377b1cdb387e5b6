package io.streampulse.consumer.source;

import io.streampulse.connection.KafkaClient;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.wire.RecordDecoder;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A part of the topic as it is now, read without Spark, without a consumer group and without
 * committing anything.
 *
 * <p>The only class of the consumer that uses Kafka's client, which Spark's Kafka connector brings;
 * a platform may have it under another name, and then this one can't be loaded.
 */
public final class TopicRange {
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private final KafkaSettings kafka;
  private final String topic;

  /** The Kafka client that reads, which its settings have to fit. */
  public static KafkaClient client() {
    return KafkaClient.of(ByteArraySerializer.class);
  }

  /** The topic, with the Kafka client's settings. */
  public TopicRange(KafkaSettings kafka, String topic) {
    this.kafka = kafka;
    this.topic = topic;
  }

  /**
   * Hands over the messages of each partition in turn.
   *
   * @param partition the only one to read
   * @param from the first offset; negative: so many before the end
   * @param to the offset to stop before; empty for the end as it is now
   * @throws org.apache.kafka.common.KafkaException if the broker does not give them
   * @throws IllegalArgumentException if the topic has no such partition
   */
  public void read(
      Optional<Integer> partition, long from, Optional<Long> to, Consumer<Message> receiver) {
    try (KafkaConsumer<byte[], byte[]> consumer = newConsumer()) {
      List<TopicPartition> partitions =
          partitions(consumer).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .filter(p -> partition.isEmpty() || p.partition() == partition.get())
              .sorted((a, b) -> Integer.compare(a.partition(), b.partition()))
              .toList();
      if (partitions.isEmpty()) {
        throw new IllegalArgumentException(
            "topic %s has no partition %d".formatted(topic, partition.orElseThrow()));
      }
      Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
      Map<TopicPartition, Long> ends = new HashMap<>(consumer.endOffsets(partitions));
      to.ifPresent(limit -> ends.replaceAll((p, end) -> Math.min(end, limit)));
      for (TopicPartition p : partitions) {
        long first = Math.max(begins.get(p), from < 0 ? ends.get(p) + from : from);
        read(consumer, p, first, ends.get(p), receiver);
      }
    }
  }

  /**
   * Asks the broker for the topic's partitions.
   *
   * @throws org.apache.kafka.common.KafkaException if it does not give them
   */
  void requireAnswer() {
    try (KafkaConsumer<byte[], byte[]> consumer = newConsumer()) {
      partitions(consumer);
    }
  }

  private KafkaConsumer<byte[], byte[]> newConsumer() {
    Properties settings = new Properties();
    settings.putAll(kafka.asMap());
    settings.put("enable.auto.commit", "false");
    settings.put("allow.auto.create.topics", "false");
    settings.put("auto.offset.reset", "none");
    return new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  private List<PartitionInfo> partitions(KafkaConsumer<byte[], byte[]> consumer) {
    // Else it would ask about no topic first, and Event Hubs may close the connection on that.
    consumer.assign(List.of(new TopicPartition(topic, 0)));
    List<PartitionInfo> all = consumer.partitionsFor(topic);
    if (all == null || all.isEmpty()) {
      throw new UnknownTopicOrPartitionException(
          "topic %s is not there, or this login may not see it".formatted(topic));
    }
    return all;
  }

  private void read(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      long first,
      long end,
      Consumer<Message> receiver) {
    consumer.assign(List.of(partition));
    consumer.seek(partition, first);
    long heard = System.nanoTime();
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofSeconds(1))) {
        heard = System.nanoTime();
        if (message.offset() < end) {
          receiver.accept(Message.of(message));
        }
      }
      if (System.nanoTime() - heard > SILENCE.toNanos()) {
        throw new TimeoutException(
            "%s gave no message for %d s at offset %d"
                .formatted(partition, SILENCE.toSeconds(), consumer.position(partition)));
      }
    }
  }

  /**
   * One message of the topic.
   *
   * @param key null where it has none
   * @param value null where it has none
   * @param schemaId the last header that names the schema; null where it has none
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, and never compared
  public record Message(
      int partition, long offset, Instant timestamp, byte[] key, byte[] value, byte[] schemaId) {
    private static Message of(ConsumerRecord<byte[], byte[]> message) {
      Header schemaId = message.headers().lastHeader(RecordDecoder.SCHEMA_ID_HEADER);
      return new Message(
          message.partition(),
          message.offset(),
          Instant.ofEpochMilli(message.timestamp()),
          message.key(),
          message.value(),
          schemaId == null ? null : schemaId.value());
    }
  }
}
