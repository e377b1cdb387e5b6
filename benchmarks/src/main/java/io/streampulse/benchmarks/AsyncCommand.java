package io.streampulse.benchmarks;

import io.streampulse.config.Durations;
import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthMessages;
import io.streampulse.testing.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench async}: what progress tracking costs a batch, async against sync. */
@Command(
    name = "async",
    description =
        "What a micro-batch of the consumer takes besides its append, with sync and async progress"
            + " tracking, the checkpoint on storage of growing latency.")
final class AsyncCommand implements Callable<Integer> {
  private static final String TOPIC = "streaming-health";
  private static final String SYNC = "sync";
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);
  private static final Duration STOP = Duration.ofSeconds(30);
  private static final Duration LONGEST_BATCH = Duration.ofMinutes(1);

  /** The latency and the ratio that are aimed at. */
  private static final Duration AIM_DELAY = Duration.ofMillis(60);

  private static final double AIM = 0.2;

  @Option(
      names = "--delays",
      paramLabel = "MS",
      split = ",",
      defaultValue = "0,20,60,120",
      description =
          "Milliseconds before each operation of the checkpoint's file system (default:"
              + " ${DEFAULT-VALUE}).")
  private List<Long> delays;

  @Option(
      names = "--intervals",
      paramLabel = "TIME",
      split = ",",
      defaultValue = "0s,1s,10s",
      description = "Intervals of async progress tracking (default: ${DEFAULT-VALUE}).")
  private List<String> intervals;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "How often each is run, at each delay (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "How long each run counts (default: ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description =
          "What is not counted of each run, after its first batch (default: ${DEFAULT-VALUE}).")
  private int warmUpSeconds;

  @Option(
      names = "--trigger",
      paramLabel = "TIME",
      defaultValue = "500ms",
      description =
          "The consumer's trigger; a batch that takes longer is followed at once (default:"
              + " ${DEFAULT-VALUE}).")
  private String trigger;

  @Option(
      names = "--records-per-second",
      defaultValue = "50",
      description = "Load on the topic (default: ${DEFAULT-VALUE}).")
  private int recordsPerSecond;

  @Option(
      names = "--slow-table",
      description = "Has the tables on the slow file system too; their operations count then.")
  private boolean slowTable;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    Path folder = Files.createTempDirectory("streampulse-async");
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"))) {
      broker.createTopic(TOPIC, 3);
      try (SparkSession spark = LocalSpark.session("bench-async", folder);
          SteadyLoad load =
              new SteadyLoad(new HealthMessages(broker.plainClient(), TOPIC), recordsPerSecond)) {
        spark.conf().set("spark.sql.streaming.numRecentProgressUpdates", "10000");
        measure(report, spark, broker, folder);
        load.requireRunning();
      }
    } finally {
      Folders.delete(folder);
    }
    report.finish();
    return ExitCode.OK;
  }

  private void measure(Report report, SparkSession spark, EmbeddedBroker broker, Path folder)
      throws Exception {
    Map<String, Map<String, String>> variants = variants();
    report.progress("warm-up of the JVM; checkpoints and tables are made");
    for (Map.Entry<String, Map<String, String>> variant : variants.entrySet()) {
      run(spark, broker, folder, Duration.ZERO, variant.getKey(), variant.getValue());
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> controls = new ArrayList<>();
    Map<String, Overheads> operations = new LinkedHashMap<>();
    Optional<Comparison> aimedAt = Optional.empty();
    for (long millis : delays) {
      report.progress("%d ms before each operation", millis);
      Duration delay = Duration.ofMillis(millis);
      Map<String, Overheads> overheads = new LinkedHashMap<>();
      Comparison comparison = new Comparison(report, "ms");
      variants.forEach(
          (name, tracking) ->
              comparison.add(
                  name,
                  () -> {
                    Overheads run = run(spark, broker, folder, delay, name, tracking);
                    overheads.computeIfAbsent(name, n -> new Overheads()).add(run);
                    operations.computeIfAbsent(name, n -> new Overheads()).add(run);
                    return run.median();
                  }));
      comparison.measure(rounds);
      overheads.forEach(
          (name, all) -> rows.add(row(millis, name, all, comparison.ratio(name, SYNC))));
      controls.add(
          format("%.2f at %d ms", comparison.ratio(Comparison.control(SYNC), SYNC), millis));
      if (delay.equals(AIM_DELAY)) {
        aimedAt = Optional.of(comparison);
      }
    }
    report.table(
        List.of(
            "ms added",
            "progress tracking",
            "overhead, ms, median",
            "p95",
            "ratio to sync",
            "of it both logs, ms, median",
            "append, ms, median",
            "batches",
            "operations a batch"),
        rows);
    report.add(
        "Sync measured again, as the control, with its ratio to the first figure: %s.",
        String.join(", ", controls));
    aimedAt.ifPresent(comparison -> addAim(report, comparison, variants));
    addOperations(report, operations);
  }

  /** Progress tracking by name, as the consumer's settings. */
  private Map<String, Map<String, String>> variants() {
    String prefix = "spark.streampulse.consumer.async-progress.";
    Map<String, Map<String, String>> variants = new LinkedHashMap<>();
    variants.put(SYNC, Map.of(prefix + "enabled", "false"));
    for (String interval : intervals) {
      String text = Durations.text(Durations.parse(interval));
      variants.put(
          "async, " + text,
          Map.of(prefix + "enabled", "true", prefix + "checkpoint-interval", text));
    }
    return variants;
  }

  /** A consumer, from its start, with the variant's own checkpoint and tables, to its stop. */
  private Overheads run(
      SparkSession spark,
      EmbeddedBroker broker,
      Path folder,
      Duration delay,
      String variant,
      Map<String, String> tracking)
      throws Exception {
    SlowFileSystem.configure(spark.sparkContext().hadoopConfiguration(), delay);
    String own = variant.replaceAll("\\W+", "_");
    Map<String, String> conf = new HashMap<>(tracking);
    conf.putAll(KafkaBroker.sparkConf(broker.plainClient()));
    conf.put("spark.streampulse.topic", TOPIC);
    conf.put("spark.streampulse.consumer.table", "spark_catalog.bench.health_" + own);
    conf.put("spark.streampulse.consumer.starting-offsets", "latest");
    conf.put("spark.streampulse.consumer.trigger", trigger);
    conf.put("spark.streampulse.consumer.checkpoint", slow(folder.resolve("checkpoints/" + own)));
    if (slowTable) {
      conf.put("spark.streampulse.consumer.table-location", slow(folder.resolve("tables/" + own)));
    }
    HealthConsumer consumer = HealthConsumer.start(spark, ConsumerConfig.read(conf));
    try {
      return observe(consumer.query());
    } finally {
      consumer.stop(STOP);
    }
  }

  private static String slow(Path path) {
    return SlowFileSystem.SCHEME + "://" + path;
  }

  /** From the end of one batch to the end of another, so that operations are of whole batches. */
  private Overheads observe(StreamingQuery query) throws Exception {
    awaitNext(query);
    Thread.sleep(Duration.ofSeconds(warmUpSeconds).toMillis());
    StreamingQueryProgress before = awaitNext(query);
    Map<String, Long> operationsBefore = SlowFileSystem.operations();
    Thread.sleep(Duration.ofSeconds(seconds).toMillis());
    awaitNext(query);
    Map<String, Long> operationsAfter = SlowFileSystem.operations();
    Overheads overheads = new Overheads();
    Stream.of(query.recentProgress())
        .filter(progress -> progress.batchId() > before.batchId() && progress.numInputRows() > 0)
        .forEach(overheads::add);
    overheads.addOperations(operationsBefore, operationsAfter);
    return overheads;
  }

  private static StreamingQueryProgress awaitNext(StreamingQuery query) throws Exception {
    StreamingQueryProgress last = query.lastProgress();
    long deadline = System.nanoTime() + LONGEST_BATCH.toNanos();
    while (true) {
      StreamingQueryProgress now = query.lastProgress();
      if (now != null
          && now.numInputRows() > 0
          && (last == null || now.batchId() > last.batchId())) {
        return now;
      }
      if (!query.isActive() || System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "No batch", query.exception().isDefined() ? query.exception().get() : null);
      }
      Thread.sleep(BETWEEN_LOOKS.toMillis());
    }
  }

  private static List<String> row(long delay, String name, Overheads overheads, double ratio) {
    return List.of(
        String.valueOf(delay),
        name,
        format("%,.0f", overheads.median()),
        format("%,.0f", overheads.percentile95()),
        format("%.3f", ratio),
        format("%,.0f", overheads.medianOfLogs()),
        format("%,.0f", overheads.medianOfSink()),
        String.valueOf(overheads.batches()),
        format("%.1f", overheads.operationsPerBatch()));
  }

  private static void addAim(
      Report report, Comparison comparison, Map<String, Map<String, String>> variants) {
    List<String> verdicts = new ArrayList<>();
    for (String name : variants.keySet()) {
      if (!name.equals(SYNC)) {
        double ratio = comparison.ratio(name, SYNC);
        verdicts.add(format("%s %.3f (%s)", name, ratio, ratio <= AIM ? "met" : "missed"));
      }
    }
    report.add(
        "The aim, at most %.1f of sync with %d ms added: %s.",
        AIM, AIM_DELAY.toMillis(), String.join("; ", verdicts));
  }

  /** By name, over all delays. */
  private static void addOperations(Report report, Map<String, Overheads> variants) {
    TreeSet<String> names = new TreeSet<>();
    variants.values().forEach(overheads -> names.addAll(overheads.operationNames()));
    List<String> head = new ArrayList<>(List.of("operations a batch, all delays"));
    head.addAll(names);
    List<List<String>> rows = new ArrayList<>();
    variants.forEach(
        (variant, overheads) -> {
          List<String> row = new ArrayList<>(List.of(variant));
          names.forEach(name -> row.add(format("%.1f", overheads.operationsPerBatch(name))));
          rows.add(row);
        });
    report.table(head, rows);
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
