package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.ManualClock;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class KafkaHealthPublisherTest {
  private final ManualClock clock = new ManualClock();
  private final Accounting accounting = new Accounting();
  private final PublishStatistics statistics = new PublishStatistics();
  private final List<RefusingProducer> producers = new ArrayList<>();
  private RuntimeException buildFailure;
  private RuntimeException registryFailure;
  private int encoders;
  private final KafkaHealthPublisher publisher =
      new KafkaHealthPublisher(
          "streaming-health",
          new KafkaSettings(Map.of("ssl.key.password", "HUNTER2"))::blotted,
          this::newEncoder,
          this::newProducer,
          accounting,
          statistics,
          new RepeatedWarning(LoggerFactory.getLogger(KafkaHealthPublisherTest.class), clock),
          clock);

  @Test
  void saysNoSecretThatAFailureQuotes() {
    buildFailure = new IllegalStateException("no key with HUNTER2");
    assertThat(publisher.publish(records(1))).isZero();

    assertThat(statistics.lastError()).contains("no key with ***").doesNotContain("HUNTER2");
  }

  @Test
  void recordsWaitForTheRegistryAndAreNeverWrittenInAnotherFormat() {
    registryFailure = new IllegalStateException("registry away");
    assertThat(publisher.publish(records(2))).isZero();
    assertThat(statistics.lastError()).contains("registry away");
    assertThat(producers).isEmpty();

    registryFailure = null;
    assertThat(publisher.publish(records(2))).as("asked again only after a wait").isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(publisher.publish(records(2))).isEqualTo(2);
    assertThat(producer().history())
        .allSatisfy(message -> assertThat(message.value()).startsWith(0, 0, 0, 0, 7));
  }

  @Test
  void theSchemaIsRegisteredOnceForLife() {
    publisher.publish(records(1));
    producer().errorNext(new InvalidPidMappingException("gone"));
    clock.advance(Duration.ofMinutes(2));
    publisher.publish(records(1));

    assertThat(producers).hasSize(2);
    assertThat(encoders).isEqualTo(1);
  }

  private RecordEncoder newEncoder() {
    if (registryFailure != null) {
      throw registryFailure;
    }
    encoders++;
    return RecordEncoder.confluent(7);
  }

  @Test
  void countsARecordAsPublishedOnlyWhenItIsAcknowledged() {
    assertThat(publisher.publish(records(2))).isEqualTo(2);
    assertThat(accounting.publishedCount()).isZero();
    assertThat(statistics.inFlight()).isEqualTo(2);

    clock.advance(Duration.ofMillis(7));
    producer().completeNext();
    assertThat(accounting.publishedCount()).isEqualTo(1);
    assertThat(statistics.inFlight()).isEqualTo(1);
    assertThat(statistics.lastLatencyMillis()).isEqualTo(7);
  }

  @Test
  void keyIsTheQueryIdAndForTheAgentsOwnEventsTheAgentId() {
    HealthRecord own = record(1);
    own.setQueryId(null);
    publisher.publish(List.of(record(0), own));

    assertThat(producer().history())
        .extracting(message -> new String(message.key(), StandardCharsets.UTF_8))
        .containsExactly("query", "agent");
  }

  @Test
  void takesNoMoreThanMayBeInFlight() {
    assertThat(publisher.publish(records(600))).isEqualTo(KafkaHealthPublisher.MOST_IN_FLIGHT);
    assertThat(publisher.publish(records(1))).isZero();

    producer().completeNext();
    assertThat(publisher.publish(records(5))).isEqualTo(1);
  }

  @Test
  void leavesWithTheCallerWhatIsRefusedAtOnceAndWaits() {
    publisher.publish(List.of());
    publisher.publish(records(1));
    producer().refusal = new TimeoutException("Topic x not present in metadata after 5000 ms.");

    assertThat(publisher.publish(records(3))).isZero();
    assertThat(accounting.droppedCount()).isZero();
    assertThat(statistics.inFlight()).isEqualTo(1);
    assertThat(statistics.lastError()).contains("no broker tells of topic streaming-health");

    producer().refusal = null;
    assertThat(publisher.publish(records(3))).isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(publisher.publish(records(3))).isEqualTo(3);
  }

  @Test
  void dropsAndCountsWhatIsTooLarge() {
    publisher.publish(records(1));
    producer().refusal = new RecordTooLargeException("1000001 bytes");

    assertThat(publisher.publish(records(1))).isEqualTo(1);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("too_large", 1L));
  }

  @Test
  void sendsAgainWhatTheBrokerThrottledAfterAWait() {
    publisher.publish(records(1));
    producer().errorNext(new PolicyViolationException("throttled"));

    assertThat(accounting.droppedCount()).isZero();
    assertThat(publisher.publish(records(1))).isZero();
    clock.advance(Duration.ofSeconds(2));
    assertThat(publisher.publish(records(1))).isEqualTo(1);
    assertThat(producer().history()).hasSize(3);
    assertThat(statistics.inFlight()).isEqualTo(2);

    completeAll();
    assertThat(accounting.publishedCount()).isEqualTo(2);
    assertThat(statistics.inFlight()).isZero();
  }

  @Test
  void waitsForARightThatIsMissing() {
    publisher.publish(records(1));
    producer().errorNext(new TopicAuthorizationException("streaming-health"));

    assertThat(accounting.droppedCount()).isZero();
    assertThat(statistics.lastError()).contains("may not use topic streaming-health");
  }

  @Test
  void replacesAProducerThatTheBrokerHasForgotten() {
    publisher.publish(records(1));
    producer().errorNext(new InvalidPidMappingException("gone"));
    clock.advance(Duration.ofSeconds(2));

    assertThat(publisher.publish(records(1))).isEqualTo(1);
    assertThat(producers).hasSize(2);
    assertThat(producers.get(0).closed()).isTrue();
    completeAll();
    assertThat(accounting.publishedCount()).isEqualTo(2);
  }

  @Test
  void countsWhatTheBrokerMayOrMayNotHave() {
    publisher.publish(records(1));
    producer().errorNext(new NetworkException("disconnected"));

    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("publish_failed", 1L));
    assertThat(statistics.inFlight()).isZero();
  }

  @Test
  void buildsAProducerAgainAfterAWait() {
    buildFailure = new KafkaException("no such file");
    assertThat(publisher.publish(records(1))).isZero();
    assertThat(publisher.publish(records(1))).isZero();

    buildFailure = null;
    clock.advance(Duration.ofSeconds(2));
    assertThat(publisher.publish(records(1))).isEqualTo(1);
  }

  @Test
  void closingCountsWhatWaitsToBeSentAgain() {
    publisher.publish(records(1));
    producer().errorNext(new PolicyViolationException("throttled"));
    producer().refusal = new TimeoutException("no");
    publisher.close(Duration.ofSeconds(1));
    publisher.close(Duration.ofSeconds(1));

    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("publish_failed", 1L));
    assertThat(statistics.inFlight()).isZero();
    assertThat(publisher.publish(records(1))).isZero();
  }

  @Test
  void saysSoWhenTheBrokerHasBeenSilentForLong() {
    publisher.publish(records(1));
    clock.advance(Duration.ofSeconds(29));
    publisher.publish(records(1));
    assertThat(statistics.lastError()).isEmpty();

    clock.advance(Duration.ofSeconds(1));
    publisher.publish(records(1));
    assertThat(statistics.lastError()).contains("acknowledged nothing for 30s");
  }

  @Test
  void inTheEndTakesAllAndWaitsForNothing() {
    publisher.publish(records(1));
    producer().errorNext(new PolicyViolationException("throttled"));
    assertThat(publisher.publish(records(1))).isZero();

    assertThat(publisher.publishRest(records(600))).isEqualTo(600);
    completeAll();
    assertThat(accounting.publishedCount()).isEqualTo(601);
  }

  @Test
  void whatWasTakenBeforeAnErrorIsNotSentTwice() {
    publisher.publish(records(1));
    producer().errorAt = 3;

    assertThat(publisher.publish(records(5))).isEqualTo(1);
    assertThat(statistics.inFlight()).isEqualTo(2);
    assertThat(statistics.lastError()).contains("OutOfMemoryError");

    clock.advance(Duration.ofMinutes(2));
    assertThat(publisher.publish(records(4))).isEqualTo(4);
    completeAll();
    assertThat(accounting.publishedCount()).isEqualTo(6);
    assertThat(statistics.inFlight()).isZero();
  }

  @Test
  void replacesAProducerThatThrows() {
    publisher.publish(records(1));
    completeAll();
    // As Kafka's client does once it is in its fatal state, whatever led to it.
    producer().sendException = new KafkaException("we are in an error state");
    assertThat(publisher.publish(records(1))).isZero();

    clock.advance(Duration.ofMinutes(2));
    assertThat(publisher.publish(records(1))).isEqualTo(1);
    assertThat(producers).hasSize(2);
  }

  private void completeAll() {
    while (producer().completeNext()) {
      // Each acknowledges one.
    }
  }

  private RefusingProducer producer() {
    return producers.get(producers.size() - 1);
  }

  private Producer<byte[], byte[]> newProducer() {
    if (buildFailure != null) {
      throw buildFailure;
    }
    producers.add(new RefusingProducer());
    return producer();
  }

  private static List<HealthRecord> records(int count) {
    List<HealthRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(record(i));
    }
    return records;
  }

  private static HealthRecord record(long sequence) {
    return HealthRecord.newBuilder()
        .setAgentId("agent")
        .setSequence(sequence)
        .setEventType(EventType.PROGRESS)
        .setEventTime(Instant.EPOCH)
        .setObservedTime(Instant.EPOCH)
        .setAgentVersion("1")
        .setQueryId("query")
        .build();
  }

  /** Kafka's mock, which can also refuse at once, as the real producer does without metadata. */
  private static final class RefusingProducer extends MockProducer<byte[], byte[]> {
    private RuntimeException refusal;
    private int errorAt;
    private int sends;

    RefusingProducer() {
      super(false, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> message, Callback callback) {
      if (++sends == errorAt) {
        throw new OutOfMemoryError("in a test");
      }
      if (refusal != null) {
        callback.onCompletion(null, refusal);
        return java.util.concurrent.CompletableFuture.failedFuture(refusal);
      }
      return super.send(message, callback);
    }
  }
}
