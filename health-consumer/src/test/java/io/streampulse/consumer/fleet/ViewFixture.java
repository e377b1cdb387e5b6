package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.table.TableName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The views over hand-made rows, at a fixed time. */
final class ViewFixture implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Their rows are kept: a plan with all views in it takes seconds to make. */
  private static final Set<String> READ_BY_OTHERS =
      Set.of(
          "query_runs",
          "query_baseline",
          "query_history",
          "telemetry_health",
          "state_growth",
          "query_status");

  private final SparkSession spark;
  private final FleetViews views;

  private ViewFixture(SparkSession spark, FleetViews views) {
    this.spark = spark;
    this.views = views;
  }

  static ViewFixture of(HealthRows rows, Instant now) {
    SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.adaptive.enabled", "false")
            .config("spark.sql.codegen.wholeStage", "false")
            .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", newFolder())
            .getOrCreate();
    TableName health = TableName.parse("spark_catalog.fleet.health");
    TableName quarantine = TableName.parse("spark_catalog.fleet.quarantine");
    spark.sql("CREATE DATABASE IF NOT EXISTS fleet");
    rows.in(spark).write().mode("overwrite").format("parquet").saveAsTable(health.sql());
    spark
        .createDataFrame(List.of(), DecodedMessages.quarantineColumns())
        .write()
        .mode("overwrite")
        .format("parquet")
        .saveAsTable(quarantine.sql());
    FleetViews views = new FleetViews(health, quarantine).at(now);
    views.register(
        spark,
        FleetViews.NAMES,
        view -> {
          if (READ_BY_OTHERS.contains(view)) {
            Dataset<Row> once = spark.table(view);
            spark
                .createDataFrame(once.collectAsList(), once.schema())
                .createOrReplaceTempView(view);
          }
        });
    return new ViewFixture(spark, views);
  }

  FleetReader reader() {
    return new FleetReader(spark, views);
  }

  Map<String, QueryStatus> statuses() {
    return rows("SELECT * FROM query_status").stream()
        .map(QueryStatus::new)
        .collect(Collectors.toMap(QueryStatus::queryId, Function.identity(), (a, b) -> a));
  }

  List<ObjectNode> rows(String sql) {
    List<ObjectNode> rows = new ArrayList<>();
    for (String json : spark.sql(sql).toJSON().collectAsList()) {
      try {
        rows.add((ObjectNode) JSON.readTree(json));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("Spark wrote " + json, e);
      }
    }
    return rows;
  }

  private static String newFolder() {
    try {
      return Files.createTempDirectory(Path.of("target"), "views").toAbsolutePath().toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    spark.stop();
  }
}
