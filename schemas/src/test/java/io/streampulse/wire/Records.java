package io.streampulse.wire;

import io.streampulse.schema.ActiveRun;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SinkProgress;
import io.streampulse.schema.SourceProgress;
import io.streampulse.schema.StateOperatorProgress;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Health records for tests: one with as little as may be, one with no field at its default. */
final class Records {
  private Records() {}

  static HealthRecord minimal() {
    return HealthRecord.newBuilder()
        .setAgentId("a")
        .setSequence(0)
        .setEventType(EventType.HEARTBEAT)
        .setEventTime(Instant.ofEpochMilli(1))
        .setObservedTime(Instant.ofEpochMilli(2))
        .setAgentVersion("0")
        .build();
  }

  static HealthRecord full() {
    Instant time = Instant.parse("2026-01-02T03:04:05.678Z");
    return HealthRecord.newBuilder(minimal())
        .setDropped(Map.of("buffer_full", 3L))
        .setApplicationId("app-1")
        .setApplicationName("job")
        .setSparkVersion("4.2.0")
        .setHost("driver")
        .setClusterId("c")
        .setJobId("j")
        .setJobRunId("r")
        .setTags(Map.of("team", "\u00fcber \uD83D\uDE80"))
        .setQueryId("q")
        .setRunId("run")
        .setQueryName("name")
        .setJobTags(List.of("tag"))
        .setBatchId(Long.MAX_VALUE)
        .setNumInputRows(5L)
        .setInputRowsPerSecond(0.04)
        .setProcessedRowsPerSecond(Double.MIN_VALUE)
        .setFallingBehind(true)
        .setFallingBehindStreak(2)
        .setBatchDurationMs(7L)
        .setDurationMs(Map.of("addBatch", 6L))
        .setWatermark(time)
        .setEventTimeStats(Map.of("max", "2026-01-02T03:04:05.678Z"))
        .setSources(
            List.of(
                SourceProgress.newBuilder()
                    .setDescription("KafkaV2[Subscribe[t]]")
                    .setEndOffset("{\"t\":{\"0\":9223372036854775807}}")
                    .setMetrics(Map.of("maxOffsetsBehindLatest", "-5"))
                    .setBacklog(9L)
                    .build()))
        .setSink(SinkProgress.newBuilder().setDescription("sink").setNumOutputRows(4L).build())
        .setStateOperators(
            List.of(StateOperatorProgress.newBuilder().setOperatorName("dedupe").build()))
        .setObservedMetrics(Map.of("m", "{\"avg\":1.5}"))
        .setLatencies(Map.of("e2eLatencyMs", Map.of("P99", 4.0)))
        .setTaskMetrics(Map.of("stage_0_task_0", Map.of("busyTimeFraction", 0.03)))
        .setErrorClass("STREAM_FAILED")
        .setErrorMessage("no")
        .setException("no\n\tat x")
        .setActiveRuns(List.of(new ActiveRun("q", "run", null)))
        .setTruncated(List.of("exception"))
        .build();
  }
}
