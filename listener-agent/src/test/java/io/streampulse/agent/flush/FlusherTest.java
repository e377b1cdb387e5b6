package io.streampulse.agent.flush;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import io.streampulse.agent.Events;
import io.streampulse.agent.ManualClock;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.Outbox;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.agent.mapping.ApplicationInfo;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import io.streampulse.agent.publish.HealthPublisher;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(20)
class FlusherTest {
  private static final int CAPACITY = 10;

  private final AtomicInteger published = new AtomicInteger();
  private final ManualClock clock = new ManualClock();
  private final Accounting accounting = new Accounting();
  private final RecordBuffer buffer = new RecordBuffer(CAPACITY, accounting, clock);

  @Test
  void publishesTheClosingRecordOnceHoweverOftenItIsClosed() {
    Flusher flusher = new Flusher(() -> cycle(new CountingPublisher()), Duration.ofHours(1));
    flusher.start();
    flusher.close(Duration.ofSeconds(10));
    flusher.close(Duration.ofSeconds(10));

    assertThat(published).hasValue(1);
  }

  @Test
  void closeReturnsInTimeThoughThePublisherHangsForEver() throws Exception {
    HangingPublisher hanging = new HangingPublisher();
    Flusher flusher = new Flusher(() -> cycle(hanging), Duration.ofHours(1));
    flusher.start();
    long begin = System.nanoTime();
    flusher.close(Duration.ofMillis(200));
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));

    // The thread has been asked to give up; a publisher that can be interrupted lets go.
    hanging.interrupted.await();
  }

  @Test
  void closeKeepsTheCallersInterruptFlag() {
    Flusher flusher = new Flusher(() -> cycle(new CountingPublisher()), Duration.ofHours(1));
    flusher.start();
    Thread.currentThread().interrupt();
    flusher.close(Duration.ofSeconds(10));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(published).hasValue(1);
  }

  @Test
  void closeBeforeAnythingHappenedDoesNotThrow() {
    Flusher flusher = new Flusher(() -> cycle(new CountingPublisher()), Duration.ofHours(1));

    assertThatCode(() -> flusher.close(Duration.ofMillis(10))).doesNotThrowAnyException();
  }

  @Test
  void publishesBeforeTheIntervalRatherThanDrop() {
    Flusher flusher = new Flusher(() -> cycle(new CountingPublisher()), Duration.ofHours(1));
    flusher.start();
    for (int burst = 1; burst <= 3; burst++) {
      for (int event = 0; event < CAPACITY; event++) {
        buffer.offer(Events.progress(event, 1, 1));
      }
      int most = burst * CAPACITY - CAPACITY / 2;
      await().until(() -> published.get() > most);
    }
    flusher.close(Duration.ofSeconds(10));

    assertThat(accounting.droppedByReason()).isEmpty();
    assertThat(published).hasValue(3 * CAPACITY + 1);
  }

  private FlushCycle cycle(HealthPublisher publisher) {
    return new FlushCycle(
        buffer,
        new RecordMapper(
            ApplicationInfo.of("a", "1", "4", Map.of(), Map.of()), Map.of(), accounting, 1),
        new RecordLimiter(100_000),
        new Outbox(CAPACITY, 1_000_000, accounting),
        publisher,
        accounting,
        new RepeatedWarning(LoggerFactory.getLogger(FlusherTest.class), clock),
        clock,
        Duration.ofMinutes(1));
  }

  private final class CountingPublisher implements HealthPublisher {
    @Override
    public int publish(List<HealthRecord> records) {
      published.addAndGet(records.size());
      return records.size();
    }

    @Override
    public void close(Duration timeout) {}
  }

  private static final class HangingPublisher implements HealthPublisher {
    private final CountDownLatch interrupted = new CountDownLatch(1);

    @Override
    public int publish(List<HealthRecord> records) {
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
      return 0;
    }

    @Override
    public void close(Duration timeout) {}
  }
}
