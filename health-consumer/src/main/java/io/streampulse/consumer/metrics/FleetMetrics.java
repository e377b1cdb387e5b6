package io.streampulse.consumer.metrics;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QuerySignal;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The fleet as Prometheus metrics, listed in {@link MetricCatalog}.
 *
 * <p>Thread-safe. Every snapshot gets a registry of its own, which takes the place of the last one
 * when it is complete: a scrape sees one snapshot whole, and nothing is left of queries that are
 * gone.
 */
public final class FleetMetrics {
  /** How many queries get series unless it is said otherwise. */
  public static final int MAX_QUERIES = 5_000;

  private static final int MAX_LABEL_LENGTH = 200;
  private static final int MAX_PHASES = 20;

  private final int maxQueries;
  private final DroppedRecords dropped = new DroppedRecords();
  private final AtomicLong refreshFailures = new AtomicLong();
  private volatile double refreshSeconds = Double.NaN;
  private volatile PrometheusMeterRegistry registry;

  public FleetMetrics() {
    this(MAX_QUERIES);
  }

  public FleetMetrics(int maxQueries) {
    this.maxQueries = maxQueries;
    this.registry = ownRegistry();
  }

  /** Replaces all series by those of this snapshot. */
  public synchronized void update(FleetSnapshot snapshot) {
    PrometheusMeterRegistry next = ownRegistry();
    List<QueryStatus> queries = snapshot.queries();
    int exported = Math.min(queries.size(), maxQueries);
    queries.subList(0, exported).forEach(query -> query(next, query));
    states(next, queries);
    gauge(next, MetricCatalog.QUERIES_NOT_EXPORTED, queries.size() - exported);
    telemetry(next, snapshot.telemetry());
    gauge(next, MetricCatalog.QUARANTINED, (double) snapshot.quarantined());
    time(next, MetricCatalog.NEWEST_EVENT, snapshot.newestEventAt());
    time(next, MetricCatalog.NEWEST_ROW, snapshot.newestIngestedAt());
    time(next, MetricCatalog.READ, Optional.of(snapshot.readAt()));
    gauge(next, MetricCatalog.OUTAGE, snapshot.outage().isPresent() ? 1 : 0);
    registry = next;
  }

  /** Says how long it took to read the views. */
  public void refreshed(Duration took) {
    refreshSeconds = took.toNanos() / 1e9;
  }

  /** Says that the views could not be read; the series stay as they are. */
  public void refreshFailed() {
    refreshFailures.incrementAndGet();
  }

  /** All series in Prometheus' text format, version 0.0.4. */
  public String scrape() {
    return registry.scrape();
  }

  /** A registry with what belongs to this process and not to a snapshot. */
  private PrometheusMeterRegistry ownRegistry() {
    PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Gauge.builder(MetricCatalog.REFRESH_DURATION.meterName(), () -> refreshSeconds)
        .description(MetricCatalog.REFRESH_DURATION.help())
        .register(own);
    FunctionCounter.builder(
            MetricCatalog.REFRESH_FAILURES.meterName(), refreshFailures, AtomicLong::get)
        .description(MetricCatalog.REFRESH_FAILURES.help())
        .register(own);
    dropped
        .totals()
        .forEach(
            (reason, total) ->
                FunctionCounter.builder(
                        MetricCatalog.AGENT_DROPPED.meterName(), total, LongAdder::sum)
                    .description(MetricCatalog.AGENT_DROPPED.help())
                    .tags(tags(MetricCatalog.AGENT_DROPPED, reason))
                    .register(own));
    return own;
  }

