package io.streampulse.consumer.metrics;

import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Every metric there is: what is exported, what the documentation lists, what an alert may use. */
public final class MetricCatalog {
  static final Metric QUERY_STATUS =
      query(
          "status",
          "",
          "1 for the state the query is in, 0 for the others. The states are those of query_status.",
          "status");
  static final Metric QUERY_SIGNAL =
      query("signal", "", "1 for each signal the query gives; no series for the others.", "signal");
  static final Metric QUERY_INFO =
      query(
          "info",
          "",
          "Always 1; the labels tell where the query's latest run is.",
          "spark_version",
          "agent_version",
          "host",
          "cluster_id",
          "job_id");
  static final Metric QUERY_PHASE_DURATION =
      query(
          "phase_duration_seconds",
          "seconds",
          "Median duration of a phase of the micro-batch over the window.",
          "phase");

  /** One number of a query: no series where it has none. */
  record QueryGauge(Metric metric, Value value) {}

  /** Where a query's number comes from. */
  @FunctionalInterface
  interface Value {
    OptionalDouble of(QueryStatus query);
  }

  static final List<QueryGauge> QUERY_GAUGES =
      List.of(
          number(
              "lag_records",
              "records",
              "Records the sources still had to give at the end of the latest micro-batch.",
              "lagRecords"),
          number(
              "lag_seconds", "seconds", "How far the query is behind its sources.", "lagSeconds"),
          number(
              "lag_trend_records_per_second",
              "records per second",
              "Trend of the lag over the window; above 0 it rises.",
              "lagTrendPerSecond"),
          number(
              "catch_up_seconds",
              "seconds",
              "Time until the lag is worked off at the present rates; no series where it is not.",
              "catchUpSeconds"),
          new QueryGauge(
              query(
                  "last_event_timestamp_seconds",
                  "seconds since 1970",
                  "When the query's latest event was made."),
              query ->
                  query
                      .time("lastEventAt")
                      .map(at -> OptionalDouble.of(epochSeconds(at)))
                      .orElse(OptionalDouble.empty())),
          number(
              "input_rows_per_second",
              "rows per second",
              "Rate at which rows arrived over the window.",
              "inputRowsPerSecond"),
          number(
              "processed_rows_per_second",
              "rows per second",
              "Rate at which rows were processed over the window.",
              "processedRowsPerSecond"),
          number(
              "headroom_ratio",
              "ratio",
              "Processed by input rate; below 1 the query can't keep up.",
              "headroom"),
          millis(
              "batch_duration_seconds",
              "Median duration of a micro-batch over the window.",
              "batchDurationMs"),
          number(
              "falling_behind_streak",
              "micro-batches",
              "Micro-batches in a row, up to the latest, that fell behind.",
              "fallingBehindStreak"),
          number(
              "watermark_lag_seconds",
              "seconds",
              "How far the event-time watermark is behind.",
              "watermarkLagSeconds"),
          number("state_rows", "rows", "Rows in the state of the query.", "stateRows"),
          number("state_bytes", "bytes", "Memory used by the state of the query.", "stateBytes"));

  static final Metric QUERIES =
      Metric.gauge(
          "streampulse_queries", "queries", "Queries in this state, exported or not.", "status");
  static final Metric QUERIES_NOT_EXPORTED =
      Metric.gauge(
          "streampulse_queries_not_exported",
          "queries",
          "Queries without series of their own since there are more than the bound allows; the"
              + " most urgent ones have theirs.");
  static final Metric AGENT_DROPPED =
      Metric.counter(
          "streampulse_agent_dropped_records_total",
          "records",
          "Records that agents dropped since this process first read the views, by reason.",
          "reason");
  static final Metric AGENT_MISSING =
      Metric.gauge(
          "streampulse_agent_missing_records",
          "records",
          "Records that are neither in the table nor counted as dropped, over all agents.");
  static final Metric AGENTS =
      Metric.gauge(
          "streampulse_agents",
          "agents",
          "Agents that the views know; closed ones have sent their last record.",
          "agent_version",
          "closed");
  static final Metric INGEST_DELAY =
      Metric.gauge(
          "streampulse_ingest_delay_seconds",
          "seconds",
          "Time from a record to its row in the table: median of the agents' medians.");
  static final Metric INGEST_DELAY_MAX =
      Metric.gauge(
          "streampulse_ingest_delay_max_seconds",
          "seconds",
          "Time from a record to its row in the table: the longest of any agent.");
  static final Metric QUARANTINED =
      Metric.gauge(
          "streampulse_quarantined_messages",
          "messages",
          "Messages of the last day that can't be decoded.");
  static final Metric NEWEST_EVENT =
      Metric.gauge(
          "streampulse_newest_event_timestamp_seconds",
          "seconds since 1970",
          "When the newest record in the table was made.");
  static final Metric NEWEST_ROW =
      Metric.gauge(
          "streampulse_newest_row_timestamp_seconds",
          "seconds since 1970",
          "When the newest row was appended to the table.");
  static final Metric READ =
      Metric.gauge(
          "streampulse_read_timestamp_seconds",
          "seconds since 1970",
          "When the views were read from which all other series come.");
  static final Metric OUTAGE =
      Metric.gauge(
          "streampulse_telemetry_outage",
          "",
          "1 while nothing that is said of queries can be trusted, else 0.");
  static final Metric REFRESH_DURATION =
      Metric.gauge(
          "streampulse_refresh_duration_seconds",
          "seconds",
          "Duration of the latest successful reading of the views.");
  static final Metric REFRESH_FAILURES =
      Metric.counter(
          "streampulse_refresh_failures_total", "refreshes", "Readings of the views that failed.");

  public static final List<Metric> ALL = all();

  private MetricCatalog() {}

  static double epochSeconds(Instant time) {
    return time.toEpochMilli() / 1000.0;
  }

  private static List<Metric> all() {
    List<Metric> all = new ArrayList<>(List.of(QUERY_STATUS, QUERY_SIGNAL, QUERY_INFO));
    QUERY_GAUGES.forEach(gauge -> all.add(gauge.metric()));
    all.addAll(
        List.of(
            QUERY_PHASE_DURATION,
            QUERIES,
            QUERIES_NOT_EXPORTED,
            AGENT_DROPPED,
            AGENT_MISSING,
            AGENTS,
            INGEST_DELAY,
            INGEST_DELAY_MAX,
            QUARANTINED,
            NEWEST_EVENT,
            NEWEST_ROW,
            READ,
            OUTAGE,
            REFRESH_DURATION,
            REFRESH_FAILURES));
    return List.copyOf(all);
  }

  private static QueryGauge number(String name, String unit, String help, String column) {
    return new QueryGauge(query(name, unit, help), query -> query.number(column));
  }

  private static QueryGauge millis(String name, String help, String column) {
    return new QueryGauge(
        query(name, "seconds", help),
        query -> {
          OptionalDouble millis = query.number(column);
          return millis.isPresent()
              ? OptionalDouble.of(millis.getAsDouble() / 1000)
              : OptionalDouble.empty();
        });
  }

  private static Metric query(String name, String unit, String help, String... further) {
    return Metric.gauge(
        "streampulse_query_" + name,
        unit,
        help,
        Stream.concat(Stream.of("query_id", "query_name", "application"), Stream.of(further))
            .toArray(String[]::new));
  }
}
