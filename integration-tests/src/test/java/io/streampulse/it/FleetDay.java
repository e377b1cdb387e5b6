package io.streampulse.it;

import io.streampulse.consumer.fleet.QuerySignal;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.testing.HealthRows;
import io.streampulse.testing.HealthRows.Agent;
import io.streampulse.testing.HealthRows.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A day of a fleet, simulated query by query: records arrive, batches take what waits, for as long
 * as there are records and with the noise that batches have. Some queries meet a known incident at
 * noon, the others have nothing but jitter.
 */
final class FleetDay {
  static final Instant MIDNIGHT = Instant.parse("2026-11-30T00:00:00Z");
  static final Instant NOON = MIDNIGHT.plus(Duration.ofHours(12));
  static final Instant END = MIDNIGHT.plus(Duration.ofHours(24));

  private static final Duration HEARTBEAT = Duration.ofSeconds(60);

  private final Random tails = new Random(20261130);
  private final HealthRows rows = new HealthRows();
  private final List<Incident> incidents = new ArrayList<>();
  private final List<String> calm = new ArrayList<>();

  /** What should be found of a query, and from when on. */
  record Incident(String query, Instant from, String expected) {}

  FleetDay() {
    jitter();
    strike();
  }

  HealthRows rows() {
    return rows;
  }

  List<Incident> incidents() {
    return incidents;
  }

  /** Queries that meet no incident all day. */
  List<String> calm() {
    return calm;
  }

  private void jitter() {
    calm("steady").run(MIDNIGHT, END);
    calm("nearly-full").capacity(125).noise(0.25).run(MIDNIGHT, END);
    calm("back-to-back").trigger(Duration.ZERO).capacity(150).overheadMs(3000).run(MIDNIGHT, END);
    calm("ten-minutes").trigger(Duration.ofMinutes(10)).run(MIDNIGHT, END);
    Query bursty = calm("bursty");
    bursty.rate(time -> time.getEpochSecond() % 300 < 20 ? 900 : 60).noise(0.3).run(MIDNIGHT, END);
    Query daily = calm("day-and-night");
    daily.rate(time -> 100 + 80 * Math.sin(time.getEpochSecond() / 86_400.0 * 2 * Math.PI));
    daily.run(MIDNIGHT, END);
    Query rare = calm("rarely-any-data");
    rare.rate(time -> time.getEpochSecond() % 3600 < 60 ? 100 : 0).run(MIDNIGHT, END);
    Query tail = calm("long-tail");
    tail.slow(() -> tails.nextInt(400) == 0 ? 40_000 + tails.nextInt(30_000) : 0);
    tail.run(MIDNIGHT, END);
    calm("without-known-lag").unknownLag().noise(0.4).run(MIDNIGHT, END);
    Query restarted = calm("restarted-as-planned");
    restarted.run(MIDNIGHT, NOON).stops(NOON).restarts(NOON.plusSeconds(90)).run(NOON, END);
    Query stateful = calm("stateful");
    stateful.state(100_000, 3, 3).run(MIDNIGHT, END);
    Query hourly = calm("hourly").rate(time -> 1);
    for (Instant hour = MIDNIGHT; hour.isBefore(END); hour = hour.plus(Duration.ofHours(1))) {
      hourly.restarts(hour).run(hour, hour.plusSeconds(50)).stops(hour.plusSeconds(60));
    }
  }

  private Query calm(String name) {
    calm.add(name);
    return new Query(name);
  }

  private Query struck(String name, Object expected) {
    incidents.add(new Incident(name, NOON, expected.toString()));
    return new Query(name).run(MIDNIGHT, NOON);
  }

  private void strike() {
    struck("overrun", QueryState.FALLING_BEHIND)
        .rate(time -> 150)
        .capacity(100)
        .maxRows(1000)
        .run(NOON, END);
    struck("slower-and-slower", QueryState.FALLING_BEHIND)
        .rate(time -> 130)
        .capacity(100)
        .unknownLag()
        .run(NOON, NOON.plus(Duration.ofMinutes(40)));
    struck("stuck-source", QueryState.STALLED).maxRows(0).run(NOON, END);
    struck("hangs", QueryState.HUNG).heartbeats(NOON, END);
    struck("killed", QueryState.SILENT);
    struck("fails", QueryState.FAILED).fails(NOON);
    Query flapping = struck("flaps", QuerySignal.FLAPPING);
    for (int i = 0; i < 6; i++) {
      Instant start = NOON.plus(Duration.ofMinutes(8L * i));
      flapping.fails(start).restarts(start.plusSeconds(20));
      flapping.run(start.plusSeconds(30), start.plus(Duration.ofMinutes(8)));
    }
    flapping.run(NOON.plus(Duration.ofMinutes(48)), END);
    struck("watermark-stuck", QuerySignal.WATERMARK_STUCK).watermarkStands(NOON).run(NOON, END);
    struck("slow-sink", QuerySignal.SLOW_PHASE).overheadMs(7000).run(NOON, END);
    Query back = struck("set-back", QuerySignal.REWOUND);
    back.stops(NOON).rewinds(500, 400_000).restarts(NOON.plusSeconds(30)).run(NOON, END);
    struck("drops-records", QuerySignal.BLIND).drops(40).run(NOON, END);
    struck("burst", QueryState.CATCHING_UP).arrives(200_000).maxRows(2500).run(NOON, END);
    // Known only when there is a whole day to look at.
    incidents.add(new Incident("only-grows", MIDNIGHT, QuerySignal.STATE_GROWTH.name()));
    new Query("only-grows").state(1000, 5, 0).run(MIDNIGHT, END);
  }

