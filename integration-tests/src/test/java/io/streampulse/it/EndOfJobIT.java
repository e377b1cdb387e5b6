package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthTopic;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However a job ends, its last progress and a closing record are on the topic. */
class EndOfJobIT {
  @ParameterizedTest
  @CsvSource({
    "available-now, 0, true",
    "exit, 0, false",
    "stop-context, 0, false",
    "return, 0, false",
    "fail, 1, false",
    "slow-sibling, 0, false",
    "attached-in-code, 0, true"
  })
  void lastProgressAndAClosingRecordReachTheTopic(
      String way, int exitCode, boolean runHasTerminated) throws Exception {
    String topic = "end-of-job-" + way;
    Environment.broker().createTopic(topic, 1);
    Path folder = Environment.newFolder("end-of-job");
    Map<String, String> conf =
        new HashMap<>(Environment.agentConf(Environment.broker().plainClient(), topic));
    if (way.equals("attached-in-code")) {
      conf.remove("spark.sql.streaming.streamingQueryListeners");
    }
    if (way.equals("slow-sibling")) {
      // Spark itself loses events behind the slow listener; ours must still add up.
      conf.put("spark.scheduler.listenerbus.eventqueue.streams.capacity", "5");
    }
    try (ChildJvm job =
        Environment.submit(
            "end-of-job",
            EndingJob.class,
            conf,
            List.of(ChildJvm.jarOnClassPath("streampulse-listener-agent")),
            way,
            folder.resolve("checkpoint").toString())) {
      assertThat(job.awaitExit(Duration.ofMinutes(2))).as(job.output()).isEqualTo(exitCode);
      if (way.equals("attached-in-code")) {
        assertThat(job.output()).contains("listeners left: 0");
      }
      assertThat(job.output()).contains("Streampulse agent stopped").doesNotContain("Dropped a");
    }

    List<HealthRecord> records =
        HealthTopic.read(Environment.broker(), topic).stream()
            .sorted(Comparator.comparingLong(HealthRecord::getSequence))
            .toList();
    assertThat(records.get(0).getEventType()).isEqualTo(EventType.STARTED);
    assertThat(records)
        .filteredOn(r -> r.getEventType() == EventType.PROGRESS)
        .hasSizeGreaterThanOrEqualTo(runHasTerminated || way.equals("slow-sibling") ? 1 : 4);
    HealthRecord last = records.get(records.size() - 1);
    assertThat(last.getEventType()).isEqualTo(EventType.AGENT_STOPPED);
    assertThat(last.getSequence()).isEqualTo(records.size() - 1);
    assertThat(last.getDropped()).isEmpty();
    if (runHasTerminated) {
      assertThat(records)
          .filteredOn(r -> r.getEventType() == EventType.TERMINATED)
          .singleElement()
          .satisfies(r -> assertThat(r.getErrorMessage()).isNull());
      assertThat(last.getActiveRuns()).isEmpty();
    }
  }
}
