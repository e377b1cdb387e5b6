package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RealTimeMetricsTest {
  @Test
  void readsLatenciesAndTaskMetrics() {
    RealTimeMetrics metrics =
        RealTimeMetrics.of(
            """
            {"batchId": 1, "latencies": {
              "processingLatencyMs": {"P0": 0, "P50": 1, "P99": 4.5},
              "e2eLatencyMs": {"P50": 2},
              "_taskMetrics": {"stage_0_task_0": {"busyTimeFraction": 0.03}}}}
            """);

    assertThat(metrics.latencies())
        .isEqualTo(
            Map.of(
                "processingLatencyMs", Map.of("P0", 0.0, "P50", 1.0, "P99", 4.5),
                "e2eLatencyMs", Map.of("P50", 2.0)));
    assertThat(metrics.taskMetrics())
        .isEqualTo(Map.of("stage_0_task_0", Map.of("busyTimeFraction", 0.03)));
  }

  @Test
  void readsTheOtherNameAndLowerCase() {
    RealTimeMetrics metrics =
        RealTimeMetrics.of("{\"rtmMetrics\": {\"sourceQueuingLatencyMs\": {\"p95\": 2}}}");

    assertThat(metrics.latencies()).isEqualTo(Map.of("sourceQueuingLatencyMs", Map.of("P95", 2.0)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "not json {",
        "[]",
        "5",
        "null",
        "{}",
        "{\"latencies\": 5}",
        "{\"latencies\": {\"e2eLatencyMs\": 5}}",
        "{\"latencies\": {\"_taskMetrics\": []}}"
      })
  void findsNothingInOtherShapes(String json) {
    assertThat(RealTimeMetrics.of(json)).isEqualTo(RealTimeMetrics.NONE);
  }
}