  /** Records a second that arrive at a time. */
  private interface Rate {
    double at(Instant time);
  }

  /** What a batch takes longer, in milliseconds. */
  private interface Delay {
    int next();
  }

  /** One query and its agent. */
  private final class Query {
    private final String name;
    private final Agent agent;
    private final Random noises;
    private Run run;
    private int runs;
    private Duration trigger = Duration.ofSeconds(15);
    private Rate rate = time -> 100;
    private Delay slow = () -> 0;
    private double capacity = 400;
    private double overheadMs = 800;
    private double noise = 0.15;
    private long maxRows = Long.MAX_VALUE;
    private boolean lagIsKnown = true;
    private double waiting;
    private Instant looked;
    private Instant sent;
    private int streak;
    private long stateRows = -1;
    private long stateAdded;
    private long stateRemoved;
    private Instant watermark;
    private long batchId;
    private long offset;

    private Query(String name) {
      this.name = name;
      agent = rows.agent(name);
      noises = new Random(name.hashCode()); // its own, so that no query changes another's day
      looked = MIDNIGHT;
      sent = MIDNIGHT;
      restarts(MIDNIGHT);
    }

    Query trigger(Duration interval) {
      trigger = interval;
      return this;
    }

    Query rate(Rate arriving) {
      rate = arriving;
      return this;
    }

    Query capacity(double perSecond) {
      capacity = perSecond;
      return this;
    }

    Query overheadMs(double ms) {
      overheadMs = ms;
      return this;
    }

    Query noise(double sigma) {
      noise = sigma;
      return this;
    }

    Query slow(Delay delay) {
      slow = delay;
      return this;
    }

    Query maxRows(long max) {
      maxRows = max;
      return this;
    }

    Query unknownLag() {
      lagIsKnown = false;
      return this;
    }

    Query state(long first, long added, long removed) {
      stateRows = first;
      stateAdded = added;
      stateRemoved = removed;
      return this;
    }

    Query watermarkStands(Instant at) {
      watermark = at;
      return this;
    }

    Query arrives(long records) {
      waiting += records;
      return this;
    }

    Query drops(long records) {
      agent.drops("buffer_full", records);
      return this;
    }

    Query rewinds(long batches, long records) {
      batchId -= batches;
      offset -= records;
      return this;
    }

    Query restarts(Instant time) {
      runs++;
      run = agent.run(name, name + "-" + runs).at(batchId, offset).starts(time);
      sent = time;
      streak = 0;
      return this;
    }

    Query stops(Instant time) {
      run.stops(time);
      return this;
    }

    Query fails(Instant time) {
      run.fails(time, "the sink does not answer");
      return this;
    }

    Query heartbeats(Instant from, Instant to) {
      agent.heartbeats(from.plus(HEARTBEAT), to, HEARTBEAT);
      return this;
    }

    Query run(Instant from, Instant to) {
      Instant before = from.minus(trigger);
      Instant time = from.isAfter(sent) ? from : sent.plusMillis(1);
      while (time.isBefore(to)) {
        waiting += rate.at(time) * Duration.between(looked, time).toMillis() / 1000.0;
        looked = time;
        long rowsNow = Math.min((long) waiting, maxRows);
        waiting -= rowsNow;
        if (rowsNow == 0 && waiting < 1) {
          run.idles(time);
          sent = time;
          time = time.plusSeconds(10);
          continue;
        }
        double factor = Math.exp(noise * noises.nextGaussian());
        long durationMs = (long) ((overheadMs + 1000 * rowsNow / capacity) * factor) + slow.next();
        long gapMs = Math.max(1, Duration.between(before, time).toMillis());
        streak = rowsNow > 0 && durationMs > gapMs ? streak + 1 : 0;
        progress(time, rowsNow, durationMs);
        before = time;
        Instant next = time.plusMillis(Math.max(durationMs, trigger.toMillis()));
        for (Instant beat = sent.plus(HEARTBEAT);
            beat.isBefore(next);
            beat = beat.plus(HEARTBEAT)) {
          if (beat.isBefore(to)) {
            agent.heartbeats(beat, beat, HEARTBEAT);
          }
        }
        time = next;
      }
      return this;
    }

    private void progress(Instant time, long rowsNow, long durationMs) {
      stateRows += stateRows < 0 ? 0 : stateAdded - stateRemoved;
      Instant mark = watermark == null ? time.minusSeconds(60) : watermark;
      run.batches(
          1,
          Duration.ofSeconds(1),
          time,
          batch -> {
            batch.rows = rowsNow;
            batch.durationMs = durationMs;
            batch.streak = streak;
            batch.lag = lagIsKnown ? (long) waiting : -1;
            batch.watermark = mark;
            batch.stateRows = stateRows;
            batch.stateRemoved = stateRemoved;
            batch.phases =
                Map.of(
                    "addBatch",
                    Math.max(1, durationMs - 150),
                    "latestOffset",
                    50L,
                    "walCommit",
                    60L);
          });
      batchId++;
      offset += rowsNow;
      sent = time.plusMillis(durationMs);
    }
  }
}
