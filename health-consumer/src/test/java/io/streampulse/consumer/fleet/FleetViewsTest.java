package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.testing.DeployedAlerts;
import io.streampulse.testing.HealthRows;
import io.streampulse.testing.HealthRows.Agent;
import io.streampulse.testing.HealthRows.Batch;
import io.streampulse.testing.HealthRows.Run;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The views beside {@code query_status}, over rows made by hand. */
class FleetViewsTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Duration GAP = Duration.ofSeconds(10);
  private static final HealthRows ROWS = new HealthRows();
  private static final Path DATABRICKS = Path.of("../deploy/databricks");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static ViewFixture fixture;

  @BeforeAll
  static void askOnce() {
    rates();
    phases();
    runs();
    realTime();
    slo();
    agents();
    fixture = ViewFixture.of(ROWS, NOW);
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  private static void rates() {
    query("lags-most", batch -> batch.lag = 9000);
    query("lags", batch -> batch.lag = 500 + 10L * batch.index);
    query("no-lag", batch -> batch.lag = 0);
    query("streak", batch -> batch.streak = batch.toEnd() < 2 ? 2 - batch.toEnd() : 0);
    query("ended-in-a-streak", batch -> batch.streak = batch.index + 1).stops(ago(4));
    query("durations", batch -> batch.durationMs = 100L * (batch.index + 1));
    query("utilised-29", batch -> batch.durationMs = 2900);
    query("utilised-30", batch -> batch.durationMs = 3000);
    query("utilised-70", batch -> batch.durationMs = 7000);
    query("utilised-71", batch -> batch.durationMs = 7100);
  }

  private static void phases() {
    query(
        "phases",
        batch ->
            batch.phases =
                Map.of(
                    "addBatch",
                    60L,
                    "walCommit",
                    15L,
                    "commitOffsets",
                    5L,
                    "queryPlanning",
                    20L,
                    "triggerExecution",
                    100L));
    query(
        "without-rows",
        batch -> {
          batch.rows = 0;
          batch.phases = Map.of("addBatch", 60L, "triggerExecution", 100L);
        });
  }

  private static void runs() {
    Agent agent = ROWS.agent("restarts");
    agent.run("restarts", "1").starts(ago(90_000)).fails(ago(80_000), "OLD_ERROR", "as ever");
    agent.run("restarts", "2").starts(ago(7000)).fails(ago(6000), "OLD_ERROR", "again");
    agent.run("restarts", "3").starts(ago(5990)).fails(ago(5000), "NEW_ERROR", "never seen");
    agent.run("restarts", "4").starts(ago(4000)).stops(ago(3000));
    agent.heartbeats(ago(5), ago(5), GAP);
    ROWS.agent("began-before").run("began-before", "1").batches(10, GAP, ago(5), batch -> {});
    ROWS.agent("stays-down")
        .run("stays-down", "1")
        .starts(ago(900))
        .fails(ago(400), "NEW_ERROR", "x");
    Agent killed = ROWS.agent("killed");
    run(killed, "killed", ago(700), 10, batch -> {});
    run(ROWS.agent("killed-and-back"), "killed", "2", ago(12), 10, batch -> {});
  }

  private static void realTime() {
    query(
        "real-time",
        batch ->
            batch.more =
                row -> {
                  row.withObject("/latencies/e2eLatencyMs")
                      .put("P50", 10)
                      .put("P95", 20)
                      .put("P99", batch.index == 7 ? 99 : 30);
                  busy(row, "stage_0_task_0", 0.9);
                  busy(row, "stage_0_task_1", 0.9);
                  busy(row, "stage_1_task_0", 0.89);
                  busy(row, "stage_2_task_0", 0.29);
                });
  }

  private static void slo() {
    // 540 batches of 10 s: an hour and a half. 100 records/s come.
    slow("burns-fast", 9);
    slow("burns-slower", 8);
    slow("keeps-its-objective", 0);
    Agent agent = ROWS.agent("down");
    run(agent, "down", ago(1800), 60, batch -> {}).fails(ago(1795), "it broke");
    run(ROWS.agent("stopped"), "stopped", ago(1800), 60, batch -> {}).stops(ago(1795));
    run(ROWS.agent("hangs"), "hangs", ago(1800), 60, batch -> {});
  }

  /** The lag is over the target in the newest minutes. */
  private static void slow(String name, int minutes) {
    run(
        ROWS.agent(name),
        name,
        ago(3),
        540,
        batch -> batch.lag = batch.toEnd() < 6 * minutes ? 31_000 : 29_000);
  }

  private static void agents() {
    ROWS.agent("old").version("0.9.0").tag("team", "payments").run("tagged", "r").starts(ago(9));
    ROWS.agent("new")
        .version("0.10.0-SNAPSHOT")
        .tag("team", "payments")
        .run("tagged-too", "r")
        .starts(ago(30))
        .fails(ago(20), "x");
    Agent ledger = ROWS.agent("ledger");
    ledger.heartbeats(ago(3000), ago(2991), Duration.ofSeconds(1));
    ledger.drops("buffer_full", 5).drops("closed", 1).loses(2);
    ledger.heartbeats(ago(100), ago(100), GAP).closes(ago(90));
    Agent older = ROWS.agent("older-than-the-view").drops("buffer_full", 7).loses(1000);
    older.heartbeats(ago(7 * 86_400 - 600), ago(7 * 86_400 - 600), GAP);
    older.drops("buffer_full", 3);
    older.heartbeats(ago(2000), ago(2000), GAP);
    Agent full = ROWS.agent("full-from-the-start").drops("buffer_full", 4).loses(3);
    full.heartbeats(ago(2000), ago(2000), GAP);
  }

  @Test
  void fallingBehindListsTheRunningByStreak() {
    assertThat(fixture.rows("SELECT * FROM falling_behind"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.path("queryId").asText()).isEqualTo("streak");
              assertThat(row.path("streak").asInt()).isEqualTo(2);
            });
  }

  @Test
  void aFewColumnsOfTheStatusCanBeAskedFor() {
    assertThat(fixture.columns("query_status", "queryName, state"))
        .isNotEmpty()
        .allMatch(row -> row.hasNonNull("state"));
    assertThat(fixture.columns("query_status", "queryName, lagRecords")).isNotEmpty();
  }

  @Test
  void topLagRanksByTheTimeThatWaits() {
    List<ObjectNode> rows =
        fixture.rows("SELECT * FROM top_lag WHERE queryId LIKE '%lag%' ORDER BY rank");
    assertThat(rows)
        .extracting(row -> row.path("queryId").asText())
        .containsExactly("lags-most", "lags");
    assertThat(rows.get(0).path("lagSeconds").asDouble()).isEqualTo(90);
  }

  @Test
  void lagTrendHasWhatArrived() {
    List<ObjectNode> rows =
        fixture.rows("SELECT * FROM lag_trend WHERE queryId = 'lags' ORDER BY minute");
    // 6 batches a minute: 6000 records are read, and the lag grows by 60.
    assertThat(rows.get(2).path("lagChange").asLong()).isEqualTo(60);
    assertThat(rows.get(2).path("numInputRows").asLong()).isEqualTo(6000);
    assertThat(rows.get(2).path("lagSeconds").asDouble())
        .isCloseTo(rows.get(2).path("lagRecords").asLong() / 101.0, within(0.001));
    assertThat(fixture.rows("SELECT * FROM lag_trend WHERE queryId = 'no-lag' AND lagSeconds > 0"))
        .isEmpty();
  }

  @Test
  void historyIsByMinute() {
    assertThat(
            fixture.rows(
                "SELECT sum(batches) AS batches, max(phaseMs['addBatch']) AS addBatch,"
                    + " max(batchDurationMaxMs) AS longest FROM query_history"
                    + " WHERE queryId = 'durations'"))
        .singleElement()
        .hasToString("{\"batches\":60,\"addBatch\":1500.0,\"longest\":6000}");
  }

  @Test
  void batchDurationsHavePercentilesByHour() {
    assertThat(
            fixture.rows(
                "SELECT batches, p50Ms, p95Ms, p99Ms, maxMs FROM batch_duration_hourly"
                    + " WHERE queryId = 'durations'"))
        .singleElement()
        .hasToString(
            "{\"batches\":60,\"p50Ms\":3000,\"p95Ms\":5700,\"p99Ms\":6000,\"maxMs\":6000}");
  }

  @Test
  void phasesShareTheBatchWithoutTheWhole() {
    assertThat(fixture.rows("SELECT phase, share FROM phase_share WHERE queryId = 'phases'"))
        .extracting(row -> row.path("phase").asText() + " " + row.path("share").asText())
        .containsExactlyInAnyOrder(
            "addBatch 0.6", "queryPlanning 0.2", "walCommit 0.15", "commitOffsets 0.05");
  }

  @Test
  void asyncProgressCandidatesAreOfBatchesWithRows() {
    ObjectNode row =
        fixture.rows("SELECT * FROM async_progress_candidates WHERE queryId = 'phases'").get(0);
    assertThat(row.path("shareOutsideAddBatch").asDouble()).isCloseTo(0.4, within(1e-9));
    assertThat(row.path("shareOfProgressTracking").asDouble()).isCloseTo(0.2, within(1e-9));
    assertThat(
            fixture.rows("SELECT * FROM async_progress_candidates WHERE queryId = 'without-rows'"))
        .isEmpty();
  }

  @Test
  void triggerUtilisationHasBands() {
    assertThat(
            fixture.rows(
                "SELECT * FROM trigger_utilisation WHERE queryId LIKE 'utilised%' ORDER BY queryId"))
        .extracting(row -> row.path("band").asText())
        .containsExactly("LOW", "MEDIUM", "MEDIUM", "HIGH");
  }

  @Test
  void restartsAreCountedByDay() {
    assertThat(
            fixture.rows(
                "SELECT starts, failed, lastError FROM restarts WHERE queryId = 'restarts'"
                    + " ORDER BY day"))
        .hasToString(
            "[{\"starts\":1,\"failed\":1,\"lastError\":\"as ever\"},"
                + " {\"starts\":3,\"failed\":2,\"lastError\":\"never seen\"}]");
  }

  @Test
  void aRunWhoseStartNobodySawIsNoStart() {
    assertThat(fixture.rows("SELECT isStartSeen FROM query_runs WHERE queryId = 'began-before'"))
        .hasToString("[{\"isStartSeen\":false}]");
    assertThat(fixture.rows("SELECT * FROM restarts WHERE queryId = 'began-before'")).isEmpty();
  }

  @Test
  void downtimeIsFromTheEndOfARunToTheNextStart() {
    assertThat(
            fixture.rows(
                "SELECT runId, seconds, isDown FROM downtime WHERE queryId = 'restarts'"
                    + " ORDER BY downFrom"))
        .extracting(row -> row.path("runId").asText() + " " + row.path("seconds").asLong())
        .containsExactly("1 73000", "2 10", "3 1000");
    assertThat(fixture.rows("SELECT * FROM downtime WHERE queryId = 'stays-down'"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.path("isDown").asBoolean()).isTrue();
              assertThat(row.path("seconds").asLong()).isEqualTo(400);
            });
    // It did not say that it ends: down since its last event.
    assertThat(fixture.rows("SELECT seconds FROM downtime WHERE queryId = 'killed'"))
        .singleElement()
        .satisfies(row -> assertThat(row.path("seconds").asLong()).isEqualTo(698 - 112));
  }

  @Test
  void errorsSayWhatIsNewToday() {
    assertThat(
            fixture.rows(
                "SELECT errorClass, failures, queries, isNewToday FROM errors"
                    + " WHERE errorClass LIKE '%_ERROR' AND errorClass <> 'USER_ERROR'"
                    + " ORDER BY errorClass"))
        .hasToString(
            "[{\"errorClass\":\"NEW_ERROR\",\"failures\":2,\"queries\":2,\"isNewToday\":true},"
                + " {\"errorClass\":\"OLD_ERROR\",\"failures\":2,\"queries\":1,"
                + "\"isNewToday\":false}]");
  }

  @Test
  void realTimeModeHasLatenciesAndBusyTasks() {
    assertThat(
            fixture.rows(
                "SELECT latency, p50Ms, p95Ms, p99Ms, worstP99Ms FROM rtm_latency"
                    + " WHERE queryId = 'real-time'"))
        .singleElement()
        .hasToString(
            "{\"latency\":\"e2eLatencyMs\",\"p50Ms\":10.0,\"p95Ms\":20.0,\"p99Ms\":30.0,"
                + "\"worstP99Ms\":99.0}");
    assertThat(fixture.rows("SELECT stage, band FROM task_utilisation ORDER BY stage"))
        .hasToString(
            "[{\"stage\":0,\"band\":\"NEEDS_COMPUTE\"}, {\"stage\":1,\"band\":\"FITTING\"},"
                + " {\"stage\":2,\"band\":\"OVER_PROVISIONED\"}]");
  }

  @Test
  void budgetsBurnByBadMinutes() {
    assertThat(burn("burns-fast").path("isFast").asBoolean()).isTrue();
    assertThat(burn("burns-slower").path("isFast").asBoolean()).as("8 of 60 minutes").isFalse();
    assertThat(burn("keeps-its-objective").path("badMinutes").asInt()).isZero();
    assertThat(burn("down").path("badMinutes").asInt()).isBetween(29, 30);
    assertThat(burn("down").path("isFast").asBoolean()).isTrue();
    assertThat(burn("stopped").path("badMinutes").asInt()).isZero();
    assertThat(burn("hangs").path("badMinutes").asInt()).isBetween(28, 30);
  }

  @Test
  void theLedgerAddsUp() {
    ObjectNode ledger = agent("ledger");
    assertThat(ledger.path("produced").asLong()).isEqualTo(20);
    assertThat(ledger.path("inTable").asLong()).isEqualTo(12);
    assertThat(ledger.path("droppedTotal").asLong()).isEqualTo(6);
    assertThat(ledger.path("missing").asLong()).isEqualTo(2);
    assertThat(ledger.path("closed").asBoolean()).isTrue();
    assertThat(agent("older-than-the-view").path("missing").asLong())
        .as("what was before the first row is not missing")
        .isZero();
    assertThat(agent("full-from-the-start").path("missing").asLong())
        .as("what this agent's first rows were is")
        .isEqualTo(3);
    assertThat(
            fixture.rows(
                "SELECT agentId FROM telemetry_health WHERE agentId <> 'older-than-the-view'"
                    + " AND produced <> inTable + droppedTotal + missing"))
        .isEmpty();
  }

  @Test
  void ownersHaveTheirTroubles() {
    assertThat(fixture.rows("SELECT queries, down, running FROM owners WHERE owner = 'payments'"))
        .singleElement()
        .hasToString("{\"queries\":2,\"down\":0,\"running\":1}");
  }

  @Test
  void agentsAreOutdatedByTheNewestInUse() {
    assertThat(
            fixture.rows(
                "SELECT agentId, isOutdated FROM agents WHERE agentId IN ('old', 'new')"
                    + " ORDER BY agentId"))
        .hasToString(
            "[{\"agentId\":\"new\",\"isOutdated\":false}, {\"agentId\":\"old\",\"isOutdated\":true}]");
  }

  @Test
  void someAgentsAreHeardSoItIsNoOutage() {
    assertThat(fixture.rows("SELECT isOutage FROM telemetry_status"))
        .singleElement()
        .hasToString("{\"isOutage\":false}");
  }

  @Test
  void everyQueryOfAlertsAndDashboardsRunsOverTheViews() throws IOException {
    List<String> queries = new ArrayList<>(DeployedAlerts.queries().values());
    for (JsonNode dataset :
        JSON.readTree(DATABRICKS.resolve("streampulse-fleet.lvdash.json").toFile())
            .path("datasets")) {
      queries.add(
          StreamSupport.stream(dataset.path("queryLines").spliterator(), false)
              .map(JsonNode::asText)
              .collect(Collectors.joining()));
    }

    assertThat(queries).hasSizeGreaterThan(20);
    for (String query : queries) {
      assertThat(fixture.rows(query.replace("main.streaming_monitoring.", ""))).isNotNull();
    }
  }

  private static ObjectNode burn(String query) {
    return fixture.rows("SELECT * FROM slo_burn WHERE queryId = '" + query + "'").get(0);
  }

  private static ObjectNode agent(String agent) {
    return fixture.rows("SELECT * FROM telemetry_health WHERE agentId = '" + agent + "'").get(0);
  }

  private static void busy(ObjectNode row, String task, double fraction) {
    row.withObject("/taskMetrics/" + task).put("busyTimeFraction", fraction);
  }

  private static Run query(String name, Consumer<Batch> change) {
    return run(ROWS.agent(name), name, ago(12), 60, change);
  }

  private static Run run(
      Agent agent, String name, Instant lastBegins, int batches, Consumer<Batch> change) {
    return run(agent, name, "1", lastBegins, batches, change);
  }

  private static Run run(
      Agent agent,
      String name,
      String runId,
      Instant lastBegins,
      int batches,
      Consumer<Batch> change) {
    return agent
        .run(name, runId)
        .starts(lastBegins.minus(GAP.multipliedBy(batches)))
        .batches(batches, GAP, lastBegins, change);
  }

  private static Instant ago(long seconds) {
    return NOW.minusSeconds(seconds);
  }
}
