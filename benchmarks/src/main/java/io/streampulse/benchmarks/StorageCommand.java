package io.streampulse.benchmarks;

import io.streampulse.benchmarks.DeltaLog.Commit;
import io.streampulse.config.Durations;
import io.streampulse.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench storage}: commits, files and bytes of the table. */
@Command(
    name = "storage",
    description =
        "Commits per hour, files per day and bytes per row that the consumer makes of a steady rate"
            + " of records, and what maintain leaves of them.")
final class StorageCommand implements Callable<Integer> {
  private static final Duration FIRST_ROWS = Duration.ofMinutes(5);

  @Option(
      names = "--rates",
      split = ",",
      paramLabel = "RECORDS/S",
      defaultValue = "100,1000",
      description = "Records per second, one rate after the other (default: ${DEFAULT-VALUE}).")
  private List<Integer> rates;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "How long each rate counts (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--trigger",
      paramLabel = "TIME",
      description = "Trigger of the consumer; when not given, its own default.")
  private String trigger;

  @Option(
      names = "--partitions",
      defaultValue = "8",
      description = "Of the topic (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Spec private CommandSpec spec;

  private final List<List<String>> appends = new ArrayList<>();
  private final List<List<String>> maintained = new ArrayList<>();
  private Report report;
  private Duration every;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    try (HealthPipeline pipeline = HealthPipeline.start("storage");
        SparkSession spark = LocalSpark.session("bench-storage", pipeline.folder())) {
      for (int rate : rates) {
        measure(pipeline, spark, rate);
      }
    }
    report.add(
        "The consumer with a trigger of %s; %d partitions. Hours and days are extrapolated from what"
            + " was counted in about %d s.",
        Durations.text(every), partitions, seconds);
    report.table(
        List.of(
            "records/s",
            "commits counted",
            "in seconds",
            "commits per hour",
            "files per day",
            "rows per file",
            "bytes per row",
            "log MB per day"),
        appends);
    report.add(
        "The whole table of the run before and after `health-consumer maintain`: files that belong"
            + " to its newest version. Those it no longer needs stay until Delta's retention, a week"
            + " by default, lets VACUUM delete them.");
    report.table(
        List.of(
            "records/s",
            "rows",
            "files before",
            "after",
            "bytes per row before",
            "after",
            "maintain, start included"),
        maintained);
    report.finish();
    return ExitCode.OK;
  }

  private void measure(HealthPipeline pipeline, SparkSession spark, int rate) throws Exception {
    String topic = "rate-" + rate;
    pipeline.createTopic(topic, partitions);
    ConsumerProcess consumer = pipeline.consumer(topic, topic);
    if (trigger != null) {
      consumer.set("trigger", trigger);
    }
    every = consumer.trigger();
    List<Commit> commits;
    try (Fleet fleet = new Fleet(pipeline, topic, rate);
        ChildJvm process = consumer.start()) {
      fleet.start();
      report.progress("%,d records/s, trigger %s", rate, Durations.text(every));
      commits = counted(consumer.table(), process);
      fleet.requireOnTime();
    }
    count(rate, commits);

    Row before = detail(spark, consumer.table());
    double maintainSeconds = consumer.maintain();
    Row after = detail(spark, consumer.table());
    long rows = spark.read().format("delta").load(consumer.table().toString()).count();
    maintained.add(
        List.of(
            number(rate),
            number(rows),
            number(before.getLong(0)),
            number(after.getLong(0)),
            number((double) before.getLong(1) / rows),
            number((double) after.getLong(1) / rows),
            "%d s".formatted(Math.round(maintainSeconds))));
    report.progress("%,d records/s: maintained", rate);
  }

  /**
   * The commits of the time that counts, from one append to another: the first is where it begins
   * and is not counted itself.
   */
  private List<Commit> counted(Path table, ChildJvm process)
      throws IOException, InterruptedException {
    // The first append has what came while the consumer started.
    Instant begin = await(table, process, 2, FIRST_ROWS).get(1).time();
    Instant end = begin.plusSeconds(seconds);
    Duration left = Duration.between(Instant.now(), end).plus(every.dividedBy(2));
    Thread.sleep(Math.max(0, left.toMillis()));
    if (!process.isAlive()) {
      throw new IllegalStateException("The consumer has ended:\n" + HealthPipeline.end(process));
    }
    Instant last = end.plus(every.dividedBy(2));
    return DeltaLog.appends(table).stream()
        .filter(commit -> !commit.time().isBefore(begin) && !commit.time().isAfter(last))
        .toList();
  }

  private static List<Commit> await(Path table, ChildJvm process, int appends, Duration timeout)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    List<Commit> commits = DeltaLog.appends(table);
    while (commits.size() < appends) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "No appends; the consumer:\n" + HealthPipeline.end(process));
      }
      Thread.sleep(100);
      commits = DeltaLog.appends(table);
    }
    return commits;
  }

  private void count(int rate, List<Commit> commits) {
    List<Commit> counted = commits.subList(1, commits.size());
    if (counted.isEmpty()) {
      throw new IllegalStateException("No append in the time that counts: raise --seconds");
    }
    Instant begin = commits.get(0).time();
    Instant end = commits.get(commits.size() - 1).time();
    double time = Duration.between(begin, end).toMillis() / 1e3;
    long files = sum(counted, commit -> commit.files().size());
    long rows = sum(counted, Commit::rows);
    long perDay = Duration.ofDays(1).toSeconds();
    appends.add(
        List.of(
            number(rate),
            number(counted.size()),
            number(time),
            number(counted.size() / time * Duration.ofHours(1).toSeconds()),
            number(files / time * perDay),
            number((double) rows / files),
            number((double) sum(counted, Commit::bytes) / rows),
            number(sum(counted, Commit::logBytes) / time * perDay / 1e6)));
  }

  private static long sum(List<Commit> commits, ToLongFunction<Commit> figure) {
    return commits.stream().mapToLong(figure).sum();
  }

  private static Row detail(SparkSession spark, Path table) {
    return spark
        .sql("DESCRIBE DETAIL delta.`%s`".formatted(table))
        .selectExpr("numFiles", "sizeInBytes")
        .head();
  }

  private static String number(double figure) {
    return String.format(Locale.ROOT, "%,.0f", figure);
  }

  /** Sends records at a rate, as the agents of a fleet do, on a thread of its own. */
  private static final class Fleet implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final double MOST_BEHIND_SECONDS = 1;

    private final String topic;
    private final int rate;
    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread = new Thread(this::run, "fleet");
    private volatile boolean stopped;
    private volatile double behindSeconds;
    private volatile Exception failure;

    Fleet(HealthPipeline pipeline, String topic, int rate) {
      this.topic = topic;
      this.rate = rate;
      this.producer = pipeline.producer(5);
      thread.setDaemon(true);
    }

    void start() {
      thread.start();
    }

    /**
     * Checks that the rate was kept.
     *
     * @throws IllegalStateException if not
     */
    void requireOnTime() {
      if (failure != null || behindSeconds > MOST_BEHIND_SECONDS) {
        throw new IllegalStateException(
            "Could not send %,d records/s: %.1f s behind".formatted(rate, behindSeconds), failure);
      }
    }

    private void run() {
      ProgressMessages messages = new ProgressMessages(HealthPipeline.QUERIES);
      long start = System.nanoTime();
      long number = 0;
      try {
        while (!stopped) {
          double due = (System.nanoTime() - start) / 1e9 * rate;
          behindSeconds = Math.max(behindSeconds, (due - number) / rate);
          for (; number < due; number++) {
            var unused =
                producer.send(
                    messages.message(topic, number, Instant.now()),
                    (metadata, e) -> failure = e == null ? failure : e);
          }
          Thread.sleep(PAUSE.toMillis());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (RuntimeException e) {
        failure = e;
      }
    }

    @Override
    public void close() throws InterruptedException {
      stopped = true;
      thread.join();
      producer.close();
    }
  }
}
