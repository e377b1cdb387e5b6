package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.FakeLogger;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class LogHealthPublisherTest {
  private final List<String> logged = new ArrayList<>();
  private final Accounting accounting = new Accounting();

  @Test
  void logsEveryRecordAndCountsItAsPublished() {
    LogHealthPublisher publisher = new LogHealthPublisher(accounting, log(true));

    assertThat(publisher.publish(List.of(record(1), record(2)))).isEqualTo(2);
    publisher.close(Duration.ZERO);
    assertThat(accounting.publishedCount()).isEqualTo(2);
    assertThat(logged)
        .hasSize(2)
        .allMatch(line -> line.startsWith("info {\"agentId\": \"a\""))
        .anyMatch(line -> line.contains("\"sequence\": 2"));
  }

  @Test
  void whatFailsWaitsAndWhatCameBeforeIsNotWrittenAgain() {
    LogHealthPublisher publisher = new LogHealthPublisher(accounting, log(true));

    assertThat(publisher.publish(List.of(record(1), record(-1), record(2)))).isEqualTo(1);
    assertThat(accounting.publishedCount()).isEqualTo(1);
  }

  @Test
  void saysThatNobodySeesTheRecords() {
    new LogHealthPublisher(accounting, log(false));

    assertThat(logged).singleElement().asString().startsWith("warn Health records go to the log");
  }

  private static HealthRecord record(long sequence) {
    return HealthRecord.newBuilder()
        .setAgentId("a")
        .setSequence(sequence)
        .setEventType(EventType.STARTED)
        .setEventTime(Instant.EPOCH)
        .setObservedTime(Instant.EPOCH)
        .setAgentVersion("1")
        .build();
  }

  /** A logger that keeps what it is told, and fails for a record with a negative number. */
  private Logger log(boolean info) {
    return FakeLogger.of(
        (proxy, method, arguments) -> {
          if (method.getName().equals("isInfoEnabled")) {
            return info;
          }
          if (method.getName().matches("info|warn")) {
            String text = arguments[0].equals("{}") ? arguments[1].toString() : "" + arguments[0];
            if (text.contains("\"sequence\": -1")) {
              throw new IllegalStateException("disk full");
            }
            logged.add(method.getName() + " " + text);
          }
          return null;
        });
  }
}
