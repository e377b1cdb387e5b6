package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.streampulse.testing.HealthRows;
import io.streampulse.testing.HealthRows.Agent;
import io.streampulse.testing.HealthRows.Batch;
import io.streampulse.testing.HealthRows.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules of the view {@code query_status}: each state, its look-alike, and the boundary. */
class QueryStatusTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Duration GAP = Duration.ofSeconds(10);
  private static final HealthRows ROWS = new HealthRows();
  private static ViewFixture fixture;
  private static Map<String, QueryStatus> statuses;

  @BeforeAll
  static void askOnce() {
    terminated();
    silent();
    hung();
    lag();
    idle();
    signals();
    fixture = ViewFixture.of(ROWS, NOW);
    statuses = fixture.statuses();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  private static void terminated() {
    running("failed").fails(ago(121), "no such column");
    running("restarting").fails(ago(119), "no such column");
    running("stopped").stops(ago(600));
    running("failed-and-back").fails(ago(600), "no such column");
    heard("failed-and-back-2")
        .run("failed-and-back", "second")
        .starts(ago(300))
        .batches(20, GAP, ago(10), batch -> {});
    Agent agent = heard("application-ended", ago(600));
    run(agent, "application-ended", ago(700), 30);
    agent.closes(ago(599));
  }

  private static void silent() {
    run(heard("silent", ago(181)), "silent", ago(190), 30);
    run(heard("not-yet-silent", ago(179)), "not-yet-silent", ago(190), 30);
    Agent slow = ROWS.agent("slow-heartbeat");
    slow.heartbeats(ago(3000), ago(290), Duration.ofMinutes(5));
    run(slow, "slow-heartbeat", ago(300), 30);
  }

  private static void hung() {
    // Batches of 2 s in gaps of 10 s, all alike: 60 s is the longest of the three bounds.
    run(heard("hung"), "hung", ago(63), 30);
    run(heard("not-yet-hung"), "not-yet-hung", ago(62), 30);
    // One in 30 took 100 s, so 61 s are not beyond what it has seen; 60 s and 2 x p99 are passed.
    run(heard("slow-trigger"), "slow-trigger", Duration.ofMinutes(5), ago(800), 30, batch -> {});
    // 2 x p99 is 4 s; a thousand batches know one of 200 s.
    run(
        heard("long-batch"),
        "long-batch",
        GAP,
        ago(72),
        600,
        batch -> batch.durationMs = batch.index == 3 ? 200_000 : 2000);
    heard("first-batch-long").run("first-batch-long", "r").starts(ago(599));
    heard("first-batch-hung").run("first-batch-hung", "r").starts(ago(601));
  }

  private static void lag() {
    Consumer<Batch> stuck =
        batch -> {
          batch.rows = 0;
          batch.lag = 500;
        };
    running("stalled", 30, batch -> {}, 4, stuck);
    running("not-yet-stalled", 30, batch -> {}, 3, stuck);
    running("without-rows-or-lag", 30, batch -> {}, 10, batch -> batch.rows = 0);

    query("streak", 30, batch -> batch.streak = Math.max(0, 3 - batch.toEnd()));
    query("streak-from-before", 30, batch -> batch.streak = batch.index + 371);
    query("short-streak", 30, batch -> batch.streak = Math.max(0, 2 - batch.toEnd()));
    // 100 records/s are processed while 110 come.
    query("falling-behind", 60, batch -> lagging(batch, 7000 + 100L * batch.index, 10_000));
    query("low-lag-that-rises", 60, batch -> lagging(batch, 100L * batch.index, 10_000));
    query("rises-but-has-room", 60, batch -> lagging(batch, 7000 + 100L * batch.index, 5_000));
    query(
        "jumps",
        60,
        batch ->
            lagging(batch, 7000 + (batch.index % 2 == 0 ? 2 : 1) * 100L * batch.index, 10_000));
    query("catching-up", 60, batch -> lagging(batch, 3000 + 100L * batch.toEnd(), 5000));
    query("nearly-there", 60, batch -> lagging(batch, 1000 + 100L * batch.toEnd(), 5000));
  }

  private static void idle() {
    running("idle-event").idles(ago(3));
    running("ok");
    heard("started").run("started", "r").starts(ago(30));
    query("unknown-lag", 30, batch -> batch.lag = -1);
    heard("long-ago").run("long-ago", "r").starts(ago(4 * 86_400)).fails(ago(3 * 86_400), "boom");
  }

  private static void signals() {
    query("jitter", 30, batch -> batch.streak = batch.index % 10 == 5 ? 1 : 0);
    query("long-batches", 30, batch -> batch.durationMs = batch.index == 20 ? 10_001 : 2000);
    query("not-too-long", 30, batch -> batch.durationMs = batch.index == 20 ? 10_000 : 2000);
    query("not-isolated", 30, batch -> batch.streak = Math.max(0, Math.min(3, batch.index - 9)));
    query("back-to-back", 30, batch -> batch.durationMs = 9_900 + 10L * batch.index);
    flapping("flapping", 3);
    flapping("not-flapping", 2);
    running("rewound").at(12, 40_000).batches(3, Duration.ofSeconds(1), ago(3), batch -> {});
    query(
        "watermark-stuck",
        100,
        batch -> batch.watermark = ago(2000 - Math.min(60, batch.index) * 10L));
    query("watermark-moves", 100, batch -> batch.watermark = ago(2000 - batch.index * 10L));
    query(
        "watermark-waits",
        100,
        batch -> {
          batch.watermark = ago(2000 - Math.min(60, batch.index) * 10L);
          batch.rows = batch.index > 62 ? 0 : 1000;
        });
    state("state-grows", 0, 26);
    state("state-is-removed", 1, 26);
    state("state-is-young", 0, 20);
    query(
        "slow-phase",
        200,
        batch -> batch.phases = Map.of("addBatch", batch.toEnd() < 61 ? 3001L : 1500L));
    query(
        "slower-phase",
        200,
        batch -> batch.phases = Map.of("addBatch", batch.toEnd() < 61 ? 2999L : 1500L));
    query(
        "slow-but-small",
        200,
        batch -> batch.phases = Map.of("walCommit", batch.toEnd() < 61 ? 500L : 100L));
    run(heard("drops").drops("buffer_full", 3), "drops", ago(70), 30);
    run(heard("loses", ago(3500)).loses(1), "loses", ago(70), 30);
    Agent late = ROWS.agent("late").ingestDelay(Duration.ofSeconds(61));
    late.heartbeats(ago(600), ago(70), Duration.ofMinutes(1));
    run(late, "late", ago(80), 30);
  }

  @Test
  void aRunThatEndedIsFailedRestartingOrStopped() {
    assertState("failed", QueryState.FAILED);
    assertThat(statuses.get("failed").reason()).isEqualTo("ended: no such column");
    assertThat(statuses.get("failed").time("stateSince")).contains(ago(121));
    assertState("restarting", QueryState.RESTARTING);
    assertState("stopped", QueryState.STOPPED);
    assertState("failed-and-back", QueryState.OK);
    assertState("application-ended", QueryState.STOPPED);
    assertThat(statuses.get("application-ended").reason()).isEqualTo("its application ended");
    assertState("long-ago", QueryState.FAILED);
  }

  @Test
  void aDriverThatIsNotHeardIsSilent() {
    assertState("silent", QueryState.SILENT);
    assertState("not-yet-silent", QueryState.HUNG);
    assertState("slow-heartbeat", QueryState.HUNG);
  }

  @Test
  void aQueryWithoutEventsIsHungOrInALongBatch() {
    assertState("hung", QueryState.HUNG);
    assertThat(statuses.get("hung").reason())
        .isEqualTo("no event for 61 s, longer than nearly all of its batches took (p99.9 2.0 s)");
    assertThat(statuses.get("hung").time("stateSince")).contains(ago(61));
    assertState("not-yet-hung", QueryState.OK);
    assertState("slow-trigger", QueryState.OK);
    assertState("long-batch", QueryState.LONG_BATCH);
    assertState("first-batch-long", QueryState.LONG_BATCH);
    assertState("first-batch-hung", QueryState.HUNG);
  }

  @Test
  void batchesThatEndWhereTheyBeganAreStalledIfRecordsWait() {
    assertState("stalled", QueryState.STALLED);
    assertThat(statuses.get("stalled").reason())
        .isEqualTo("5 batches ended at the same offsets, 500 records wait");
    assertState("not-yet-stalled", QueryState.OK);
    assertState("without-rows-or-lag", QueryState.IDLE);
  }

  @Test
  void fallingBehindIsAStreakOrALagThatRisesForWantOfRoom() {
    assertState("streak", QueryState.FALLING_BEHIND);
    assertThat(statuses.get("streak").reason())
        .isEqualTo("processed less than came in 3 batches in a row");
    assertThat(statuses.get("streak").time("stateSince")).contains(ago(12 + 30));
    // The batches before are too old to be read: 400 in a row is 4000 s.
    assertThat(statuses.get("streak-from-before").time("stateSince")).contains(ago(12 + 4000));
    assertState("short-streak", QueryState.OK);
    assertState("falling-behind", QueryState.FALLING_BEHIND);
    assertThat(statuses.get("falling-behind").reason())
        .matches("lag of \\d+ s rises: 110.0 records/s come, 100.0 can be processed");
    assertThat(statuses.get("falling-behind").number("headroom").orElseThrow())
        .isEqualTo(100.0 / 110, within(0.001));
    assertState("low-lag-that-rises", QueryState.OK);
    assertState("rises-but-has-room", QueryState.OK);
    assertState("jumps", QueryState.OK);
  }

  @Test
  void aLagThatFallsIsCaughtUpWith() {
    assertState("catching-up", QueryState.CATCHING_UP);
    assertThat(statuses.get("catching-up").number("catchUpSeconds").orElseThrow())
        .isEqualTo(300.0, within(1.0));
    assertState("nearly-there", QueryState.OK);
  }

  @Test
  void allElseIsIdleOrOk() {
    assertState("idle-event", QueryState.IDLE);
    assertState("ok", QueryState.OK);
    assertState("started", QueryState.OK);
    assertThat(statuses.get("started").reason()).isEqualTo("started, no batch yet");
    assertState("unknown-lag", QueryState.OK);
    assertThat(statuses.get("unknown-lag").number("lagSeconds")).isEmpty();
    assertThat(statuses.get("ok").number("inputRowsPerSecond")).hasValue(100.0);
    assertThat(statuses.get("ok").number("processedRowsPerSecond")).hasValue(500.0);
    assertThat(statuses.get("ok").number("headroom")).hasValue(5.0);
    assertThat(statuses.get("ok").number("batchGapMs")).hasValue(10_000.0);
  }

  @Test
  void eachSignalHasItsLookAlike() {
    assertSignals("jitter", QuerySignal.JITTER);
    assertSignals("long-batches", QuerySignal.JITTER);
    assertSignals("not-too-long");
    assertSignals("not-isolated");
    assertSignals("back-to-back");
    assertSignals("flapping", QuerySignal.FLAPPING);
    assertSignals("not-flapping");
    assertSignals("rewound", QuerySignal.REWOUND);
    assertSignals("watermark-stuck", QuerySignal.WATERMARK_STUCK);
    assertSignals("watermark-moves");
    assertSignals("watermark-waits");
    assertSignals("state-grows", QuerySignal.STATE_GROWTH);
    assertSignals("state-is-removed");
    assertSignals("state-is-young");
    assertSignals("slow-phase", QuerySignal.SLOW_PHASE);
    assertSignals("slower-phase");
    assertSignals("slow-but-small");
    assertSignals("drops", QuerySignal.BLIND);
    assertSignals("loses", QuerySignal.BLIND);
    assertSignals("late", QuerySignal.BLIND);
    assertSignals("ok");
  }

  @Test
  void eachQueryHasOneRow() {
    assertThat(
            fixture.rows("SELECT queryId FROM query_status GROUP BY queryId HAVING count(*) > 1"))
        .isEmpty();
  }

  private static void assertState(String query, QueryState state) {
    assertThat(statuses).containsKey(query);
    assertThat(statuses.get(query).state())
        .as(query + ": %s", statuses.get(query))
        .isEqualTo(state);
  }

  private static void assertSignals(String query, QuerySignal... signals) {
    assertThat(statuses).containsKey(query);
    assertThat(statuses.get(query).signals())
        .as(query + ": %s", statuses.get(query))
        .containsExactlyInAnyOrder(signals);
  }

  private static void lagging(Batch batch, long lag, long durationMs) {
    batch.lag = lag;
    batch.durationMs = durationMs;
  }

  private static void flapping(String name, int runs) {
    Agent agent = heard(name);
    for (int i = 0; i < runs; i++) {
      agent
          .run(name, "run-" + i)
          .at(10L * i, 10_000L * i)
          .starts(ago(3500 - 600L * i))
          .batches(10, GAP, ago(3300 - 600L * i), batch -> {})
          .fails(ago(3200 - 600L * i), "again");
    }
  }

  private static void state(String name, long removed, int hours) {
    run(
        heard(name),
        name,
        Duration.ofMinutes(30),
        ago(60),
        2 * hours,
        batch -> {
          batch.stateRows = 1000L + batch.index;
          batch.stateRemoved = batch.index == 30 ? removed : 0;
        });
  }

  private static Run running(String name) {
    return query(name, 30, batch -> {});
  }

  private static Run query(String name, int batches, Consumer<Batch> change) {
    return run(heard(name), name, GAP, ago(12), batches, change);
  }

  private static void running(
      String name, int before, Consumer<Batch> change, int after, Consumer<Batch> changeAfter) {
    run(heard(name), name, GAP, ago(12).minus(GAP.multipliedBy(after)), before, change)
        .batches(after, GAP, ago(12), changeAfter);
  }

  private static Run run(Agent agent, String name, Instant lastBegins, int batches) {
    return run(agent, name, GAP, lastBegins, batches, batch -> {});
  }

  private static Run run(
      Agent agent,
      String name,
      Duration gap,
      Instant lastBegins,
      int batches,
      Consumer<Batch> change) {
    return agent
        .run(name, "first")
        .starts(lastBegins.minus(gap.multipliedBy(batches)))
        .batches(batches, gap, lastBegins, change);
  }

  private static Agent heard(String name) {
    return heard(name, ago(5));
  }

  private static Agent heard(String name, Instant last) {
    return ROWS.agent(name).heartbeats(last, last, Duration.ofSeconds(1));
  }

  private static Instant ago(long seconds) {
    return NOW.minusSeconds(seconds);
  }
}
