package io.streampulse.agent.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.Events;
import io.streampulse.agent.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.junit.jupiter.api.Test;

class RecordBufferTest {
  private final Accounting accounting = new Accounting();
  private final ManualClock clock = new ManualClock();
  private final RecordBuffer buffer = new RecordBuffer(3, accounting, clock);

  @Test
  void givesEventsBackInOrderNumberedAndStamped() {
    offer(Events.started(), Events.progress(0, 1, 1), Events.terminated());

    List<StampedEvent> drained = drained(buffer);

    assertThat(drained).extracting(StampedEvent::sequence).containsExactly(0L, 1L, 2L);
    assertThat(drained)
        .extracting(StampedEvent::observedMillis)
        .containsOnly(clock.instant().toEpochMilli());
    assertThat(buffer.size()).isZero();
    assertThat(drained(buffer)).isEmpty();
  }

  @Test
  void dropsOldestProgressWhenFull() {
    offer(
        Events.started(),
        Events.progress(0, 1, 1),
        Events.progress(1, 1, 1),
        Events.progress(2, 1, 1),
        Events.terminated());

    assertThat(drained(buffer)).extracting(StampedEvent::sequence).containsExactly(0L, 3L, 4L);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("buffer_full", 2L));
  }

  @Test
  void dropsStartsAndEndsOnlyWhenNothingElseIsLeft() {
    offer(Events.started(), Events.started(), Events.started(), Events.started());

    assertThat(drained(buffer)).extracting(StampedEvent::sequence).containsExactly(1L, 2L, 3L);
  }

  @Test
  void countsWhatComesAfterTheClose() {
    offer(Events.started());
    buffer.close();
    offer(Events.progress(0, 1, 1));

    assertThat(drained(buffer)).hasSize(1);
    assertThat(accounting.producedCount()).isEqualTo(2);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("closed", 1L));
  }

  @Test
  void losesNoEventWithoutCountingIt() throws Exception {
    int threads = 4;
    int each = 5_000;
    RecordBuffer shared = new RecordBuffer(100, accounting, clock);
    CountDownLatch running = new CountDownLatch(threads);
    for (int t = 0; t < threads; t++) {
      StreamingQueryListener.Event event = t % 2 == 0 ? Events.progress(0, 1, 1) : Events.started();
      new Thread(
              () -> {
                LongStream.range(0, each).forEach(i -> shared.offer(event));
                running.countDown();
              })
          .start();
    }
    List<StampedEvent> drained = new ArrayList<>();
    while (running.getCount() > 0) {
      drained.addAll(drained(shared));
      if (drained.size() > each / 2) {
        shared.close();
      }
    }
    drained.addAll(drained(shared));

    assertThat(accounting.producedCount()).isEqualTo((long) threads * each);
    assertThat(drained.size() + accounting.droppedCount()).isEqualTo(accounting.producedCount());
    assertThat(drained).extracting(StampedEvent::sequence).doesNotHaveDuplicates();
    assertThat(shared.size()).isZero();
  }

  private static List<StampedEvent> drained(RecordBuffer buffer) {
    List<StampedEvent> drained = new ArrayList<>();
    for (StampedEvent event; (event = buffer.poll()) != null; ) {
      drained.add(event);
    }
    return drained;
  }

  private void offer(StreamingQueryListener.Event... events) {
    for (StreamingQueryListener.Event event : events) {
      buffer.offer(event);
    }
  }
}
