package io.streampulse.testing;

import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.SingleObjectDecoder;
import io.streampulse.wire.UndecodableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads health records without Spark: what is really on the topic. */
public final class HealthTopic {
  private HealthTopic() {}

  /**
   * All records that are in the topic now, in no order between partitions.
   *
   * @throws IllegalStateException if a message is no health record
   */
  public static List<HealthRecord> read(KafkaBroker broker, String topic) {
    Properties settings = new Properties();
    settings.putAll(broker.plainClient());
    SingleObjectDecoder decoder = new SingleObjectDecoder();
    List<HealthRecord> records = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofSeconds(1))) {
          records.add(decoder.decode(message.value()));
        }
      }
    } catch (UndecodableException e) {
      throw new IllegalStateException("Not a health record in " + topic, e);
    }
    return records;
  }
}
