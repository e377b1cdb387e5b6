package io.streampulse.benchmarks;

import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.table.HealthTable;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench fleet}: what a look at the fleet costs over a long history. */
@Command(
    name = "fleet",
    description =
        "Seconds and bytes read for a look at the fleet, and at one query, over days of history.")
final class FleetCommand implements Callable<Integer> {
  private static final int ROUNDS = 3;

  /** Columns that are not null, as SQL over day, q (query), i (batch of the day) and ms (begin). */
  private static final Map<String, String> COLUMNS =
      Map.ofEntries(
          Map.entry("agentId", "concat('agent-', q)"),
          Map.entry("sequence", "n"),
          Map.entry("eventType", "'PROGRESS'"),
          Map.entry("eventTime", "timestamp_millis(ms)"),
          Map.entry("observedTime", "timestamp_millis(ms + 2000)"),
          Map.entry("ingestedAt", "timestamp_millis(ms + 9000)"),
          Map.entry("agentVersion", "'0.1.0'"),
          Map.entry("applicationId", "concat('application-', q DIV 4)"),
          Map.entry("applicationName", "concat('pipeline-', q DIV 4)"),
          Map.entry("sparkVersion", "'4.2.0'"),
          Map.entry("host", "concat('10.0.', q DIV 256, '.', q % 256)"),
          Map.entry("tags", "map('team', concat('team-', q % 20))"),
          Map.entry("queryId", "concat(md5(string(q)))"),
          Map.entry("runId", "concat(md5(concat('run-', q)))"),
          Map.entry("queryName", "concat('query-', q)"),
          Map.entry("batchId", "n"),
          Map.entry("numInputRows", "1000 + pmod(h, 200)"),
          Map.entry("inputRowsPerSecond", "16 + pmod(h, 100) / 30"),
          Map.entry("processedRowsPerSecond", "600 + pmod(h, 1000) / 7"),
          Map.entry("fallingBehind", "pmod(h, 50) = 0"),
          Map.entry("fallingBehindStreak", "IF(pmod(h, 50) = 0, 1, 0)"),
          Map.entry("batchDurationMs", "1500 + pmod(h, 1000)"),
          Map.entry(
              "durationMs",
              "map('addBatch', 1200 + pmod(h, 900), 'latestOffset', 20 + pmod(h, 50),"
                  + " 'queryPlanning', 30 + pmod(h, 20), 'walCommit', 60 + pmod(h, 40),"
                  + " 'commitOffsets', 60 + pmod(h, 30), 'getBatch', 0,"
                  + " 'triggerExecution', 1500 + pmod(h, 1000))"),
          Map.entry("watermark", "timestamp_millis(ms - 60000)"),
          Map.entry(
              "sources",
              "array(named_struct('description', concat('KafkaV2[Subscribe[topic-', q, ']]'),"
                  + " 'startOffset', offsets(n), 'endOffset', offsets(n + 1),"
                  + " 'latestOffset', offsets(n + 1), 'numInputRows', 1000 + pmod(h, 200),"
                  + " 'inputRowsPerSecond', 16.0, 'processedRowsPerSecond', 600.0,"
                  + " 'metrics', map('avgOffsetsBehindLatest', '0.0',"
                  + " 'maxOffsetsBehindLatest', '0', 'minOffsetsBehindLatest', '0'),"
                  + " 'backlog', IF(pmod(h, 30) = 0, 500, 0)))"),
          Map.entry(
              "stateOperators",
              "IF(q % 5 = 0, array(named_struct('operatorName', 'stateStoreSave',"
                  + " 'numRowsTotal', 100000 + pmod(h, 1000), 'numRowsUpdated', 900,"
                  + " 'allUpdatesTimeMs', 40, 'numRowsRemoved', 800, 'allRemovalsTimeMs', 4,"
                  + " 'commitTimeMs', 90, 'memoryUsedBytes', 40000000,"
                  + " 'numRowsDroppedByWatermark', 0, 'numShufflePartitions', 8,"
                  + " 'numStateStoreInstances', 8, 'customMetrics', map())), array())"),
          Map.entry(
              "kafka",
              "named_struct('topic', 'streaming-health', 'partition', q % 8, 'offset', n,"
                  + " 'timestamp', timestamp_millis(ms + 3000))"));

  @Option(names = "--queries", defaultValue = "1000", description = "Default: ${DEFAULT-VALUE}.")
  private int queries;

  @Option(names = "--days", defaultValue = "30", description = "Default: ${DEFAULT-VALUE}.")
  private int days;

  @Option(
      names = "--gap",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "Between two batches of a query (default: ${DEFAULT-VALUE}).")
  private int gapSeconds;

  @Option(
      names = "--folder",
      description =
          "Keeps the table in this folder, and takes the one that is there; its newest rows are then"
              + " as old as the table. Without it the table is made anew and deleted.")
  private Path kept;

