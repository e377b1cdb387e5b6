package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Asks the views. What several views read is asked once for each look at the fleet, and what is
 * normal for a query, which takes a week of rows, every ten minutes.
 *
 * <p>Thread-safe: one look at a time.
 */
public final class FleetReader implements FleetDetails {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SLOW_AGE = Duration.ofMinutes(10);
  private static final int SPARK_MINUTES = 60;
  private static final int HISTORY_MINUTES = 240;

  private static final List<String> VIEWS =
      List.of(
          "query_runs",
          "query_baseline",
          "query_history",
          "telemetry_health",
          "telemetry_status",
          "state_growth",
          "query_status",
          "lag_trend");

  private static final List<String> PHASES =
      List.of(
          "latestOffset",
          "getBatch",
          "queryPlanning",
          "walCommit",
          "addBatch",
          "commitBatch",
          "commitOffsets");

  private static final String HISTORY =
      """
      SELECT history.*, lag_trend.lagSeconds FROM (
        SELECT *, row_number() OVER (PARTITION BY queryId ORDER BY minute DESC) AS age
        FROM query_history WHERE %s) history
      LEFT JOIN lag_trend USING (queryId, minute)
      WHERE age <= %d ORDER BY queryId, minute""";

  private static final String LATEST =
      """
      SELECT latest.* FROM (
        SELECT queryId, max_by(struct(*), struct(observedTime, sequence)) AS latest
        FROM %s WHERE %s AND eventTime > TIMESTAMP '%s' - INTERVAL 7 DAYS
        GROUP BY queryId)""";

  private final SparkSession spark;
  private final FleetViews views;
  private FleetViews look;
  private final Map<String, Dataset<Row>> slow = new HashMap<>();
  private Instant slowReadAt = Instant.EPOCH;

  /** A reader with a session of its own, so that its views are in nobody's way. */
  public FleetReader(SparkSession spark, FleetViews views) {
    this.spark = spark.newSession();
    this.spark.conf().set("spark.sql.session.timeZone", "UTC");
    this.views = views;
    this.look = views;
  }

  /**
   * The fleet now.
   *
   * @throws RuntimeException if the table can't be read
   */
  public synchronized FleetSnapshot read() {
    // All of a look is of one time: where it takes long, what is read last would else find all that
    // was read first silent for as long.
    look = views.at(views.time());
    if (Duration.between(slowReadAt, look.time()).compareTo(SLOW_AGE) > 0) {
      slow.clear();
      slowReadAt = look.time();
    }
    look.register(spark, VIEWS, this::keep);
    ObjectNode status = rows("SELECT * FROM telemetry_status").get(0);
    Optional<Instant> newestEventAt = time(status, "newestEventAt");
    return new FleetSnapshot(
        look.table().toString(),
        look.time(),
        newestEventAt,
        time(status, "newestIngestedAt"),
        status.path("isOutage").asBoolean()
            ? newestEventAt.map(FleetReader::outage)
            : Optional.empty(),
        rows("SELECT * FROM query_status ORDER BY severity, lagSeconds DESC NULLS LAST, queryName")
            .stream()
            .map(QueryStatus::new)
            .toList(),
        rows("SELECT * FROM telemetry_health ORDER BY lastHeardAt DESC"));
  }

  /**
   * The last hour of every query, minute by minute, for small pictures; {@link #read} comes first.
   */
  public synchronized Map<String, ObjectNode> sparks() {
    Map<String, ObjectNode> sparks = new LinkedHashMap<>();
    for (ObjectNode row :
        rows(
            ("SELECT * FROM query_history WHERE minute > TIMESTAMP '%s' - INTERVAL %d MINUTES"
                    + " ORDER BY queryId, minute")
                .formatted(look.time(), SPARK_MINUTES))) {
      ObjectNode spark =
          sparks.computeIfAbsent(row.path("queryId").asText(), id -> JSON.createObjectNode());
      spark.withArray("t").add(seconds(row, "minute"));
      add(spark, "lag", row.path("lagRecords"));
      add(spark, "in", row.path("inputRowsPerSecond"));
      add(spark, "out", row.path("processedRowsPerSecond"));
      add(spark, "batchMs", row.path("batchDurationMs"));
    }
    return sparks;
  }

  @Override
  public Optional<ObjectNode> of(String queryId) {
    return Optional.ofNullable(details(List.of(queryId)).get(queryId));
  }

