package io.streampulse.benchmarks;

import io.streampulse.agent.StreamPulse;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench job}: what the agent does to the batch times of a job. */
@Command(
    name = "job",
    description =
        "Batch times of a job with 100 ms batches, with and without the agent, in turns: by default"
            + " the same query all the time, to which the agent is attached for a turn.")
final class JobCommand implements Callable<Integer> {
  private static final String WITHOUT = "without";
  private static final String UP = "agent, broker up";
  private static final String DOWN = "agent, broker down";
  private static final double AIM = 1.01;

  /** From the attachment of an agent until it has connected and flushed, and the heap is tidy. */
  private static final long SETTLE_SECONDS = 3;

  /** The warm-up of a job that is alone in its JVM. */
  private static final long OWN_WARM_UP_SECONDS = 15;

  private static final Pattern BATCH = Pattern.compile("batch took (\\d+) ms");

  @Option(
      names = "--rounds",
      defaultValue = "10",
      description = "How often each is run; ${DEFAULT-VALUE} when not given.")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "8",
      description = "How long each turn counts; ${DEFAULT-VALUE} when not given.")
  private int seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "240",
      description =
          "Seconds of batches before the first turn, which don't count; ${DEFAULT-VALUE} when not"
              + " given.")
  private int warmUpSeconds;

  @Option(
      names = "--own-jvms",
      description =
          "Start a job by spark-submit for each turn, the agent by Spark conf, instead of one query"
              + " for all; wants --seconds 40 or more.")
  private boolean hasOwnJvms;

  @Spec private CommandSpec spec;

  private Report report;
  private int fewestBatches = Integer.MAX_VALUE;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    Path folder = Files.createTempDirectory("streampulse-job");
    try (BrokerProcess broker = BrokerProcess.start(folder.resolve("broker"))) {
      broker.createTopic(JobProcess.TOPIC, 3);
      Map<String, String> up = broker.plainClient();
      Map<String, String> down = JobProcess.withoutBroker(up);
      if (hasOwnJvms) {
        compare(
            () -> ownJvm(folder, Map.of()),
            () -> ownJvm(folder, JobProcess.agent(up)),
            () -> ownJvm(folder, JobProcess.agent(down)));
      } else {
        oneQuery(folder, up, down);
      }
      long published =
          HealthTopic.ends(broker, JobProcess.TOPIC).values().stream()
              .mapToLong(Long::longValue)
              .sum();
      report.add(
          "At least %d batches in a turn. The agents have published %,d records.",
          fewestBatches, published);
      if (published == 0) {
        throw new IllegalStateException("The agents have published nothing");
      }
    } finally {
      Folders.delete(folder);
    }
    report.finish();
    return ExitCode.OK;
  }

  private void oneQuery(Path folder, Map<String, String> up, Map<String, String> down)
      throws Exception {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .appName("bench-job")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
            .config("spark.sql.streaming.checkpointLocation", folder.resolve("job").toString())
            .config(BatchJob.KEPT_PROGRESSES, 20L * (seconds + SETTLE_SECONDS))
            // Oftener than by default, so that each turn has flushes.
            .config("spark.streampulse.agent.flush-interval", "1s")
            .config("spark.streampulse.agent.shutdown-timeout", "2s")
            .getOrCreate()) {
      StreamingQuery query = BatchJob.start(spark);
      report.progress("warming up");
      TimeUnit.SECONDS.sleep(warmUpSeconds);
      for (Map<String, String> client : List.of(up, down)) {
        turn(spark, query, client);
      }
      compare(
          () -> turn(spark, query, Map.of()),
          () -> turn(spark, query, up),
          () -> turn(spark, query, down));
      query.stop();
    }
  }

  /** A turn of the query that runs all the time; with the agent unless the client is empty. */
  private BatchTimes turn(SparkSession spark, StreamingQuery query, Map<String, String> client)
      throws Exception {
    // The context's own conf, which the agent reads: getConf gives a copy.
    KafkaBroker.sparkConf(client)
        .forEach((name, value) -> spark.sparkContext().conf().set(name, value));
    try (AutoCloseable agent = client.isEmpty() ? () -> {} : StreamPulse.attach(spark)) {
      if ((spark.streams().listListeners().length == 0) != client.isEmpty()) {
        throw new IllegalStateException("The agent was not attached: " + agent);
      }
      System.gc();
      TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
      return new BatchTimes(BatchJob.batchMillis(query, seconds));
    }
  }

  private BatchTimes ownJvm(Path parent, Map<String, String> agent) throws IOException {
    Map<String, String> conf = new HashMap<>(agent);
    conf.put(BatchJob.KEPT_PROGRESSES, String.valueOf(20L * seconds));
    Path folder = Files.createTempDirectory(parent, "job");
    try {
      String output =
          JobProcess.run(
              folder,
              BatchJob.class,
              conf,
              String.valueOf(OWN_WARM_UP_SECONDS),
              String.valueOf(seconds));
      List<Long> millis = new ArrayList<>();
      Matcher matcher = BATCH.matcher(output);
      while (matcher.find()) {
        millis.add(Long.parseLong(matcher.group(1)));
      }
      return new BatchTimes(millis);
    } finally {
      Folders.delete(folder);
    }
  }

  private void compare(
      Callable<BatchTimes> without, Callable<BatchTimes> up, Callable<BatchTimes> down)
      throws Exception {
    // The second comparison asks for its figures in the order in which the first has measured.
    Queue<Double> p99s = new ArrayDeque<>();
    report.add("Median of a turn:");
    Comparison medians =
        new Comparison(report, "ms")
            .add(WITHOUT, () -> median(without, p99s))
            .add(UP, () -> median(up, p99s))
            .add(DOWN, () -> median(down, p99s))
            .run(rounds);
    double ratio = medians.ratio(UP, WITHOUT);
    report.add(
        "Aim: %.2f or less with the broker up; it is %.3f%s.",
        AIM, ratio, ratio > AIM ? ", which misses the aim" : "");
    report.add("99th percentile of a turn:");
    new Comparison(report, "ms")
        .add(WITHOUT, p99s::remove)
        .add(UP, p99s::remove)
        .add(DOWN, p99s::remove)
        .run(rounds);
  }

  private double median(Callable<BatchTimes> turn, Queue<Double> p99s) throws Exception {
    BatchTimes times = turn.call();
    fewestBatches = Math.min(fewestBatches, times.count());
    p99s.add(times.p99());
    return times.median();
  }
}
