package io.streampulse.benchmarks;

import io.streampulse.benchmarks.DeltaLog.Commit;
import io.streampulse.config.Durations;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench latency}: how old an event is when its row can be read. */
@Command(
    name = "latency",
    description =
        "From an event in a job to its row in the table, by flush interval of the agent and trigger"
            + " of the consumer; job and consumer are processes of their own.")
final class LatencyCommand implements Callable<Integer> {
  private static final String TOPIC = "streaming-health";
  private static final Duration MARGIN = Duration.ofSeconds(2);
  private static final Duration FIRST_ROWS = Duration.ofMinutes(5);
  private static final Duration LAST_ROWS = Duration.ofMinutes(2);

  @Option(
      names = "--flush",
      split = ",",
      defaultValue = "500ms,10s",
      description =
          "Flush intervals of the agent, each in a job of its own, all at the same time (default:"
              + " ${DEFAULT-VALUE}).")
  private List<String> flushes;

  @Option(
      names = "--trigger",
      split = ",",
      defaultValue = "500ms,1s,10s",
      description = "Triggers of the consumer, one after the other (default: ${DEFAULT-VALUE}).")
  private List<String> triggers;

  @Option(
      names = "--seconds",
      defaultValue = "40",
      description = "How long each trigger counts (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "From a consumer's first rows to what counts, so that its code is compiled (default:"
              + " ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--queries",
      defaultValue = "2",
      description =
          "Queries of each job, with two micro-batches a second (default: ${DEFAULT-VALUE}).")
  private int queries;

  @Spec private CommandSpec spec;