  /**
   * The histories of queries, by id, as the last {@link #read} knows them; those that are not known
   * are left out.
   */
  public synchronized Map<String, ObjectNode> details(List<String> queryIds) {
    if (queryIds.isEmpty()) {
      return Map.of();
    }
    String ids =
        queryIds.stream()
            .map(id -> "'" + id.replace("\\", "\\\\").replace("'", "\\'") + "'")
            .collect(Collectors.joining(", ", "queryId IN (", ")"));
    Map<String, ObjectNode> details = new LinkedHashMap<>();
    for (ObjectNode run : rows("SELECT * FROM query_runs WHERE " + ids + " ORDER BY startedAt")) {
      addRun(details.computeIfAbsent(run.path("queryId").asText(), FleetReader::detail), run);
    }
    for (ObjectNode row : rows(HISTORY.formatted(ids, HISTORY_MINUTES))) {
      ObjectNode detail = details.get(row.path("queryId").asText());
      if (detail != null) {
        addMinute((ObjectNode) detail.get("series"), row);
      }
    }
    for (ObjectNode row : rows(LATEST.formatted(look.healthSql(), ids, look.time()))) {
      ObjectNode detail = details.get(row.path("queryId").asText());
      if (detail != null) {
        detail.set("latest", row);
      }
    }
    return details;
  }

  /** Later views read the rows that are kept instead of asking again. */
  private void keep(String view) {
    switch (view) {
      case "query_runs", "telemetry_health" -> collected(view).createOrReplaceTempView(view);
      case "query_baseline", "state_growth" ->
          slow.computeIfAbsent(view, this::collected).createOrReplaceTempView(view);
      default -> {
        // Read where it is asked for.
      }
    }
  }

  private Dataset<Row> collected(String view) {
    Dataset<Row> rows = spark.table(view);
    return spark.createDataFrame(rows.collectAsList(), rows.schema());
  }

  private static String outage(Instant newestEventAt) {
    return "No agent has been heard since "
        + newestEventAt
        + ": the topic or the health consumer is down, or every job is. What is said of queries is"
        + " as old as that.";
  }

  private static ObjectNode detail(String queryId) {
    ObjectNode detail = JSON.createObjectNode().put("queryId", queryId);
    ObjectNode series = detail.putObject("series");
    series.putArray("t");
    ObjectNode phases = series.putObject("phases");
    PHASES.forEach(phases::putArray);
    detail.putArray("events");
    detail.putObject("latest");
    return detail;
  }

  private static void addRun(ObjectNode detail, ObjectNode run) {
    ArrayNode events = detail.withArray("events");
    events
        .addObject()
        .put("t", seconds(run, "startedAt"))
        .put("kind", "STARTED")
        .put("text", "run " + run.path("runId").asText() + " started");
    if (run.hasNonNull("endedAt")) {
      String error = run.path("errorMessage").asText(run.path("errorClass").asText("ended"));
      events
          .addObject()
          .put("t", seconds(run, "endedAt"))
          .put("kind", run.path("outcome").asText())
          .put("text", error);
    }
  }

  private static void addMinute(ObjectNode series, ObjectNode row) {
    series.withArray("t").add(seconds(row, "minute"));
    add(series, "in", row.path("inputRowsPerSecond"));
    add(series, "out", row.path("processedRowsPerSecond"));
    add(series, "lagRecords", row.path("lagRecords"));
    add(series, "lagSeconds", row.path("lagSeconds"));
    add(series, "batchMs", row.path("batchDurationMs"));
    add(series, "watermarkLagSeconds", row.path("watermarkLagSeconds"));
    add(series, "stateRows", row.path("stateRows"));
    add(series, "stateBytes", row.path("stateBytes"));
    ObjectNode phases = (ObjectNode) series.get("phases");
    PHASES.forEach(phase -> add(phases, phase, row.path("phaseMs").path(phase)));
  }

  private static void add(ObjectNode series, String name, JsonNode value) {
    ArrayNode values = series.withArray(name);
    if (value.isNumber()) {
      values.add(value);
    } else {
      values.addNull();
    }
  }

  private static double seconds(ObjectNode row, String column) {
    return time(row, column).orElseThrow().toEpochMilli() / 1000.0;
  }

  private static Optional<Instant> time(ObjectNode row, String column) {
    return row.hasNonNull(column)
        ? Optional.of(Instant.parse(row.get(column).asText()))
        : Optional.empty();
  }

  private List<ObjectNode> rows(String sql) {
    List<ObjectNode> rows = new ArrayList<>();
    for (String json : spark.sql(sql).toJSON().collectAsList()) {
      try {
        rows.add((ObjectNode) JSON.readTree(json));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("Spark's JSON is none: " + json, e);
      }
    }
    return rows;
  }
}
