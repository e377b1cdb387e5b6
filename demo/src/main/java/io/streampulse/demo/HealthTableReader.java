package io.streampulse.demo;

import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.table.TableName;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Someone who asks the health table with SQL, from an application of their own. */
final class HealthTableReader implements AutoCloseable {
  private final String table;
  private final Path location;
  private final SparkSession spark;
  private boolean known;

  /**
   * @param table its three-part name
   * @param location where the consumer keeps it
   */
  HealthTableReader(String table, Path location, Path scratch) {
    this.table = table;
    this.location = location;
    this.spark = session("health-table-reader", scratch);
  }

  /** A small Spark of one core in this process, for looking at Delta tables. */
  static SparkSession session(String applicationName, Path scratch) {
    return SparkSession.builder()
        .master("local[1]")
        .appName(applicationName)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        // A few small queries: generating code for them costs more than it saves.
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", scratch.resolve("warehouse").toString())
        .getOrCreate();
  }

  /** Whether the consumer has created the table. */
  boolean isThere() {
    if (!known && Files.exists(location.resolve("_delta_log/00000000000000000000.json"))) {
      String schema = table.substring(0, table.lastIndexOf('.'));
      spark.sql("CREATE SCHEMA IF NOT EXISTS " + schema);
      spark.sql(
          "CREATE TABLE IF NOT EXISTS %s USING DELTA LOCATION '%s'".formatted(table, location));
      known = true;
    }
    return known;
  }

  long count(String condition) {
    return isThere() ? spark.table(table).filter(condition).count() : 0;
  }

  /**
   * Runs one of the demo's queries.
   *
   * @param resource the file with the SQL
   * @param values what to put in place of {@code ${name}}, name and value in turn
   */
  Dataset<Row> query(String resource, String... values) {
    String sql = read(resource).replace("${table}", table);
    for (int i = 0; i < values.length; i += 2) {
      sql = sql.replace("${" + values[i] + "}", values[i + 1]);
    }
    return spark.sql(sql);
  }

  /** Someone who looks at the whole fleet with the views; the table is there. */
  FleetReader fleet() {
    TableName health = TableName.parse(table);
    TableName quarantine = TableName.parse(table + "_quarantine");
    new ConsumerTables(health, quarantine, Optional.of(location.toString())).open(spark);
    return new FleetReader(spark, new FleetViews(health, quarantine));
  }

  @Override
  public void close() {
    spark.stop();
  }

  private static String read(String resource) {
    try (InputStream in = HealthTableReader.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("Can't read " + resource, e);
    }
  }
}
