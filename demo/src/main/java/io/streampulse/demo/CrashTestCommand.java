package io.streampulse.demo;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.SettingsFile;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse crash-test}: kills the consumer again and again, then counts. */
@Command(
    name = "crash-test",
    header = "Kills the consumer at random moments, then compares the table with the topic.",
    description =
        "Sends numbered records all along, kills the consumer (SIGKILL), stops it (SIGTERM) or starts"
            + " it twice, with async progress intervals of 0, 1 and 10 seconds, and at the end wants"
            + " every message in a table exactly once. Three naive consumers on the same schedule are"
            + " the controls: each must lose or double rows.")
final class CrashTestCommand implements Callable<Integer> {
  private static final String TOPIC = "crash-test";
  private static final String TABLE = "spark_catalog.crash_test.streaming_health";
  private static final List<String> INTERVALS = List.of("0s", "1s", "10s");
  private static final Duration START = Duration.ofMinutes(5);
  private static final Duration CATCH_UP = Duration.ofMinutes(5);
  private static final Duration EXIT = Duration.ofMinutes(5);
  private static final Pattern OFFSET = Pattern.compile("\"\\d+\":(\\d+)");
  private static final int FENCED = 3;
  private static final int SIGTERM = 143;

  @Option(
      names = "--kills",
      paramLabel = "N",
      defaultValue = "6",
      description = "How often the consumer is ended, ${DEFAULT-VALUE} when not given.")
  private int kills;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the random moments; when not given, one that is printed.")
  private Long seed;

  @Option(names = "--no-controls", description = "Leave the naive consumers out.")
  private boolean noControls;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep tables, checkpoints and logs in this new folder.")
  private Path keep;

  @Spec private CommandSpec spec;

  private final long start = System.nanoTime();
  private PrintWriter out;
  private Random random;
  private Path folder;
  private KafkaBroker broker;
  private final List<End> ends = new ArrayList<>();
  private int starts;

  @Override
  public Integer call() throws Exception {
    out = spec.commandLine().getOut();
    long chosen = seed == null ? System.currentTimeMillis() % 1_000_000 : seed;
    random = new Random(chosen);
    folder =
        keep == null
            ? Files.createTempDirectory("streampulse-crash-test")
            : Files.createDirectories(keep.toAbsolutePath());
    say("%d kills, seed %d, logs in %s".formatted(kills, chosen, folder));
    try (EmbeddedBroker started = EmbeddedBroker.start(folder.resolve("broker"));
        SparkSession spark = HealthTableReader.session("crash-test-reader", folder)) {
      broker = started;
      broker.createTopic(TOPIC, 3);
      boolean passed = campaign(spark);
      for (NaiveConsumer.Way way : NaiveConsumer.Way.values()) {
        passed &= noControls || control(spark, way);
      }
      say(passed ? "passed" : "FAILED");
      return passed ? ExitCode.OK : ExitCode.SOFTWARE;
    } finally {
      if (keep == null) {
        Folders.delete(folder);
      }
    }
  }

  private boolean campaign(SparkSession spark) throws Exception {
    try (NumberedProducer producer = new NumberedProducer(broker.plainClient(), TOPIC)) {
      for (int kill = 1; kill <= kills; kill++) {
        String interval = INTERVALS.get(kill % INTERVALS.size());
        say(
            "%d of %d, async interval %-3s: %s; %,d sent so far"
                .formatted(kill, kills, interval, end(interval), producer.sent()));
      }
    }
    try (ChildJvm last = consumer(INTERVALS.get(1))) {
      long messages = messages(TOPIC);
      await(last, CATCH_UP, () -> rows(spark).size() >= messages);
      last.terminate();
      requireExit(last, SIGTERM);
    }
    Comparison result = Comparison.of(HealthTopic.coordinates(broker, TOPIC), rows(spark));
    say("consumer: %s".formatted(result));
    return result.isExact();
  }

  /** Ways to end a consumer, each at a random moment. */
  private enum End {
    KILL_AT_START,
    KILL,
    TERMINATE,
    START_TWICE
  }

