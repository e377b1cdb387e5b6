package io.streampulse.agent.flush;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FlushCycleTest {
  private final ManualClock clock = new ManualClock();
  private final Accounting accounting = new Accounting();
  private final RecordBuffer buffer = new RecordBuffer(100, accounting, clock);
  private final Outbox outbox = new Outbox(100, 1_000_000, accounting);
  private final FakePublisher publisher = new FakePublisher();
  private final FlushCycle cycle =
      new FlushCycle(
          buffer,
          new RecordMapper(
              ApplicationInfo.of("a", "1", "4", Map.of(), Map.of()), Map.of(), accounting, 1),
          new RecordLimiter(100_000),
          outbox,
          publisher,
          accounting,
          new RepeatedWarning(LoggerFactory.getLogger(FlushCycleTest.class), clock),
          clock,
          Duration.ofSeconds(60));

  @Test
  void publishesWhatWasCollected() {
    buffer.offer(Events.started());
    buffer.offer(Events.progress(0, 1, 1));
    cycle.collect();
    cycle.publish();

    assertThat(publisher.types()).containsExactly(EventType.STARTED, EventType.PROGRESS);
    assertThat(outbox.size()).isZero();
  }

  @Test
  void keepsWhatThePublisherDoesNotTakeAndItsOrder() {
    publisher.takes = 1;
    buffer.offer(Events.started());
    buffer.offer(Events.progress(0, 1, 1));
    buffer.offer(Events.terminated());
    cycle.collect();
    cycle.publish();
    assertThat(outbox.size()).isEqualTo(2);

    publisher.takes = 10;
    cycle.publish();
    assertThat(publisher.types())
        .containsExactly(EventType.STARTED, EventType.PROGRESS, EventType.TERMINATED);
  }

  @Test
  void survivesAPublisherThatThrowsAnError() {
    publisher.failure = new NoClassDefFoundError("x");
    buffer.offer(Events.started());
    cycle.collect();
    cycle.publish();
    assertThat(outbox.size()).isEqualTo(1);

    publisher.failure = null;
    cycle.publish();
    assertThat(publisher.types()).containsExactly(EventType.STARTED);
  }

  @Test
  void countsAnEventThatCanNotBeMappedAndGoesOn() {
    buffer.offer(new StreamingQueryListener.Event() {});
    buffer.offer(Events.started());
    cycle.collect();

    assertThat(outbox.size()).isEqualTo(1);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("encode_failed", 1L));
  }

  @Test
  void sendsAHeartbeatOnlyAfterSilence() {
    clock.advance(Duration.ofSeconds(59));
    cycle.heartbeat();
    assertThat(outbox.size()).isZero();

    clock.advance(Duration.ofSeconds(1));
    cycle.heartbeat();
    cycle.heartbeat();
    assertThat(outbox.pending())
        .extracting(HealthRecord::getEventType)
        .containsExactly(EventType.HEARTBEAT);

    clock.advance(Duration.ofSeconds(59));
    buffer.offer(Events.started());
    cycle.collect();
    clock.advance(Duration.ofSeconds(59));
    cycle.heartbeat();
    assertThat(outbox.size()).isEqualTo(2);
  }

  @Test
  void endsWithAClosingRecordAndAccountsForAll() {
    publisher.takes = 2;
    buffer.offer(Events.started());
    buffer.offer(Events.progress(0, 1, 1));
    cycle.finish(Duration.ofSeconds(1));

    assertThat(publisher.types()).containsExactly(EventType.STARTED, EventType.PROGRESS);
    assertThat(publisher.closed).isTrue();
    assertThat(accounting.producedCount()).isEqualTo(3);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("publish_failed", 1L));
  }

  @Test
  void closingRecordCountsWhatItPutOutOfAFullOutbox() {
    for (int event = 0; event < 100; event++) {
      buffer.offer(Events.progress(event, 1, 1));
    }
    cycle.collect();
    cycle.finish(Duration.ofSeconds(1));

    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("buffer_full", 1L));
    HealthRecord last = publisher.published.get(99);
    assertThat(last.getEventType()).isEqualTo(EventType.AGENT_STOPPED);
    assertThat(last.getDropped()).isEqualTo(Map.of("buffer_full", 1L));
  }

  @Test
  void closingRecordIsTheLast() {
    buffer.offer(Events.started());
    cycle.finish(Duration.ofSeconds(1));

    assertThat(publisher.types()).containsExactly(EventType.STARTED, EventType.AGENT_STOPPED);
    assertThat(publisher.published.get(1).getActiveRuns()).hasSize(1);
  }

  private static final class FakePublisher implements HealthPublisher {
    private final List<HealthRecord> published = new ArrayList<>();
    private int takes = 100;
    private Error failure;
    private boolean closed;

    @Override
    public int publish(List<HealthRecord> records) {
      if (failure != null) {
        throw failure;
      }
      int taken = Math.min(takes, records.size());
      published.addAll(records.subList(0, taken));
      return taken;
    }

    @Override
    public void close(Duration timeout) {
      closed = true;
    }

    private List<EventType> types() {
      return published.stream().map(HealthRecord::getEventType).toList();
    }
  }
}
