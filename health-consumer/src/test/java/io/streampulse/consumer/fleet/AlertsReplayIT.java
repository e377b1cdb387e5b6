package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.DeployedAlerts;
import io.streampulse.testing.HealthRows;
import io.streampulse.testing.HealthRows.Agent;
import io.streampulse.testing.HealthRows.Batch;
import io.streampulse.testing.HealthRows.Run;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Every deployed SQL alert over a day in which its cause comes and goes: trouble from noon to one
 * o'clock, nobody is heard from three to half past three.
 */
@Tag("fleet-replay")
class AlertsReplayIT {
  private static final Instant MIDNIGHT = Instant.parse("2026-11-30T00:00:00Z");
  private static final Instant NOON = at(12, 0);
  private static final Instant ONE = at(13, 0);
  private static final Instant THREE = at(15, 0);
  private static final Instant HALF_PAST = at(15, 30);
  private static final Instant END = at(38, 0);
  private static final Duration GAP = Duration.ofMinutes(2);
  private static final HealthRows ROWS = new HealthRows();

  private static ViewFixture fixture;
  private static final Map<String, String> ALERTS = new HashMap<>();

  @BeforeAll
  static void aDay() throws IOException {
    ALERTS.putAll(DeployedAlerts.queries());
    new Query("steady").goes(MIDNIGHT, END);
    Query fails = new Query("fails").goes(MIDNIGHT, at(12, 20));
    fails.run.fails(at(12, 20).plusSeconds(5), "boom");
    fails.starts(ONE).goes(ONE, END);
    new Query("hangs").goes(MIDNIGHT, NOON).silent(NOON, ONE).goes(ONE, END);
    new Query("is-silent").goes(MIDNIGHT, NOON).goes(ONE, END);
    new Query("stalls")
        .goes(MIDNIGHT, NOON)
        .with(AlertsReplayIT::stuck)
        .goes(NOON, ONE)
        .with(batch -> {})
        .goes(ONE, END);
    new Query("lags")
        .goes(MIDNIGHT, NOON)
        .with(AlertsReplayIT::lagging)
        .goes(NOON, ONE)
        .with(batch -> {})
        .goes(ONE, END);
    Query flaps = new Query("flaps").goes(MIDNIGHT, NOON);
    for (int i = 0; i < 3; i++) {
      flaps.run.fails(NOON.plus(Duration.ofMinutes(10L * i + 9)), "again");
      Instant next = NOON.plus(Duration.ofMinutes(10L * (i + 1)));
      flaps.starts(next).goes(next, i == 2 ? END : next.plus(Duration.ofMinutes(8)));
    }
    Query watermark = new Query("watermark");
    watermark.moving = true;
    watermark.goes(MIDNIGHT, NOON);
    watermark.moving = false;
    watermark.goes(NOON, ONE);
    watermark.moving = true;
    watermark.goes(ONE, END);
    Query grows = new Query("grows");
    grows.stateRows = 1000;
    grows.goes(MIDNIGHT.minus(Duration.ofHours(13)), ONE);
    grows.removed = 5;
    grows.goes(ONE, END);
    Query drops = new Query("drops").goes(MIDNIGHT, at(12, 15));
    drops.agent.drops("buffer_full", 7);
    drops.goes(at(12, 15), END);
    Query loses = new Query("loses").goes(MIDNIGHT, at(12, 15));
    loses.agent.loses(3);
    loses.goes(at(12, 15), END);
    fixture = ViewFixture.of(ROWS, List.of(at(12, 20)));
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Test
  void eachAlertFiresForItsCause() {
    assertThat(firing(at(12, 50)))
        .containsExactlyInAnyOrder(
            "query_failed fails",
            "query_hung hangs",
            "query_silent is-silent",
            "query_stalled stalls",
            "query_falling_behind lags",
            "query_lag_high lags",
            "query_flapping flaps",
            "watermark_stuck watermark",
            "state_growth grows",
            "records_dropped drops",
            "records_missing loses",
            "messages_quarantined",
            "slo_burn_fast fails",
            "slo_burn_fast hangs",
            "slo_burn_fast is-silent",
            "slo_burn_fast lags",
            "slo_burn_slow fails",
            "slo_burn_slow hangs",
            "slo_burn_slow is-silent",
            "slo_burn_slow lags");
  }

  @Test
  void anOutageIsOneAlarmAndHoldsBackThoseOfQueries() {
    assertThat(firing(at(15, 20)))
        .containsExactlyInAnyOrder("telemetry_outage", "messages_quarantined");
  }

  @Test
  void allIsClearTheDayAfter() {
    assertThat(firing(at(37, 50))).isEmpty();
  }

  private static Set<String> firing(Instant time) {
    ViewFixture then = fixture.at(time);
    Set<String> firing = new TreeSet<>();
    ALERTS.forEach(
        (alert, sql) ->
            then.rows(sql.replace("current_timestamp()", "TIMESTAMP '" + time + "'"))
                .forEach(
                    row ->
                        firing.add(
                            (alert
                                    + " "
                                    + row.path("queryName")
                                        .asText(row.path("applicationName").asText()))
                                .strip())));
    return firing;
  }

  private static void stuck(Batch batch) {
    batch.rows = 0;
    batch.lag = 50;
  }

  private static void lagging(Batch batch) {
    batch.lag = 40_000;
    batch.streak = 9;
  }

  private static Instant at(int hour, int minute) {
    return MIDNIGHT.plus(Duration.ofMinutes(60L * hour + minute));
  }

  /** A query that goes on through the day, but for the time in which nobody is heard. */
  private static final class Query {
    private final String name;
    private final Agent agent;
    private final List<Run> runs = new ArrayList<>();
    private Run run;
    private Consumer<Batch> change = batch -> {};
    private boolean moving;
    private Instant watermark;
    private long stateRows = -1;
    private long removed;
    private long batches;

    private Query(String name) {
      this.name = name;
      agent = ROWS.agent(name);
      starts(MIDNIGHT.minus(Duration.ofHours(14)));
    }

    private Query starts(Instant time) {
      runs.add(agent.run(name, name + runs.size()).at(batches, 1000 * batches).starts(time));
      run = runs.get(runs.size() - 1);
      return this;
    }

    private Query with(Consumer<Batch> changed) {
      change = changed;
      return this;
    }

    private Query silent(Instant from, Instant to) {
      agent.heartbeats(from, to.minusSeconds(1), Duration.ofMinutes(1));
      return this;
    }

    private Query goes(Instant from, Instant to) {
      for (Instant time = from; time.isBefore(to); time = time.plus(GAP)) {
        if (!time.isBefore(THREE) && time.isBefore(HALF_PAST)) {
          continue;
        }
        if (moving) {
          watermark = time;
        }
        stateRows += stateRows < 0 ? 0 : 1 - Math.min(1, removed);
        run.batches(
            1,
            GAP,
            time,
            batch -> {
              batch.rows = 6000;
              batch.watermark = watermark;
              batch.stateRows = stateRows;
              batch.stateRemoved = removed;
              change.accept(batch);
            });
        batches++;
      }
      return this;
    }
  }
}