  /** The next way: of each six, in random order, three are kills in its run. */
  private End nextEnd() {
    if (ends.isEmpty()) {
      ends.addAll(
          List.of(End.KILL_AT_START, End.KILL, End.KILL, End.KILL, End.TERMINATE, End.START_TWICE));
      Collections.shuffle(ends, random);
    }
    return ends.remove(0);
  }

  /** Starts the consumer, ends it in one of several ways, and says which. */
  private String end(String interval) throws Exception {
    End end = nextEnd();
    try (ChildJvm consumer = consumer(interval)) {
      if (end == End.KILL_AT_START) {
        int millis = 2_000 + random.nextInt(15_000);
        Thread.sleep(millis);
        consumer.kill();
        consumer.awaitExit(EXIT);
        return "SIGKILL %.1f s after it was started".formatted(millis / 1000.0);
      }
      await(consumer, START, () -> consumer.output().contains("health-consumer: topic"));
      int millis = random.nextInt(6_000);
      Thread.sleep(millis);
      String when = "%.1f s into its run".formatted(millis / 1000.0);
      return switch (end) {
        case TERMINATE -> {
          consumer.terminate();
          requireExit(consumer, SIGTERM);
          yield "SIGTERM " + when;
        }
        case START_TWICE -> twice(consumer, interval, when);
        case KILL, KILL_AT_START -> {
          consumer.kill();
          consumer.awaitExit(EXIT);
          yield "SIGKILL " + when;
        }
      };
    }
  }

  /** A second consumer on the same checkpoint: the first must stop and say by whom. */
  private String twice(ChildJvm first, String interval, String when) throws Exception {
    try (ChildJvm second = consumer(interval)) {
      requireExit(first, FENCED);
      if (!first.output().contains("fenced by run ")) {
        throw new IllegalStateException("The first did not say who fenced it: " + first.output());
      }
      second.kill();
      second.awaitExit(EXIT);
    }
    return "a second one was started " + when + ", the first stopped, the second was killed";
  }

  private ChildJvm consumer(String interval) throws IOException {
    Map<String, String> conf = localSpark();
    conf.put("spark.streampulse.topic", TOPIC);
    conf.put("spark.streampulse.consumer.table", TABLE);
    conf.put("spark.streampulse.consumer.table-location", table().toString());
    conf.put("spark.streampulse.consumer.checkpoint", folder.resolve("checkpoint").toString());
    conf.put("spark.streampulse.consumer.trigger", "200ms");
    conf.put("spark.streampulse.consumer.async-progress.checkpoint-interval", interval);
    conf.putAll(KafkaBroker.sparkConf(broker.plainClient()));
    return Submission.start(
        "consumer-" + ++starts,
        folder,
        conf,
        List.of(
            "--class",
            "io.streampulse.consumer.Main",
            ChildJvm.jarOnClassPath("streampulse-health-consumer").toString(),
            "run"));
  }

  /**
   * A naive consumer, ended and started again while records come in, must not be exact. The
   * interval of one that stops cleanly is longer than a batch takes on a slow machine too.
   */
  private boolean control(SparkSession spark, NaiveConsumer.Way way) throws Exception {
    return control(spark, way, way == NaiveConsumer.Way.BATCH_ID ? "10000" : "60000");
  }

  private boolean control(SparkSession spark, NaiveConsumer.Way way, String interval)
      throws Exception {
    String name = way.name().toLowerCase(Locale.ROOT).replace('_', '-');
    String topic = "control-%s-%s".formatted(name, interval);
    broker.createTopic(topic, 3);
    boolean cleanStops = way == NaiveConsumer.Way.BATCH_ID;
    int stops = 2;
    try (NumberedProducer producer = new NumberedProducer(broker.plainClient(), topic)) {
      for (int stop = 1; stop <= stops; stop++) {
        try (ChildJvm naive = naive(way, topic, interval)) {
          long before = producer.sent();
          await(naive, START, () -> batches(naive) >= 3 && producer.sent() > before);
          Thread.sleep(1_500 + random.nextInt(1_500));
          if (cleanStops) {
            naive.terminate();
          } else {
            naive.kill();
          }
          naive.awaitExit(EXIT);
        }
      }
    }
    try (ChildJvm naive = naive(way, topic, interval)) {
      long messages = messages(topic);
      await(naive, CATCH_UP, () -> position(naive) >= messages);
    }
    Comparison result =
        Comparison.of(
            HealthTopic.coordinates(broker, topic), coordinates(spark, folder.resolve(topic)));
    boolean asExpected =
        way == NaiveConsumer.Way.NO_GUARD ? result.doubled() > 0 : result.missing() > 0;
    say(
        "control %s, interval %s ms, %d %s: %s%s"
            .formatted(
                name,
                interval,
                stops,
                cleanStops ? "clean stops" : "kills",
                result,
                asExpected ? "" : "; not what it should show"));
    return asExpected;
  }