  private final List<ChildJvm> jobs = new ArrayList<>();
  private Report report;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    List<List<String>> rows = new ArrayList<>();
    try (HealthPipeline pipeline = HealthPipeline.start("latency")) {
      pipeline.createTopic(TOPIC, 3);
      try (SparkSession spark = LocalSpark.session("bench-latency", pipeline.folder())) {
        for (String flush : flushes) {
          jobs.add(startJob(pipeline, flush));
        }
        for (String trigger : triggers) {
          rows.addAll(measure(spark, pipeline, trigger));
        }
      } finally {
        jobs.forEach(ChildJvm::close);
      }
    }
    report.add(
        "%d queries in each of %d jobs, two micro-batches a second each; milliseconds from the"
            + " record's `observedTime` to when the commit with its row was written; jobs, consumer"
            + " and broker share the machine's cores. The bound is flush + trigger + %s.",
        queries, flushes.size(), Durations.text(MARGIN));
    report.table(
        List.of("flush", "trigger", "rows", "p50", "p95", "p99", "bound of p95", "met"), rows);
    report.finish();
    return ExitCode.OK;
  }

  private ChildJvm startJob(HealthPipeline pipeline, String flush) throws IOException {
    Path home = pipeline.folder().resolve(application(flush));
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.master", "local[1]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.streaming.streamingQueryListeners", "io.streampulse.agent.HealthListener");
    conf.put("spark.streampulse.topic", TOPIC);
    conf.put("spark.streampulse.agent.flush-interval", flush);
    conf.putAll(KafkaBroker.sparkConf(pipeline.client()));
    return HealthPipeline.submit(
        application(flush),
        home,
        conf,
        List.of(
            "--jars",
            ChildJvm.jarOnClassPath("streampulse-listener-agent").toString(),
            "--class",
            SteadyJob.class.getName(),
            ChildJvm.jarOnClassPath("streampulse-benchmarks").toString(),
            String.valueOf(queries),
            home.toString()));
  }

  private static String application(String flush) {
    return "flush-" + flush;
  }

  private List<List<String>> measure(SparkSession spark, HealthPipeline pipeline, String trigger)
      throws Exception {
    ConsumerProcess consumer =
        pipeline
            .consumer("trigger-" + trigger, TOPIC)
            .set("trigger", trigger)
            .set("starting-offsets", "latest");
    Map<String, List<Long>> found = new TreeMap<>();
    try (ChildJvm process = consumer.start()) {
      awaitRows(spark, consumer, process);
      Thread.sleep(Duration.ofSeconds(warmUp).toMillis());
      Instant from = Instant.now();
      Thread.sleep(Duration.ofSeconds(seconds).toMillis());
      Instant to = Instant.now();
      Duration slowest =
          flushes.stream().map(Durations::parse).max(Comparator.naturalOrder()).orElseThrow();
      // Not looked at meanwhile: that would slow down what is measured.
      Thread.sleep(slowest.plus(Durations.parse(trigger)).plus(MARGIN).toMillis());
      for (String flush : flushes) {
        found.put(flush, awaitLatencies(spark, consumer.table(), flush, from, to, process));
      }
    }
    List<List<String>> rows = new ArrayList<>();
    for (String flush : flushes) {
      List<Long> latencies = found.get(flush);
      Duration bound = Durations.parse(flush).plus(Durations.parse(trigger)).plus(MARGIN);
      long p95 = percentile(latencies, 95);
      rows.add(
          List.of(
              flush,
              trigger,
              String.valueOf(latencies.size()),
              number(percentile(latencies, 50)),
              number(p95),
              number(percentile(latencies, 99)),
              number(bound.toMillis()),
              p95 < bound.toMillis() ? "yes" : "no"));
      report.progress("flush %s, trigger %s: p95 %,d ms", flush, trigger, p95);
    }
    return rows;
  }

  /** Until each job has a row in the table. */
  private void awaitRows(SparkSession spark, ConsumerProcess consumer, ChildJvm process)
      throws Exception {
    long deadline = System.nanoTime() + FIRST_ROWS.toNanos();
    while (DeltaLog.appends(consumer.table()).isEmpty()
        || applications(spark, consumer.table()) < flushes.size()) {
      requireAlive(process);
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "No rows in time; the consumer:\n" + HealthPipeline.end(process));
      }
      Thread.sleep(500);
    }
  }

  private static long applications(SparkSession spark, Path table) {
    return spark
        .read()
        .format("delta")
        .load(table.toString())
        .select("applicationName")
        .distinct()
        .count();
  }

  private void requireAlive(ChildJvm process) {
    List<ChildJvm> all = new ArrayList<>(jobs);
    all.add(process);
    all.forEach(
        jvm -> {
          if (!jvm.isAlive()) {
            throw new IllegalStateException(jvm.name() + " has ended:\n" + HealthPipeline.end(jvm));
          }
        });
  }

  /**
   * Milliseconds of each record that a job's agent observed in a time, ascending.
   *
   * @throws IllegalStateException if a record does not come: the slowest must not be left out
   */
  private List<Long> awaitLatencies(
      SparkSession spark, Path table, String flush, Instant from, Instant to, ChildJvm process)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + LAST_ROWS.toNanos();
    Optional<List<Long>> latencies = latencies(spark, table, application(flush), from, to);
    while (latencies.isEmpty()) {
      requireAlive(process);
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "Not all records of %s are in the table".formatted(application(flush)));
      }
      Thread.sleep(1_000);
      latencies = latencies(spark, table, application(flush), from, to);
    }
    return latencies.get().stream().sorted().toList();
  }

  /** Empty while a record is missing, or none is there that came after the time. */
  private static Optional<List<Long>> latencies(
      SparkSession spark, Path table, String application, Instant from, Instant to)
      throws IOException {
    List<Row> rows =
        spark
            .read()
            .format("delta")
            .load(table.toString())
            .where("applicationName = '" + application + "'")
            .where("unix_millis(observedTime) >= " + from.minus(MARGIN).toEpochMilli())
            .selectExpr("sequence", "unix_millis(observedTime)", "_metadata.file_name")
            .orderBy("sequence")
            .collectAsList();
    Map<String, Instant> commits = new HashMap<>();
    for (Commit commit : DeltaLog.appends(table)) {
      commit.files().forEach(file -> commits.put(file, commit.time()));
    }
    List<Long> latencies = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      long observed = rows.get(i).getLong(1);
      if (rows.get(i).getLong(0) != rows.get(0).getLong(0) + i) {
        return Optional.empty();
      }
      if (observed >= to.toEpochMilli()) {
        return latencies.isEmpty() ? Optional.empty() : Optional.of(latencies);
      }
      if (observed >= from.toEpochMilli()) {
        latencies.add(commits.get(rows.get(i).getString(2)).toEpochMilli() - observed);
      }
    }
    return Optional.empty();
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.get((int) Math.ceil(sorted.size() * percent / 100.0) - 1);
  }

  private static String number(long millis) {
    return String.format(Locale.ROOT, "%,d", millis);
  }
}
