package io.streampulse.benchmarks;

import io.streampulse.consumer.append.GuardMeasurement;
import io.streampulse.consumer.append.HighestOffsets;
import io.streampulse.consumer.append.Positions;
import io.streampulse.consumer.append.TableAppender;
import io.streampulse.consumer.table.HealthTable;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench guard}: what exactly once costs as the table grows. */
@Command(
    name = "guard",
    description =
        "Start of a run, comparison of a replayed batch with the table, and appends after that, at"
            + " growing table sizes.")
final class GuardCommand implements Callable<Integer> {
  private static final String TOPIC = "bench";
  private static final int PARTITIONS = 8;
  private static final int ROWS_PER_FILE = 100_000;
  private static final int BATCH = 1_000;
  private static final int ROUNDS = 15;
  private static final long START_MILLIS = 1_700_000_000_000L;

  @Option(
      names = "--rows",
      split = ",",
      defaultValue = "1000000,10000000,50000000",
      description = "Table sizes, growing; ${DEFAULT-VALUE} when not given.")
  private List<Long> sizes;

  @Spec private CommandSpec spec;

  private final Map<String, List<String>> figures = new LinkedHashMap<>();
  private Report report;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    Path folder = Files.createTempDirectory("streampulse-guard");
    try (SparkSession spark = LocalSpark.session("bench-guard", folder)) {
      TableName table = TableName.parse("spark_catalog.bench.health");
      TableName plain = TableName.parse("spark_catalog.bench.plain");
      HealthTable.health(table)
          .prepare(spark, Optional.of(folder.resolve("health").toString()), Map.of());
      HealthTable.health(plain)
          .prepare(spark, Optional.of(folder.resolve("plain").toString()), Map.of());
      long rows = 0;
      for (long size : sizes) {
        fill(spark, table, rows, size);
        rows = measure(spark, table, plain, size);
      }
      List<String> head = new ArrayList<>(List.of("rows"));
      sizes.forEach(size -> head.add("%,d".formatted(size)));
      report.add("Batches of %,d rows, medians of 5 to %d rounds.", BATCH, ROUNDS);
      report.table(
          head,
          figures.entrySet().stream()
              .map(row -> Stream.concat(Stream.of(row.getKey()), row.getValue().stream()).toList())
              .toList());
      report.finish();
      return ExitCode.OK;
    } finally {
      Folders.delete(folder);
    }
  }

  /** Measures, and tells how many rows the table has then. */
  private long measure(SparkSession spark, TableName table, TableName plain, long size) {
    GuardMeasurement guard = new GuardMeasurement(spark, table, TOPIC);
    report.progress("%,d rows", size);
    figure("files", "%,d", spark.table(table.sql()).inputFiles().length);
    figure(
        "highest offsets from all rows, where no note tells them",
        "%,d ms",
        millis(() -> HighestOffsets.readAll(spark, table, TOPIC)));
    TableAppender first = guard.open();
    first.append(batch(spark, size, size + BATCH), Optional.empty(), OptionalLong.of(BATCH));
    long rows = size + BATCH;

    List<Long> starts = new ArrayList<>();
    List<Long> replays = new ArrayList<>();
    Map<Integer, Long> marks = highest(rows);
    for (int round = 0; round < 5; round++) {
      TableAppender[] appender = new TableAppender[1];
      starts.add(millis(() -> appender[0] = guard.open()));
      Dataset<Row> replayed = batch(spark, size, size + BATCH);
      replays.add(
          millis(() -> appender[0].append(replayed, Optional.empty(), OptionalLong.empty())));
    }
    figure("start of a run, fence included", "%,d ms", Trends.median(starts));
    figure("a replayed batch", "%,d ms", Trends.median(replays));
    figure(
        "files the guard reads for it",
        "%d",
        guard.filesRead(batch(spark, size, size + BATCH), marks));
    figure(
        "files the guard reads for one from the middle",
        "%d",
        guard.filesRead(batch(spark, size / 2, size / 2 + BATCH), marks));

    TableAppender steady = guard.open();
    List<Long> exactly = new ArrayList<>();
    List<Long> plainly = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      Dataset<Row> next = batch(spark, rows, rows + BATCH);
      Optional<Positions> before = Optional.of(new Positions(next(rows), Map.of()));
      exactly.add(millis(() -> steady.append(next, before, OptionalLong.of(BATCH))));
      rows += BATCH;
      plainly.add(
          millis(
              () ->
                  append(
                      plain,
                      next.coalesce(1).withColumn("ingestedAt", functions.current_timestamp()))));
    }
    figure("an append after the guard is done", "%,d ms", Trends.median(exactly));
    figure("a plain append to a table of its own", "%,d ms", Trends.median(plainly));
    figure("ratio of the two", "%.2f", (double) Trends.median(exactly) / Trends.median(plainly));
    List<Long> nanos = new ArrayList<>();
    for (int round = 0; round < 1_000; round++) {
      nanos.add(guard.idleOverheadNanos());
    }
    figure("of it guard and skip check", "%.3f ms", Trends.median(nanos) / 1e6);
    return rows;
  }

  private static void append(TableName table, Dataset<Row> rows) {
    try {
      rows.writeTo(table.sql()).append();
    } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Rows from (included) to (excluded), as appends of many batches would have left them. */
  private static void fill(SparkSession spark, TableName table, long from, long to) {
    int files = (int) Math.max(1, (to - from) / ROWS_PER_FILE);
    append(
        table,
        rows(spark, from, to, files)
            .withColumn(
                "ingestedAt", functions.expr("timestamp_millis(" + START_MILLIS + " + sequence)")));
  }

  private static Dataset<Row> batch(SparkSession spark, long from, long to) {
    return rows(spark, from, to, 2);
  }

  private static Dataset<Row> rows(SparkSession spark, long from, long to, int tasks) {
    return spark
        .range(from, to, 1, tasks)
        .select(
            functions.lit("agent").as("agentId"),
            functions.col("id").as("sequence"),
            functions.lit("PROGRESS").as("eventType"),
            functions.expr("timestamp_millis(" + START_MILLIS + " + id)").as("eventTime"),
            functions.expr("concat('query-', id % 1000)").as("queryId"),
            functions.col("id").as("batchId"),
            functions
                .struct(
                    functions.lit(TOPIC).as("topic"),
                    functions.expr("CAST(id % " + PARTITIONS + " AS INT)").as("partition"),
                    functions.expr("id DIV " + PARTITIONS).as("offset"),
                    functions.expr("timestamp_millis(" + START_MILLIS + " + id)").as("timestamp"))
                .as("kafka"));
  }

  private static Map<Integer, Long> next(long rows) {
    Map<Integer, Long> next = new TreeMap<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      next.put(partition, rows / PARTITIONS);
    }
    return next;
  }

  private static Map<Integer, Long> highest(long rows) {
    Map<Integer, Long> highest = new TreeMap<>();
    next(rows).forEach((partition, next) -> highest.put(partition, next - 1));
    return highest;
  }

  private static long millis(Runnable work) {
    long start = System.nanoTime();
    work.run();
    return (System.nanoTime() - start) / 1_000_000;
  }

  private void figure(String name, String format, Object value) {
    String text = String.format(Locale.ROOT, format, value);
    figures.computeIfAbsent(name, row -> new ArrayList<>()).add(text);
    report.progress("  %-55s %s", name, text);
  }
}
