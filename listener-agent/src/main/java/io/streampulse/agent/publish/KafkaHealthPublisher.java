package io.streampulse.agent.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.DropReason;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.config.ConnectionAdvice;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.EncodeException;
import io.streampulse.wire.SingleObjectEncoder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to a Kafka topic or event hub: Avro single-object messages, keyed by query id so that
 * the events of a query stay in order. Retries are the idempotent producer's, for as long as it
 * takes.
 *
 * <p>The producer is built at the first publish, on the calling thread: that takes seconds, and
 * needs the agent's class loader. While the broker can't be reached, records stay with the caller;
 * at most {@link #MOST_IN_FLIGHT} are handed to the producer without an acknowledgement.
 */
public final class KafkaHealthPublisher implements HealthPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaHealthPublisher.class);

  /** Records handed to the producer and not acknowledged. */
  static final int MOST_IN_FLIGHT = 500;

  private final String topic;
  private final Map<String, String> settings;
  private final String clientId;
  private final Accounting accounting;
  private final RepeatedWarning warning;
  private final SingleObjectEncoder encoder = new SingleObjectEncoder();
  private final AtomicInteger inFlight = new AtomicInteger();
  private Producer<byte[], byte[]> producer;
  private boolean closed;

  /**
   * @param settings the user's Kafka client settings
   * @param clientId unique in this JVM
   */
  public KafkaHealthPublisher(
      String topic,
      Map<String, String> settings,
      String clientId,
      Accounting accounting,
      RepeatedWarning warning) {
    this.topic = topic;
    this.settings = Map.copyOf(settings);
    this.clientId = clientId;
    this.accounting = accounting;
    this.warning = warning;
  }

  @Override
  public int publish(List<HealthRecord> records) {
    if (closed || records.isEmpty() || !producerIsReady()) {
      return 0;
    }
    int taken = 0;
    while (taken < records.size() && inFlight.get() < MOST_IN_FLIGHT && take(records.get(taken))) {
      taken++;
    }
    return taken;
  }

  @Override
  public void close(Duration timeout) {
    closed = true;
    if (producer != null) {
      try {
        // Whatever is not acknowledged in time fails, and is counted in its callback.
        producer.close(timeout);
      } catch (RuntimeException e) {
        LOG.debug("The producer did not close cleanly", e);
      }
      producer = null;
    }
  }

  private boolean producerIsReady() {
    if (producer != null) {
      return true;
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(KafkaHealthPublisher.class.getClassLoader());
    try {
      producer = new KafkaProducer<>(ProducerSettings.of(settings, clientId));
      return true;
    } catch (RuntimeException e) {
      warn("can't connect", e);
      return false;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** Whether the record is dealt with: sent, or dropped and counted. */
  private boolean take(HealthRecord record) {
    byte[] value;
    try {
      value = encoder.encode(record);
    } catch (EncodeException e) {
      accounting.dropped(DropReason.ENCODE_FAILED);
      warning.warn("Dropped a health record that could not be encoded: " + e.getMessage());
      return true;
    }
    String key = record.getQueryId() == null ? record.getAgentId() : record.getQueryId();
    Attempt attempt = new Attempt();
    inFlight.incrementAndGet();
    try {
      Future<RecordMetadata> sent =
          producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value), attempt);
      return attempt.isTaken(sent);
    } catch (RuntimeException e) {
      inFlight.decrementAndGet();
      warn("can't send", e);
      return false;
    }
  }

  private void warn(String what, Exception failure) {
    warning.warn(
        "Health records wait, the publisher %s: %s"
            .formatted(what, ConnectionAdvice.of(failure, topic).orElse(failure.toString())));
  }

  /**
   * One send. The producer reports what it refuses at once through the callback too, while send is
   * still running: such a record was never taken, and stays in the buffer.
   */
  private final class Attempt implements Callback {
    private final Thread sender = Thread.currentThread();
    private boolean sending = true;
    private Exception refusal;

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (Thread.currentThread() == sender && sending && failure != null) {
        refusal = failure;
        return;
      }
      inFlight.decrementAndGet();
      if (failure == null) {
        accounting.published();
      } else {
        accounting.dropped(reason(failure));
        warning.warn(
            "Dropped a health record that the broker did not take: "
                + ConnectionAdvice.of(failure, topic).orElse(failure.toString()));
      }
    }

    boolean isTaken(Future<RecordMetadata> sent) {
      sending = false;
      if (refusal == null) {
        return true;
      }
      inFlight.decrementAndGet();
      if (refusal instanceof RecordTooLargeException) {
        accounting.dropped(DropReason.TOO_LARGE);
        warning.warn("Dropped a health record over the size limit: " + refusal.getMessage());
        return true;
      }
      LOG.debug("Send was refused at once, done: {}", sent.isDone(), refusal);
      warn("can't send", refusal);
      return false;
    }

    private DropReason reason(Exception failure) {
      return failure instanceof RecordTooLargeException
          ? DropReason.TOO_LARGE
          : DropReason.PUBLISH_FAILED;
    }
  }
}
