package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogHealthPublisherTest {
  @Test
  void takesEveryRecordAndCountsItAsPublished() {
    Accounting accounting = new Accounting();
    LogHealthPublisher publisher = new LogHealthPublisher(accounting);
    HealthRecord record =
        HealthRecord.newBuilder()
            .setAgentId("a")
            .setSequence(0)
            .setEventType(EventType.STARTED)
            .setEventTime(Instant.EPOCH)
            .setObservedTime(Instant.EPOCH)
            .setAgentVersion("1")
            .build();

    assertThat(publisher.publish(List.of(record, record))).isEqualTo(2);
    publisher.close(Duration.ZERO);
    assertThat(accounting.publishedCount()).isEqualTo(2);
  }
}
