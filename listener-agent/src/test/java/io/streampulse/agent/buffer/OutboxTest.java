package io.streampulse.agent.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final Accounting accounting = new Accounting();
  private final Outbox outbox = new Outbox(3, 1_000, accounting);

  @Test
  void dropsOldestProgressOrIdleWhenFull() {
    add(EventType.STARTED, EventType.PROGRESS, EventType.IDLE, EventType.TERMINATED);
    add(EventType.PROGRESS);

    assertThat(outbox.pending()).extracting(HealthRecord::getSequence).containsExactly(0L, 3L, 4L);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("buffer_full", 2L));
  }

  @Test
  void dropsTheOldestOfAllWhenThereIsNoProgress() {
    add(EventType.STARTED, EventType.STARTED, EventType.STARTED, EventType.TERMINATED);

    assertThat(outbox.pending()).extracting(HealthRecord::getSequence).containsExactly(1L, 2L, 3L);
  }

  @Test
  void isHalfFullByRecordsOrByBytes() {
    assertThat(outbox.isHalfFull()).isFalse();
    add(EventType.PROGRESS);
    assertThat(outbox.isHalfFull()).isFalse();
    add(EventType.PROGRESS);
    assertThat(outbox.isHalfFull()).isTrue();

    Outbox large = new Outbox(100, 1_000, accounting);
    large.add(outbox.pending().get(0), 499);
    assertThat(large.isHalfFull()).isFalse();
    large.add(outbox.pending().get(1), 1);
    assertThat(large.isHalfFull()).isTrue();
  }

  @Test
  void keepsWhatThePublisherDidNotTake() {
    add(EventType.STARTED, EventType.PROGRESS, EventType.IDLE);
    outbox.removeOldest(2);

    assertThat(outbox.pending()).extracting(HealthRecord::getSequence).containsExactly(2L);
    assertThat(outbox.size()).isEqualTo(1);
  }

  @Test
  void countsWhatItDropsAtTheEnd() {
    add(EventType.STARTED, EventType.PROGRESS);
    outbox.dropAll(DropReason.PUBLISH_FAILED);

    assertThat(outbox.pending()).isEmpty();
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("publish_failed", 2L));
  }

  @Test
  void dropsUntilTheBytesFit() {
    addOfSize(400, EventType.PROGRESS, EventType.PROGRESS);
    addOfSize(900, EventType.TERMINATED);

    assertThat(outbox.pending()).extracting(HealthRecord::getSequence).containsExactly(2L);
    assertThat(outbox.bytes()).isEqualTo(900);
    assertThat(accounting.droppedByReason()).isEqualTo(Map.of("buffer_full", 2L));
  }

  @Test
  void keepsOneRecordHoweverLarge() {
    addOfSize(5_000, EventType.PROGRESS);

    assertThat(outbox.size()).isEqualTo(1);
  }

  private void add(EventType... types) {
    addOfSize(1, types);
  }

  private void addOfSize(int bytes, EventType... types) {
    for (EventType type : types) {
      outbox.add(
          HealthRecord.newBuilder()
              .setAgentId("a")
              .setSequence(accounting.nextSequence())
              .setEventType(type)
              .setEventTime(Instant.EPOCH)
              .setObservedTime(Instant.EPOCH)
              .setAgentVersion("0")
              .build(),
          bytes);
    }
  }
}
