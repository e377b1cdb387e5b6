package io.streampulse.consumer.fleet;

import io.streampulse.consumer.table.TableName;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The views over the health table, which hold every rule there is about queries. Each is a file of
 * SQL that runs as it stands over tables of the default names; here the names are replaced by the
 * user's.
 *
 * <p>Immutable.
 */
public final class FleetViews {
  /** All views, each after those it reads. */
  public static final List<String> NAMES =
      List.of(
          "run_totals",
          "query_runs",
          "query_baseline",
          "query_history",
          "telemetry_health",
          "telemetry_status",
          "state_growth",
          "query_status",
          "falling_behind",
          "top_lag",
          "lag_trend",
          "batch_duration_hourly",
          "phase_share",
          "async_progress_candidates",
          "trigger_utilisation",
          "restarts",
          "downtime",
          "errors",
          "rtm_latency",
          "task_utilisation",
          "slo_burn",
          "owners",
          "agents");

  private static final Pattern NAME = Pattern.compile("main\\.streaming_monitoring\\.(\\w+)");

  private final TableName health;
  private final TableName quarantine;
  private final Optional<Instant> now;

  /** The views over two tables; they stand beside the health table. */
  public FleetViews(TableName health, TableName quarantine) {
    this(health, quarantine, Optional.empty());
  }

  private FleetViews(TableName health, TableName quarantine, Optional<Instant> now) {
    this.health = health;
    this.quarantine = quarantine;
    this.now = now;
  }

  /** The same views as they would have been at a time, over the rows of then. */
  public FleetViews at(Instant time) {
    return new FleetViews(health, quarantine, Optional.of(time));
  }

  /** The statement that creates a view beside the health table. */
  public String statement(String view) {
    return renamed(
        view, name -> "`%s`.`%s`.`%s`".formatted(health.catalog(), health.schema(), name));
  }

  /** The statement that creates a view for one session, for catalogs that can't hold views. */
  public String temporaryStatement(String view) {
    return renamed(view, name -> "`" + name + "`")
        .replaceFirst("(?m)^CREATE VIEW ", "CREATE OR REPLACE TEMPORARY VIEW ");
  }

  /**
   * The query of a view that reads the health table alone, over the rows for which a condition
   * holds: one on what a view says of time does not keep Spark from reading older files.
   */
  String query(String view, String condition) {
    String statement = statement(view);
    return statement
        .substring(statement.indexOf("\nAS\n") + "\nAS\n".length())
        .replace(
            relation(health), "(SELECT * FROM %s WHERE %s)".formatted(relation(health), condition));
  }

  /**
   * Creates the views in the table's catalog, in the place of those that are there.
   *
   * @param done hears of each view that is there
   */
  public void install(SparkSession spark, Consumer<String> done) {
    for (String view : NAMES) {
      TableName name = new TableName(health.catalog(), health.schema(), view);
      spark.sql("DROP VIEW IF EXISTS " + name.sql()); // not each catalog has CREATE OR REPLACE
      spark.sql(statement(view));
      done.accept(name.toString());
    }
  }

  /**
   * Makes views known to a session, and to it alone.
   *
   * @param views those wanted, each after those it reads
   * @param done hears of each view before those are made that read it, and may replace it
   */
  public void register(SparkSession spark, List<String> views, Consumer<String> done) {
    for (String view : views) {
      spark.sql(temporaryStatement(view));
      done.accept(view);
    }
  }

  /** The rows that a view has now, as a dataset that does not ask for them again. */
  public static Dataset<Row> kept(SparkSession spark, String view) {
    return kept(spark.table(view));
  }

  /** The same rows, which are not asked for again. */
  static Dataset<Row> kept(Dataset<Row> rows) {
    return rows.sparkSession().createDataFrame(rows.collectAsList(), rows.schema());
  }

  /** The time the views are of. */
  public Instant time() {
    return now.orElseGet(Instant::now);
  }

  /** The health table. */
  public TableName table() {
    return health;
  }

  /** The health table as it stands in SQL: the rows that it had then. */
  String healthSql() {
    return relation(health);
  }

  private String renamed(String view, UnaryOperator<String> viewName) {
    String text =
        NAME.matcher(read(view))
            .replaceAll(
                match ->
                    Matcher.quoteReplacement(
                        switch (match.group(1)) {
                          case "streaming_health" -> relation(health);
                          case "streaming_health_quarantine" -> relation(quarantine);
                          default -> viewName.apply(match.group(1));
                        }));
    return now.map(time -> text.replace("current_timestamp()", "TIMESTAMP '" + time + "'"))
        .orElse(text);
  }

  private String relation(TableName table) {
    return now.map(
            time ->
                "(SELECT * FROM %s WHERE ingestedAt <= TIMESTAMP '%s')"
                    .formatted(table.sql(), time))
        .orElseGet(table::sql);
  }

  private static String read(String view) {
    String resource = "/io/streampulse/views/" + view + ".sql";
    try (InputStream file = FleetViews.class.getResourceAsStream(resource)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