  @Spec private CommandSpec spec;

  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder rowsRead = new LongAdder();
  private final List<List<String>> figures = new ArrayList<>();
  private Report report;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    Path folder = kept == null ? Files.createTempDirectory("streampulse-fleet") : kept;
    try (SparkSession spark = LocalSpark.session("bench-fleet", folder)) {
      spark.sparkContext().addSparkListener(new Reads());
      TableName health = TableName.parse("spark_catalog.bench.health");
      TableName quarantine = TableName.parse("spark_catalog.bench.quarantine");
      table(HealthTable.quarantine(quarantine), spark, folder.resolve("quarantine"));
      boolean isThere = table(HealthTable.health(health), spark, folder.resolve("health"));
      if (!isThere) {
        fill(spark, health);
      }
      FleetViews views = new FleetViews(health, quarantine);
      if (isThere) {
        views =
            views.at(
                spark
                    .table(health.sql())
                    .agg(functions.max("ingestedAt"))
                    .as(Encoders.INSTANT())
                    .head());
      }
      FleetReader reader = new FleetReader(spark, views);
      FleetSnapshot[] fleet = new FleetSnapshot[1];
      report.add(
          "%,d queries, %d days, a batch of each every %d s: %s.",
          queries, days, gapSeconds, size(spark, health));
      measure("first look", () -> fleet[0] = reader.read());
      for (int round = 0; round < ROUNDS; round++) {
        measure("another look", () -> fleet[0] = reader.read());
      }
      measure("the last hour of all", reader::sparks);
      String id = fleet[0].queries().get(0).queryId();
      measure("history of one query", () -> reader.of(id));
      measure("history of another", () -> reader.of(fleet[0].queries().get(7).queryId()));
      report.table(List.of("", "seconds", "MB read, as Spark counts", "rows read"), figures);
      report.finish();
      return ExitCode.OK;
    } finally {
      if (kept == null) {
        Folders.delete(folder);
      }
    }
  }

  /** Makes a table, or knows the one that is there, and tells which. */
  private static boolean table(HealthTable table, SparkSession spark, Path folder) {
    Optional<String> location = Optional.of(folder.toUri().toString());
    boolean isThere = Files.isDirectory(folder);
    if (isThere) {
      table.register(spark, location);
    } else {
      table.prepare(spark, location, Map.of());
    }
    return isThere;
  }

  private static String size(SparkSession spark, TableName table) {
    Row detail =
        spark.sql("DESCRIBE DETAIL " + table.sql()).selectExpr("numFiles", "sizeInBytes").head();
    return "%,d rows in %,d files, %,d MB"
        .formatted(
            spark.table(table.sql()).count(), detail.getLong(0), detail.getLong(1) / 1_000_000);
  }

  private void fill(SparkSession spark, TableName table) throws Exception {
    long perDay = Duration.ofDays(1).toSeconds() / gapSeconds;
    Instant end = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    StructType columns = spark.table(table.sql()).schema();
    for (int day = days - 1; day >= 0; day--) {
      long first = end.minus(Duration.ofDays(day + 1L)).toEpochMilli();
      Dataset<Row> numbered =
          spark
              .range(0, queries * perDay, 1, 8)
              .selectExpr(
                  "id DIV " + perDay + " AS q",
                  "id %% %d + %d AS n".formatted(perDay, (days - 1 - day) * perDay),
                  "%d + (id %% %d + 1) * %d - pmod(xxhash64(id DIV %d), %d)"
                          .formatted(first, perDay, gapSeconds * 1000L, perDay, gapSeconds * 1000L)
                      + " AS ms",
                  "xxhash64(id, " + day + ") AS h");
      numbered.select(columns(columns)).writeTo(table.sql()).append();
      if (day % 10 == 0) {
        report.progress("%d days to write", day);
      }
    }
  }

  private static Column[] columns(StructType columns) {
    return List.of(columns.fields()).stream()
        .map(
            field ->
                functions
                    .expr(
                        COLUMNS
                            .getOrDefault(field.name(), nothing(field))
                            .replaceAll(
                                "offsets\\(([^)]*)\\)",
                                "concat('{\"topic\":{\"0\":', 1000 * ($1), ',\"1\":', 1001 * ($1),"
                                    + " ',\"2\":', 1002 * ($1), ',\"3\":', 1003 * ($1), '}}')"))
                    .cast(field.dataType())
                    .as(field.name()))
        .toArray(Column[]::new);
  }

  private static String nothing(StructField field) {
    if (field.dataType() instanceof ArrayType) {
      return "array()";
    }
    return field.dataType() instanceof MapType ? "map()" : "NULL";
  }

  private void measure(String what, Runnable work) {
    bytesRead.reset();
    rowsRead.reset();
    long start = System.nanoTime();
    work.run();
    List<String> figure =
        List.of(
            what,
            "%.1f".formatted((System.nanoTime() - start) / 1e9),
            "%,d".formatted(bytesRead.sum() / 1_000_000),
            "%,d".formatted(rowsRead.sum()));
    figures.add(figure);
    report.progress("%-22s %6s s, %6s MB and %12s rows read", figure.toArray());
  }

  private final class Reads extends SparkListener {
    @Override
    public void onTaskEnd(SparkListenerTaskEnd task) {
      if (task.taskMetrics() != null) {
        bytesRead.add(task.taskMetrics().inputMetrics().bytesRead());
        rowsRead.add(task.taskMetrics().inputMetrics().recordsRead());
      }
    }
  }
}
