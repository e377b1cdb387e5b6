package io.streampulse.consumer.fleet;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.max_by;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.struct;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.functions;

/**
 * Asks the views. What several views read is asked once for each look at the fleet. What takes a
 * week of rows (what is normal for a query, and the sums over records that were in the table an
 * hour before) is asked every ten minutes, or less often where it takes more than a twentieth of
 * that.
 *
 * <p>Thread-safe: one look at a time; the histories of queries are read beside it.
 */
public final class FleetReader {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration SLOW_AGE = Duration.ofMinutes(10);
  private static final int SLOW_SHARE = 20;

  /** From a row's {@code ingestedAt} to the commit it is in, at the very most. */
  private static final Duration COMMIT_TIME = Duration.ofHours(1);

  private static final Duration SPARK_TIME = Duration.ofHours(1);
  private static final int HISTORY_MINUTES = 240;

  private static final List<String> VIEWS =
      List.of(
          "run_totals",
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

  private final SparkSession spark;
  private final FleetViews views;
  private volatile Look look;
  private final Map<String, Dataset<Row>> slow = new HashMap<>();
  private Instant slowReadAt = Instant.EPOCH;
  private Duration slowTook = Duration.ZERO;

  /** A reader with a session of its own, so that its views are in nobody's way. */
  public FleetReader(SparkSession spark, FleetViews views) {
    this.spark = spark.newSession();
    this.spark.conf().set("spark.sql.session.timeZone", "UTC");
    this.views = views;
  }

  /**
   * The fleet now.
   *
   * @throws RuntimeException if the table can't be read
   */
  public synchronized FleetSnapshot read() {
    // All of a look is of one time: where it takes long, what is read last would else find all that
    // was read first silent for as long.
    FleetViews now = views.at(views.time());
    Duration slowAge = Duration.between(slowReadAt, now.time());
    if (slowAge.compareTo(SLOW_AGE) > 0
        && slowAge.compareTo(slowTook.multipliedBy(SLOW_SHARE)) > 0) {
      slow.clear();
      slowReadAt = now.time();
      slowTook = Duration.ZERO;
    }
    now.register(spark, VIEWS, view -> keep(now, view));
    look =
        new Look(
            now,
            spark.table("query_runs"),
            spark.table("query_history"),
            spark.table("lag_trend").select("queryId", "minute", "lagSeconds"));
    ObjectNode status = rows("SELECT * FROM telemetry_status").get(0);
    Optional<Instant> newestEventAt = time(status, "newestEventAt");
    return new FleetSnapshot(
        now.table().toString(),
        now.time(),
        newestEventAt,
        time(status, "newestIngestedAt"),
        status.path("isOutage").asBoolean()
            ? newestEventAt.map(FleetReader::outage)
            : Optional.empty(),
        rows("SELECT * FROM query_status ORDER BY severity, lagSeconds DESC NULLS LAST, queryName")
            .stream()
            .map(QueryStatus::new)
            .toList(),
        rows("SELECT * FROM telemetry_health ORDER BY lastHeardAt DESC"),
        status.path("quarantined").asLong());
  }

  /**
   * The last hour of every query, minute by minute, for small pictures, as of the last {@link
   * #read}.
   */
  public Map<String, ObjectNode> sparks() {
    Look last = lastLook();
    Map<String, ObjectNode> sparks = new LinkedHashMap<>();
    for (ObjectNode row :
        rows(
            spark
                .sql(
                    last.views()
                        .query(
                            "query_history",
                            "eventTime > TIMESTAMP '%s'"
                                .formatted(last.views().time().minus(SPARK_TIME))))
                .orderBy("queryId", "minute"))) {
      ObjectNode picture =
          sparks.computeIfAbsent(row.path("queryId").asText(), id -> JSON.createObjectNode());
      picture.withArray("t").add(seconds(row, "minute"));
      add(picture, "lag", row.path("lagRecords"));
      add(picture, "in", row.path("inputRowsPerSecond"));
      add(picture, "out", row.path("processedRowsPerSecond"));
      add(picture, "batchMs", row.path("batchDurationMs"));
    }
    return sparks;
  }

  /**
   * The history of a query and its latest record, as of the last {@link #read}; empty if unknown.
   */
  public Optional<ObjectNode> of(String queryId) {
    return Optional.ofNullable(details(List.of(queryId)).get(queryId));
  }

  /**
   * The histories of queries, by id, as the last {@link #read} knows them; those that are not known
   * are left out.
   */
  public Map<String, ObjectNode> details(List<String> queryIds) {
    Look last = lastLook();
    Column wanted = col("queryId").isin(queryIds.toArray());
    Map<String, ObjectNode> details = new LinkedHashMap<>();
    for (ObjectNode run : rows(last.runs().where(wanted).orderBy("startedAt"))) {
      addRun(details.computeIfAbsent(run.path("queryId").asText(), FleetReader::detail), run);
    }
    if (details.isEmpty()) {
      return details;
    }
    Dataset<Row> minutes =
        last.history()
            .where(wanted)
            .withColumn(
                "age",
                row_number().over(Window.partitionBy("queryId").orderBy(col("minute").desc())))
            .where(col("age").leq(HISTORY_MINUTES))
            .join(last.lagTrend(), new String[] {"queryId", "minute"}, "left")
            .orderBy("queryId", "minute");
    for (ObjectNode minute : rows(minutes)) {
      addMinute((ObjectNode) details.get(minute.path("queryId").asText()).get("series"), minute);
    }
    Dataset<Row> records =
        spark
            .sql("SELECT * FROM " + last.views().healthSql())
            .where("eventTime > TIMESTAMP '%s' - INTERVAL 7 DAYS".formatted(last.views().time()))
            .where(wanted);
    Column all =
        struct(Arrays.stream(records.columns()).map(functions::col).toArray(Column[]::new));
    Dataset<Row> latest =
        records
            .groupBy("queryId")
            .agg(max_by(all, struct("observedTime", "sequence")).as("latest"))
            .select("latest.*");
    for (ObjectNode row : rows(latest)) {
      details.get(row.path("queryId").asText()).set("latest", row);
    }
    return details;
  }

  /** Later views read the rows that are kept instead of asking again. */
  private void keep(FleetViews now, String view) {
    switch (view) {
      case "run_totals" -> {
        String atHour = "TIMESTAMP '" + slowReadAt.minus(COMMIT_TIME) + "'";
        slow(view, () -> spark.sql(now.query(view, "ingestedAt <= " + atHour)))
            .union(FleetViews.kept(spark.sql(now.query(view, "ingestedAt > " + atHour))))
            .createOrReplaceTempView(view);
      }
      case "query_runs", "telemetry_health" ->
          FleetViews.kept(spark, view).createOrReplaceTempView(view);
      case "query_baseline", "state_growth" ->
          slow(view, () -> spark.table(view)).createOrReplaceTempView(view);
      default -> {
        // Read where it is asked for.
      }
    }
  }

  private Dataset<Row> slow(String view, Supplier<Dataset<Row>> asked) {
    return slow.computeIfAbsent(
        view,
        name -> {
          long start = System.nanoTime();
          Dataset<Row> rows = FleetViews.kept(asked.get());
          slowTook = slowTook.plusNanos(System.nanoTime() - start);
          return rows;
        });
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
    if (run.path("isStartSeen").asBoolean()) {
      events
          .addObject()
          .put("t", seconds(run, "startedAt"))
          .put("kind", "STARTED")
          .put("text", "run " + run.path("runId").asText() + " started");
    }
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

  private Look lastLook() {
    Look last = look;
    if (last == null) {
      throw new IllegalStateException("the fleet was not read yet");
    }
    return last;
  }

  private List<ObjectNode> rows(String sql) {
    return rows(spark.sql(sql));
  }

  /** The rows as JSON; columns that are null are left out. */
  static List<ObjectNode> rows(Dataset<Row> dataset) {
    List<ObjectNode> rows = new ArrayList<>();
    for (String json : dataset.toJSON().collectAsList()) {
      try {
        rows.add((ObjectNode) JSON.readTree(json));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("Spark's JSON is none: " + json, e);
      }
    }
    return rows;
  }

  /** What a look has left for those who ask about single queries. */
  private record Look(
      FleetViews views, Dataset<Row> runs, Dataset<Row> history, Dataset<Row> lagTrend) {}
}
