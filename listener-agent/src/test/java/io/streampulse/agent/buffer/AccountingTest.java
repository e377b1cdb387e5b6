package io.streampulse.agent.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.Events;
import io.streampulse.agent.ManualClock;
import io.streampulse.agent.flush.FlushCycle;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.agent.mapping.ApplicationInfo;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import io.streampulse.agent.publish.HealthPublisher;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** produced = published + dropped by reason + still on the way: through the whole pipeline. */
@Timeout(60)
class AccountingTest {
  private static final int CAPACITY = 64;
  private static final int THREADS = 3;
  private static final int EVENTS = 20_000;

  private final Accounting accounting = new Accounting();
  private final ManualClock clock = new ManualClock();
  private final RecordBuffer buffer = new RecordBuffer(CAPACITY, accounting, clock);
  private final Outbox outbox = new Outbox(CAPACITY, 1_000_000, accounting);
  private final SlowPublisher publisher = new SlowPublisher();
  private final FlushCycle cycle =
      new FlushCycle(
          buffer,
          new RecordMapper(
              ApplicationInfo.of("a", "1", "4", Map.of(), Map.of()), Map.of(), accounting, 100),
          new RecordLimiter(100_000),
          outbox,
          publisher,
          accounting,
          new RepeatedWarning(LoggerFactory.getLogger(AccountingTest.class), clock),
          clock,
          Duration.ofHours(1));

  @Test
  void balancesAtEveryMomentWhileEventsStreamThrough() throws Exception {
    CountDownLatch producing = new CountDownLatch(THREADS);
    for (int t = 0; t < THREADS; t++) {
      new Thread(
              () -> {
                for (int i = 0; i < EVENTS; i++) {
                  buffer.offer(i % 100 == 0 ? Events.started() : Events.progress(i, 1, 1));
                }
                producing.countDown();
              })
          .start();
    }
    List<Long> onTheWay = new ArrayList<>();
    Thread observer =
        new Thread(
            () -> {
              while (producing.getCount() > 0) {
                onTheWay.add(accounting.onTheWay());
              }
            });
    observer.start();
    while (producing.getCount() > 0) {
      cycle.collect();
      cycle.publish();
      publisher.acknowledgeSome();
    }
    observer.join();

    // Never negative, though others go on between two reads of the observer.
    assertThat(onTheWay).isNotEmpty().allMatch(n -> n >= 0);
    // At rest the places are counted one by one.
    assertThat(accounting.onTheWay())
        .isEqualTo((long) buffer.size() + outbox.size() + publisher.inFlight.size());
    assertThat(accounting.droppedCount()).isPositive();
    assertThat(accounting.publishedCount()).isPositive();

    cycle.finish(Duration.ofSeconds(1));
    assertThat(accounting.producedCount()).isEqualTo((long) THREADS * EVENTS + 1);
    assertThat(accounting.onTheWay()).isZero();
    assertThat(accounting.producedCount())
        .isEqualTo(accounting.publishedCount() + accounting.droppedCount());
  }

  /** Takes a few at a time and acknowledges them later; some fail. */
  private final class SlowPublisher implements HealthPublisher {
    private final Deque<HealthRecord> inFlight = new ArrayDeque<>();

    @Override
    public int publish(List<HealthRecord> records) {
      int taken = Math.min(records.size(), 40 - inFlight.size());
      inFlight.addAll(records.subList(0, taken));
      return taken;
    }

    void acknowledgeSome() {
      for (int i = 0; i < 10 && !inFlight.isEmpty(); i++) {
        if (inFlight.removeFirst().getSequence() % 7 == 0) {
          accounting.dropped(DropReason.PUBLISH_FAILED);
        } else {
          accounting.published();
        }
      }
    }

    @Override
    public void close(Duration timeout) {
      while (!inFlight.isEmpty()) {
        acknowledgeSome();
      }
    }
  }
}
