package io.streampulse.agent.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.DropReason;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.config.Durations;
import io.streampulse.connection.Causes;
import io.streampulse.connection.ConnectionAdvice;
import io.streampulse.registry.RegistryException;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.EncodeException;
import io.streampulse.wire.RecordEncoder;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes to a Kafka topic or event hub, keyed by query id so that the events of a query stay in
 * order, but for what the broker has refused for a while and gets again. Retries are the idempotent
 * producer's, for as long as it takes.
 *
 * <p>Encoder and producer are made at the first publish, on the calling thread: that takes seconds,
 * and needs the agent's class loader. The encoder is kept for life: there is no other format to
 * fall back to. While the broker can't be reached, records stay with the caller; at most {@link
 * #MOST_IN_FLIGHT} are handed to the producer without an acknowledgement. What the broker has
 * refused for the time being is sent again after a wait; a producer that the broker no longer knows
 * is replaced.
 */
public final class KafkaHealthPublisher implements HealthPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaHealthPublisher.class);
  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);
  private static final Duration LONG_SILENCE = Duration.ofSeconds(30);
  private static final Duration LAST_SENDS = Duration.ofSeconds(5);

  /** Records handed to the producer and not acknowledged. */
  static final int MOST_IN_FLIGHT = 500;

  private final String topic;
  private final UnaryOperator<String> blot;
  private final Supplier<Producer<byte[], byte[]>> producers;
  private final Accounting accounting;
  private final RepeatedWarning warning;
  private final Clock clock;
  private final BackOff backOff;
  private final Supplier<RecordEncoder> encoders;
  private final Queue<ProducerRecord<byte[], byte[]>> again = new ConcurrentLinkedQueue<>();
  private final PublishStatistics statistics;
  private final AtomicInteger inFlight;
  private RecordEncoder encoder;
  private Producer<byte[], byte[]> producer;
  private volatile long lastAcknowledgedMillis;
  private volatile boolean producerIsUseless;
  private boolean isLast;
  private boolean closed;

  /**
   * A publisher that has not connected yet.
   *
   * @param blot takes secrets out of what is said of a failure
   * @param encoders gives the encoder, once; may throw, and is then asked again after a wait
   * @param producers builds a producer; may throw, and is then asked again after a wait
   */
  public KafkaHealthPublisher(
      String topic,
      UnaryOperator<String> blot,
      Supplier<RecordEncoder> encoders,
      Supplier<Producer<byte[], byte[]>> producers,
      Accounting accounting,
      PublishStatistics statistics,
      RepeatedWarning warning,
      Clock clock) {
    this.topic = topic;
    this.blot = blot;
    this.encoders = encoders;
    this.producers = producers;
    this.accounting = accounting;
    this.statistics = statistics;
    this.inFlight = statistics.inFlight;
    this.warning = warning;
    this.clock = clock;
    this.backOff = new BackOff(clock, FIRST_WAIT, LONGEST_WAIT);
  }

  @Override
  public int publishRest(List<HealthRecord> records) {
    isLast = true;
    return publish(records);
  }

  @Override
  public int publish(List<HealthRecord> records) {
    if (closed || isWaiting()) {
      return 0;
    }
    warnIfNothingIsAcknowledged();
    if ((records.isEmpty() && again.isEmpty()) || !isReady() || !sendAgain()) {
      return 0;
    }
    int taken = 0;
    try {
      while (taken < records.size() && mayTake() && take(records.get(taken))) {
        taken++;
      }
    } catch (RuntimeException | Error e) { // what was taken before must not be sent again
      backOff.failed();
      statistics.failed(e.toString());
      warning.warn("The publisher failed; its records wait: " + e);
    }
    return taken;
  }

  @Override
  public void close(Duration timeout) {
    closed = true;
    if (producer != null) {
      closeProducer(timeout);
    }
    while (again.poll() != null) {
      inFlight.decrementAndGet();
      accounting.dropped(DropReason.PUBLISH_FAILED);
    }
  }

  private boolean mayTake() {
    return isLast || (inFlight.get() < MOST_IN_FLIGHT && !isWaiting());
  }

  private boolean isWaiting() {
    return !isLast && !backOff.isOver();
  }

  private boolean isReady() {
    if (producerIsUseless) {
      // What it still has is sent first; what it can't send fails, and its callback counts it.
      closeProducer(LAST_SENDS);
      producerIsUseless = false;
    }
    if (producer != null) {
      return true;
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(KafkaHealthPublisher.class.getClassLoader());
    try {
      if (encoder == null) {
        encoder = encoders.get();
      }
      producer = producers.get();
      return true;
    } catch (RuntimeException e) {
      waitAndWarn("can't connect", e);
      return false;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private void closeProducer(Duration timeout) {
    try {
      producer.close(timeout);
    } catch (RuntimeException e) {
      LOG.debug("The producer did not close cleanly", e);
    }
    producer = null;
  }

  /** Whether all that the broker had refused is on its way again. */
  private boolean sendAgain() {
    for (int left = again.size(); left > 0; left--) {
      ProducerRecord<byte[], byte[]> message = again.peek();
      if (message == null || !send(message)) {
        return false;
      }
      again.remove(message);
      inFlight.decrementAndGet(); // it was counted since its first send
    }
    return true;
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
    return send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value));
  }

  private boolean send(ProducerRecord<byte[], byte[]> message) {
    Attempt attempt = new Attempt(message);
    if (inFlight.getAndIncrement() == 0) {
      lastAcknowledgedMillis = clock.millis();
    }
    try {
      return attempt.isTaken(producer.send(message, attempt));
    } catch (InterruptException e) {
      inFlight.decrementAndGet(); // the agent's end does not wait for it
      return false;
    } catch (RuntimeException e) {
      // What may pass comes by the callback: a producer that throws is closed, or in its fatal
      // state.
      inFlight.decrementAndGet();
      producerIsUseless = true;
      waitAndWarn("can't send", e);
      return false;
    } catch (Error e) {
      inFlight.decrementAndGet();
      throw e;
    }
  }

  /** The producer retries by itself and says nothing of it. */
  private void warnIfNothingIsAcknowledged() {
    int waiting = inFlight.get() - again.size(); // those it has answered
    if (waiting > 0 && clock.millis() - lastAcknowledgedMillis >= LONG_SILENCE.toMillis()) {
      String reason = "the broker has acknowledged nothing for " + Durations.text(LONG_SILENCE);
      statistics.failed(reason);
      warning.warn(
          "Health records wait, "
              + reason
              + " or longer: see whether it can be reached at"
              + " spark.streampulse.kafka.bootstrap.servers");
    }
  }

  /** Only ever set here: reading and writing it back would undo what another thread has set. */
  private void replaceProducerIf(boolean useless) {
    if (useless) {
      producerIsUseless = true;
    }
  }

  private String reason(Exception failure) {
    return blot.apply(
        failure instanceof RegistryException
            ? failure.getMessage()
            : ConnectionAdvice.of(failure, topic).orElseGet(() -> unknown(failure)));
  }

  /** With the innermost cause: what wraps it says only what was being done. */
  private static String unknown(Exception failure) {
    List<Throwable> causes = Causes.of(failure);
    Throwable innermost = causes.get(causes.size() - 1);
    return innermost == failure ? failure.toString() : failure + " <- " + innermost;
  }

  private void waitAndWarn(String what, Exception failure) {
    backOff.failed();
    String reason = reason(failure);
    statistics.failed(reason);
    warning.warn("Health records wait, the publisher %s: %s".formatted(what, reason));
  }

  /**
   * One send. The producer reports what it refuses at once through the callback too, while send is
   * still running: such a record was never taken, and stays where it is.
   */
  private final class Attempt implements Callback {
    private final Thread sender = Thread.currentThread();
    private final ProducerRecord<byte[], byte[]> message;
    private final long sentMillis = clock.millis();
    private boolean sending = true;
    private Exception refusal;

    Attempt(ProducerRecord<byte[], byte[]> message) {
      this.message = message;
    }

    @Override
    public void onCompletion(RecordMetadata metadata, Exception failure) {
      if (failure == null) {
        inFlight.decrementAndGet();
        accounting.published();
        statistics.published(clock.millis() - sentMillis);
        lastAcknowledgedMillis = clock.millis();
        backOff.worked();
      } else if (Thread.currentThread() == sender && sending) {
        refusal = failure;
      } else {
        failed(failure);
      }
    }

    boolean isTaken(Future<RecordMetadata> sent) {
      sending = false;
      if (refusal == null) {
        return true;
      }
      LOG.debug("Refused at once: {}", sent, refusal);
      if (SendFailure.of(refusal).action() == SendFailure.Action.DROP_TOO_LARGE) {
        failed(refusal);
        return true;
      }
      inFlight.decrementAndGet();
      replaceProducerIf(SendFailure.of(refusal).newProducer());
      waitAndWarn("can't send", refusal);
      return false;
    }

    private void failed(Exception failure) {
      SendFailure meaning = SendFailure.of(failure);
      if (meaning.action() == SendFailure.Action.SEND_AGAIN) {
        again.add(message);
        replaceProducerIf(meaning.newProducer());
        waitAndWarn("was refused", failure);
        return;
      }
      inFlight.decrementAndGet();
      accounting.dropped(meaning.dropReason());
      String reason = reason(failure);
      statistics.failed(reason);
      warning.warn("Dropped a health record that the broker did not take: " + reason);
    }
  }
}