  private ChildJvm naive(NaiveConsumer.Way way, String topic, String interval) throws IOException {
    Path client = folder.resolve("naive-client.properties");
    if (!Files.exists(client)) {
      SettingsFile.write(client, broker.plainClient());
    }
    Map<String, String> conf = localSpark();
    conf.put("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension");
    conf.put("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog");
    return Submission.start(
        topic + "-" + ++starts,
        folder,
        conf,
        List.of(
            "--class",
            NaiveConsumer.class.getName(),
            ChildJvm.jarOnClassPath("streampulse-demo").toString(),
            way.name(),
            topic,
            client.toString(),
            folder.resolve(topic).toString(),
            folder.resolve(topic + "-checkpoint").toString(),
            interval));
  }

  private static long batches(ChildJvm naive) {
    return naive.output().lines().filter(line -> line.startsWith("position ")).count();
  }

  /** Sum of the next offsets it has told last. */
  private static long position(ChildJvm naive) {
    List<String> told =
        naive.output().lines().filter(line -> line.startsWith("position ")).toList();
    if (told.isEmpty()) {
      return -1;
    }
    long sum = 0;
    Matcher offsets = OFFSET.matcher(told.get(told.size() - 1));
    while (offsets.find()) {
      sum += Long.parseLong(offsets.group(1));
    }
    return sum;
  }

  private static Map<String, String> localSpark() {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.master", "local[2]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.shuffle.partitions", "2");
    conf.put("spark.databricks.delta.snapshotPartitions", "2");
    // All of them start often: generating code would take most of each start.
    conf.put("spark.sql.codegen.wholeStage", "false");
    conf.put("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    return conf;
  }

  /** How many messages a topic has. */
  private long messages(String topic) {
    return HealthTopic.ends(broker, topic).values().stream().mapToLong(Long::longValue).sum();
  }

  private List<String> rows(SparkSession spark) {
    List<String> rows = new ArrayList<>(coordinates(spark, table()));
    rows.addAll(coordinates(spark, Path.of(table() + "_quarantine")));
    return rows;
  }

  private static List<String> coordinates(SparkSession spark, Path table) {
    return Files.exists(table.resolve("_delta_log/00000000000000000000.json"))
        ? spark
            .read()
            .format("delta")
            .load(table.toString())
            .selectExpr(
                "concat_ws('/', kafka.partition, kafka.offset, unix_millis(kafka.timestamp))")
            .as(Encoders.STRING())
            .collectAsList()
        : List.of();
  }

  private Path table() {
    return folder.resolve("streaming_health");
  }

  private static void requireExit(ChildJvm child, int expected) {
    int exit = child.awaitExit(EXIT);
    if (exit != expected) {
      throw new IllegalStateException(
          "%s ended with %d, not %d:%n%s".formatted(child.name(), exit, expected, child.output()));
    }
  }

  private static void await(ChildJvm child, Duration longest, BooleanSupplier condition)
      throws InterruptedException {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (!child.isAlive() || System.nanoTime() - begin > longest.toNanos()) {
        throw new IllegalStateException(
            "%s %s:%n%s"
                .formatted(
                    child.name(),
                    child.isAlive() ? "is not that far in time" : "has ended",
                    child.output()));
      }
      Thread.sleep(500);
    }
  }

  private void say(String text) {
    out.printf("%6.1f s  %s%n", (System.nanoTime() - start) / 1e9, text);
    out.flush();
  }
}
