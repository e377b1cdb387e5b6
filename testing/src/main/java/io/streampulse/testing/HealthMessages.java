package io.streampulse.testing;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes health records without an agent: numbered by their {@code sequence}, as many and as odd as
 * a test wants them. Thread-safe.
 */
public final class HealthMessages implements AutoCloseable {
  /** The agent's id in all of these records. */
  public static final String AGENT = "numbered";

  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;

  /** A writer to a topic. */
  public HealthMessages(Map<String, String> client, String topic) {
    this.topic = topic;
    Properties settings = new Properties();
    settings.putAll(client);
    settings.put("linger.ms", "5");
    settings.put("max.request.size", "2000000");
    this.producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** One record as a message. */
  public static byte[] numbered(long number) {
    return RecordEncoder.singleObject()
        .encode(
            HealthRecord.newBuilder()
                .setAgentId(AGENT)
                .setSequence(number)
                .setEventType(EventType.PROGRESS)
                .setEventTime(Instant.ofEpochMilli(1_700_000_000_000L + number))
                .setObservedTime(Instant.ofEpochMilli(1_700_000_000_000L + number))
                .setAgentVersion("0")
                .setQueryId("query-" + number % 10)
                .setBatchId(number)
                .build());
  }

  /** Sends records with the numbers from (included) to (excluded) and waits until all are there. */
  public void send(long from, long to) {
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    for (long number = from; number < to; number++) {
      sent.add(sendOne(number));
    }
    sent.forEach(HealthMessages::await);
  }

  /** Sends one record and does not wait. */
  public Future<RecordMetadata> sendOne(long number) {
    return producer.send(new ProducerRecord<>(topic, numbered(number)));
  }

  /** Sends a message as it is, null included, and waits until it is there. */
  public RecordMetadata sendRaw(Integer partition, byte[] value) {
    return sendRaw(partition, value, null);
  }

  /** The same with a header that names the schema; null for none. */
  public RecordMetadata sendRaw(Integer partition, byte[] value, byte[] schemaId) {
    ProducerRecord<byte[], byte[]> message = new ProducerRecord<>(topic, partition, null, value);
    if (schemaId != null) {
      message.headers().add(RecordDecoder.SCHEMA_ID_HEADER, schemaId);
    }
    return await(producer.send(message));
  }

  /** Waits for a message to be there. */
  public static RecordMetadata await(Future<RecordMetadata> sent) {
    try {
      return sent.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("Not sent: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while sending", e);
    }
  }

  @Override
  public void close() {
    producer.close();
  }
}
