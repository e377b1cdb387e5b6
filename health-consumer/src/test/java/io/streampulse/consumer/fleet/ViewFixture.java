package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.TestSpark;
import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.HealthRows;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The views over hand-made rows, at a fixed time. */
final class ViewFixture implements AutoCloseable {
  /** Their rows are kept: a plan with all views in it takes seconds to make. */
  private static final Set<String> READ_BY_OTHERS =
      Set.of(
          "run_totals",
          "query_runs",
          "query_baseline",
          "query_history",
          "telemetry_health",
          "state_growth",
          "query_status",
          "slo_burn");

  private final SparkSession spark;
  private final FleetViews views;

  private ViewFixture(SparkSession spark, FleetViews views) {
    this.spark = spark;
    this.views = views;
  }

  static ViewFixture of(HealthRows rows, Instant now) {
    return of(rows, List.of()).at(now);
  }

  /** The rows, and messages that were quarantined; ask {@link #at} a time. */
  static ViewFixture of(HealthRows rows, List<Instant> quarantined) {
    SparkSession spark = TestSpark.session().newSession();
    TableName health = TableName.parse("spark_catalog.fleet.health");
    TableName quarantine = TableName.parse("spark_catalog.fleet.quarantine");
    spark.sql("CREATE DATABASE IF NOT EXISTS fleet");
    rows(spark, rows).write().mode("overwrite").format("parquet").saveAsTable(health.sql());
    spark
        .read()
        .schema(DecodedMessages.quarantineColumns())
        .json(
            spark.createDataset(
                quarantined.stream().map("{\"ingestedAt\":\"%s\"}"::formatted).toList(),
                Encoders.STRING()))
        .write()
        .mode("overwrite")
        .format("parquet")
        .saveAsTable(quarantine.sql());
    return new ViewFixture(spark, new FleetViews(health, quarantine));
  }

  /** The same at a time, in a session of its own. */
  ViewFixture at(Instant now) {
    SparkSession session = spark.newSession();
    FleetViews then = views.at(now);
    then.register(
        session,
        FleetViews.NAMES,
        view -> {
          if (READ_BY_OTHERS.contains(view)) {
            FleetViews.kept(session, view).createOrReplaceTempView(view);
          }
        });
    return new ViewFixture(session, then);
  }

  private static Dataset<Row> rows(SparkSession spark, HealthRows rows) {
    return spark
        .read()
        .schema(DecodedMessages.healthColumns())
        .json(spark.createDataset(rows.json(), Encoders.STRING()));
  }

  FleetReader reader() {
    return new FleetReader(spark, views);
  }

  Map<String, QueryStatus> statuses() {
    return rows("SELECT * FROM query_status").stream()
        .map(QueryStatus::new)
        .collect(Collectors.toMap(QueryStatus::queryId, Function.identity(), (a, b) -> a));
  }

  /** Columns of a view over its own plan, as users ask it, and not over rows that are kept. */
  List<ObjectNode> columns(String view, String columns) {
    spark.sql(
        views.temporaryStatement(view).replaceFirst("VIEW `" + view + "`", "VIEW `not_kept`"));
    return rows("SELECT " + columns + " FROM not_kept");
  }

  List<ObjectNode> rows(String sql) {
    return FleetReader.rows(spark.sql(sql));
  }

  @Override
  public void close() {
    spark.sql("DROP DATABASE fleet CASCADE");
  }
}