  private static void query(MeterRegistry registry, QueryStatus query) {
    String id = query.queryId();
    String name = query.name();
    String application =
        query.text("applicationName").or(() -> query.text("applicationId")).orElse("");
    for (QueryState state : QueryState.values()) {
      int value = query.state() == state ? 1 : 0;
      gauge(registry, MetricCatalog.QUERY_STATUS, value, id, name, application, state.name());
    }
    for (QuerySignal signal : query.signals()) {
      gauge(registry, MetricCatalog.QUERY_SIGNAL, 1, id, name, application, signal.name());
    }
    gauge(
        registry,
        MetricCatalog.QUERY_INFO,
        1,
        id,
        name,
        application,
        query.text("sparkVersion").orElse(""),
        query.text("agentVersion").orElse(""),
        query.text("host").orElse(""),
        query.text("clusterId").orElse(""),
        query.text("jobId").orElse(""));
    for (MetricCatalog.QueryGauge gauge : MetricCatalog.QUERY_GAUGES) {
      gauge
          .value()
          .of(query)
          .ifPresent(value -> gauge(registry, gauge.metric(), value, id, name, application));
    }
    query.row().path("phaseMs").properties().stream()
        .limit(MAX_PHASES)
        .forEach(
            phase ->
                gauge(
                    registry,
                    MetricCatalog.QUERY_PHASE_DURATION,
                    phase.getValue().asDouble() / 1000,
                    id,
                    name,
                    application,
                    phase.getKey()));
  }

  private static void states(MeterRegistry registry, List<QueryStatus> queries) {
    Map<QueryState, Integer> counts = new EnumMap<>(QueryState.class);
    for (QueryState state : QueryState.values()) {
      counts.put(state, 0);
    }
    queries.forEach(query -> counts.merge(query.state(), 1, Integer::sum));
    counts.forEach((state, count) -> gauge(registry, MetricCatalog.QUERIES, count, state.name()));
  }

  private void telemetry(MeterRegistry registry, List<ObjectNode> agents) {
    dropped.count(agents);
    if (agents.isEmpty()) {
      return;
    }
    Map<String, Integer> open = new TreeMap<>();
    Map<String, Integer> closed = new TreeMap<>();
    List<Double> delays = new ArrayList<>();
    double longestDelay = Double.NEGATIVE_INFINITY;
    double missing = 0;
    for (ObjectNode agent : agents) {
      (agent.path("closed").asBoolean() ? closed : open)
          .merge(agent.path("agentVersion").asText(), 1, Integer::sum);
      missing += agent.path("missing").asDouble();
      if (agent.path("ingestDelaySeconds").isNumber()) {
        delays.add(agent.path("ingestDelaySeconds").asDouble());
      }
      if (agent.path("ingestDelayMaxSeconds").isNumber()) {
        longestDelay = Math.max(longestDelay, agent.path("ingestDelayMaxSeconds").asDouble());
      }
    }
    open.forEach(
        (version, count) -> gauge(registry, MetricCatalog.AGENTS, count, version, "false"));
    closed.forEach(
        (version, count) -> gauge(registry, MetricCatalog.AGENTS, count, version, "true"));
    gauge(registry, MetricCatalog.AGENT_MISSING, missing);
    if (!delays.isEmpty()) {
      delays.sort(null);
      gauge(registry, MetricCatalog.INGEST_DELAY, delays.get((delays.size() - 1) / 2));
    }
    if (Double.isFinite(longestDelay)) {
      gauge(registry, MetricCatalog.INGEST_DELAY_MAX, longestDelay);
    }
  }

  private static void time(MeterRegistry registry, Metric metric, Optional<Instant> time) {
    time.ifPresent(at -> gauge(registry, metric, MetricCatalog.epochSeconds(at)));
  }

  private static void gauge(MeterRegistry registry, Metric metric, double value, String... values) {
    Gauge.builder(metric.meterName(), () -> value)
        .description(metric.help())
        .tags(tags(metric, values))
        .register(registry);
  }

  private static List<Tag> tags(Metric metric, String... values) {
    List<Tag> tags = new ArrayList<>(values.length);
    for (int i = 0; i < values.length; i++) {
      tags.add(Tag.of(metric.labels().get(i), cut(values[i])));
    }
    return tags;
  }

  private static String cut(String value) {
    return value.codePointCount(0, value.length()) <= MAX_LABEL_LENGTH
        ? value
        : value.substring(0, value.offsetByCodePoints(0, MAX_LABEL_LENGTH));
  }
}
