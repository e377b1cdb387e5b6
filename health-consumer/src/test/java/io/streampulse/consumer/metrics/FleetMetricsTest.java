package io.streampulse.consumer.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetMetricsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.500Z");

  private static final String ORDERS =
      """
      {"queryId":"q1","runId":"r1","queryName":"orders","applicationId":"app-1",
       "applicationName":"shop","agentId":"a1","agentVersion":"1.2.0","sparkVersion":"4.2.0",
       "host":"driver-1","clusterId":"c-9","jobId":"77","jobRunId":"78",
       "state":"FALLING_BEHIND","severity":4,"signals":["STATE_GROWTH","SLOW_PHASE"],
       "lastEventAt":"2026-03-01T11:59:30.250Z","batchDurationMs":1500,"inputRowsPerSecond":200.5,
       "processedRowsPerSecond":100.25,"headroom":0.5,"lagRecords":9000000000,"lagSeconds":42.5,
       "lagTrendPerSecond":-3.5,"catchUpSeconds":90.0,"fallingBehindStreak":7,
       "watermarkLagSeconds":12.0,"stateRows":5000,"stateBytes":1048576,
       "phaseMs":{"addBatch":1200,"walCommit":30.5}}
      """;
  private static final String BARE =
      """
      {"queryId":"q2","applicationId":"app-2","state":"OK","severity":10,"signals":[]}
      """;
  private static final String AGENT =
      """
      {"agentId":"a1","agentVersion":"1.2.0","closed":false,"missing":2,
       "dropped":{"buffer_full":10},"ingestDelaySeconds":1.5,"ingestDelayMaxSeconds":8.0,
       "quarantined":3}
      """;

  private final FleetMetrics metrics = new FleetMetrics();

  @Test
  void everyMetricHasItsValueNameAndType() {
    metrics.refreshed(Duration.ofMillis(1250));
    metrics.refreshFailed();
    metrics.update(snapshot(List.of(ORDERS, BARE), List.of(AGENT)));

    Exposition text = Exposition.parse(metrics.scrape());

    String[] orders = {"query_id", "q1", "query_name", "orders", "application", "shop"};
    assertThat(text.value("streampulse_query_lag_records", orders)).isEqualTo(9e9);
    assertThat(text.value("streampulse_query_lag_seconds", orders)).isEqualTo(42.5);
    assertThat(text.value("streampulse_query_lag_trend_records_per_second", orders))
        .isEqualTo(-3.5);
    assertThat(text.value("streampulse_query_catch_up_seconds", orders)).isEqualTo(90);
    assertThat(text.value("streampulse_query_last_event_timestamp_seconds", orders))
        .isEqualTo(1772366370.25);
    assertThat(text.value("streampulse_query_input_rows_per_second", orders)).isEqualTo(200.5);
    assertThat(text.value("streampulse_query_processed_rows_per_second", orders)).isEqualTo(100.25);
    assertThat(text.value("streampulse_query_headroom_ratio", orders)).isEqualTo(0.5);
    assertThat(text.value("streampulse_query_batch_duration_seconds", orders)).isEqualTo(1.5);
    assertThat(text.value("streampulse_query_falling_behind_streak", orders)).isEqualTo(7);
    assertThat(text.value("streampulse_query_watermark_lag_seconds", orders)).isEqualTo(12);
    assertThat(text.value("streampulse_query_state_rows", orders)).isEqualTo(5000);
    assertThat(text.value("streampulse_query_state_bytes", orders)).isEqualTo(1048576);
    assertThat(text.samples.get("streampulse_query_status")).hasSize(22);
    assertThat(text.value("streampulse_query_status", "query_id", "q1", "status", "FALLING_BEHIND"))
        .isEqualTo(1);
    assertThat(text.value("streampulse_query_status", "query_id", "q1", "status", "OK")).isZero();
    assertThat(text.samples.get("streampulse_query_signal").keySet())
        .extracting(labels -> labels.get("signal"))
        .containsExactlyInAnyOrder("STATE_GROWTH", "SLOW_PHASE");
    assertThat(
            text.value(
                "streampulse_query_info",
                "query_id",
                "q1",
                "spark_version",
                "4.2.0",
                "agent_version",
                "1.2.0",
                "host",
                "driver-1",
                "cluster_id",
                "c-9",
                "job_id",
                "77"))
        .isEqualTo(1);
    assertThat(text.value("streampulse_query_phase_duration_seconds", "phase", "addBatch"))
        .isEqualTo(1.2);
    assertThat(text.value("streampulse_query_phase_duration_seconds", "phase", "walCommit"))
        .isEqualTo(0.0305);
    assertThat(text.samples.get("streampulse_queries")).hasSize(QueryState.values().length);
    assertThat(text.value("streampulse_queries", "status", "FALLING_BEHIND")).isEqualTo(1);
    assertThat(text.value("streampulse_queries", "status", "FAILED")).isZero();
    assertThat(text.value("streampulse_queries_not_exported")).isZero();
    assertThat(text.value("streampulse_agent_dropped_records_total", "reason", "buffer_full"))
        .isZero();
    assertThat(text.value("streampulse_agent_missing_records")).isEqualTo(2);
    assertThat(text.value("streampulse_agents", "agent_version", "1.2.0", "closed", "false"))
        .isEqualTo(1);
    assertThat(text.value("streampulse_ingest_delay_seconds")).isEqualTo(1.5);
    assertThat(text.value("streampulse_ingest_delay_max_seconds")).isEqualTo(8);
    assertThat(text.value("streampulse_quarantined_messages")).isEqualTo(3);
    assertThat(text.value("streampulse_newest_event_timestamp_seconds")).isEqualTo(1772366398.5);
    assertThat(text.value("streampulse_newest_row_timestamp_seconds")).isEqualTo(1772366399.5);
    assertThat(text.value("streampulse_read_timestamp_seconds")).isEqualTo(1772366400.5);
    assertThat(text.value("streampulse_telemetry_outage")).isZero();
    assertThat(text.value("streampulse_refresh_duration_seconds")).isEqualTo(1.25);
    assertThat(text.value("streampulse_refresh_failures_total")).isEqualTo(1);

    for (Metric metric : MetricCatalog.ALL) {
      String type = metric.type() == Metric.Type.COUNTER ? "counter" : "gauge";
      assertThat(text.types).contains(entry(metric.name(), type));
      assertThat(text.helps).contains(entry(metric.name(), metric.help()));
      assertThat(text.samples.get(metric.name()).keySet())
          .allSatisfy(
              labels ->
                  assertThat(labels).containsOnlyKeys(metric.labels().toArray(new String[0])));
    }
    assertThat(text.types).hasSize(MetricCatalog.ALL.size());
  }

  @Test
  void numbersThatAreNotThereHaveNoSeries() {
    metrics.update(snapshot(List.of(BARE), List.of()));

    Exposition text = Exposition.parse(metrics.scrape());

    assertThat(text.samples.keySet())
        .filteredOn(name -> name.startsWith("streampulse_query_"))
        .containsExactlyInAnyOrder("streampulse_query_status", "streampulse_query_info");
    assertThat(text.value("streampulse_query_info", "query_name", "q2", "application", "app-2"))
        .isEqualTo(1);
    assertThat(text.value("streampulse_quarantined_messages"))
        .as("of no agent, when all is quarantined")
        .isEqualTo(3);
  }

  @Test
  void runsAreInNoLabel() {
    metrics.update(snapshot(List.of(ORDERS), List.of(AGENT)));

    assertThat(metrics.scrape()).doesNotContain("\"r1\"").doesNotContain("\"78\"");
  }

  @Test
  void beforeTheFirstSnapshotThereIsNothingOfTheFleet() {
    Exposition text = Exposition.parse(metrics.scrape());

    assertThat(text.samples.keySet())
        .containsExactlyInAnyOrder(
            "streampulse_refresh_duration_seconds",
            "streampulse_refresh_failures_total",
            "streampulse_agent_dropped_records_total");
  }

  @Test
  void seriesOfQueriesThatAreGoneDisappear() {
    metrics.update(snapshot(List.of(ORDERS, BARE), List.of(AGENT)));
    metrics.update(snapshot(List.of(BARE), List.of(AGENT)));

    assertThat(metrics.scrape()).contains("\"q2\"").doesNotContain("\"q1\"");
  }

  @Test
  void outageIsAFlag() {
    metrics.update(
        new FleetSnapshot(
            "main.x.y",
            NOW,
            Optional.empty(),
            Optional.empty(),
            Optional.of("nothing arrives"),
            List.of(),
            List.of(),
            4));

    Exposition text = Exposition.parse(metrics.scrape());

    assertThat(text.value("streampulse_telemetry_outage")).isEqualTo(1);
    assertThat(text.samples).doesNotContainKey("streampulse_newest_row_timestamp_seconds");
  }

  @Test
  void droppedRecordsOnlyEverRise() {
    List<Double> seen = new ArrayList<>();
    for (List<String> agents :
        List.of(
            List.of(agent("a1", 10)),
            List.of(agent("a1", 14), agent("a2", 5)),
            List.of(agent("a2", 5)),
            List.<String>of(),
            List.of(agent("a1", 14), agent("a2", 6)),
            List.of(agent("a1", 3)))) {
      metrics.update(snapshot(List.of(), agents));
      seen.add(
          Exposition.parse(metrics.scrape())
              .value("streampulse_agent_dropped_records_total", "reason", "buffer_full"));
    }

    assertThat(seen).containsExactly(0.0, 9.0, 9.0, 9.0, 10.0, 10.0);
  }

  @Test
  void reasonsThatNobodyKnowsAreOneReason() {
    metrics.update(snapshot(List.of(), List.of()));
    metrics.update(
        snapshot(List.of(), List.of("{\"agentId\":\"a\",\"dropped\":{\"new_a\":1,\"new_b\":2}}")));

    assertThat(
            Exposition.parse(metrics.scrape())
                .value("streampulse_agent_dropped_records_total", "reason", "other"))
        .isEqualTo(3);
  }

  @Test
  void labelsAreEscapedAndCut() {
    ObjectNode row = json(ORDERS);
    String name = "a \"quoted\" \\ path\nand a line, with {braces} = 1";
    row.put("queryName", name);
    row.put("applicationName", "😀".repeat(300));
    metrics.update(snapshotOf(List.of(new QueryStatus(row)), List.of()));

    Map<String, String> labels =
        Exposition.parse(metrics.scrape())
            .samples
            .get("streampulse_query_lag_seconds")
            .keySet()
            .iterator()
            .next();

    assertThat(labels).contains(entry("query_name", name), entry("application", "😀".repeat(200)));
  }

  @Test
  void onlyTheMostUrgentQueriesHaveSeriesBeyondTheBound() {
    FleetMetrics bounded = new FleetMetrics(3);
    bounded.update(snapshotOf(many(10, "x"), List.of()));

    Exposition text = Exposition.parse(bounded.scrape());

    assertThat(text.samples.get("streampulse_query_info").keySet())
        .extracting(labels -> labels.get("query_id"))
        .containsExactlyInAnyOrder("q0", "q1", "q2");
    assertThat(text.value("streampulse_queries_not_exported")).isEqualTo(7);
    assertThat(text.value("streampulse_queries", "status", "OK")).isEqualTo(10);
  }

  @Test
  void aScrapeSeesOneSnapshotWhole() {
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> updates =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 50; i++) {
                metrics.update(snapshotOf(many(20, "host-" + i), List.of()));
              }
              done.set(true);
            });
    while (!done.get() && !updates.isCompletedExceptionally()) {
      Map<Map<String, String>, Double> infos =
          Exposition.parse(metrics.scrape())
              .samples
              .getOrDefault("streampulse_query_info", Map.of());
      if (!infos.isEmpty()) {
        assertThat(infos).hasSize(20);
        assertThat(Set.copyOf(infos.keySet().stream().map(labels -> labels.get("host")).toList()))
            .hasSize(1);
      }
    }

    updates.join();
  }

  private static List<QueryStatus> many(int count, String host) {
    return IntStream.range(0, count)
        .mapToObj(i -> new QueryStatus(json(BARE).put("queryId", "q" + i).put("host", host)))
        .toList();
  }

  private static String agent(String id, int dropped) {
    return "{\"agentId\":\"%s\",\"dropped\":{\"buffer_full\":%d}}".formatted(id, dropped);
  }

  private static FleetSnapshot snapshot(List<String> queries, List<String> agents) {
    return snapshotOf(
        queries.stream().map(query -> new QueryStatus(json(query))).toList(),
        agents.stream().map(FleetMetricsTest::json).toList());
  }

  private static FleetSnapshot snapshotOf(List<QueryStatus> queries, List<ObjectNode> agents) {
    return new FleetSnapshot(
        "main.x.y",
        NOW,
        Optional.of(NOW.minusSeconds(2)),
        Optional.of(NOW.minusSeconds(1)),
        Optional.empty(),
        queries,
        agents,
        3);
  }

  private static ObjectNode json(String text) {
    try {
      return (ObjectNode) JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
