package io.streampulse.it;

import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.wire.SingleObjectDecoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads all health records that are in a topic. */
final class TopicReader {
  private TopicReader() {}

  static List<HealthRecord> records(KafkaBroker broker, String topic) throws Exception {
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
      var ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(Duration.ofSeconds(1))) {
          records.add(decoder.decode(message.value()));
        }
      }
    }
    return records;
  }
}
