package io.streampulse.demo;

import io.streampulse.config.Durations;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.SettingsFile;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./streampulse demo}: the whole pipeline on this machine, nothing else needed. */
@Command(
    name = "demo",
    header = "The whole pipeline on this machine, with five queries, for a look at the table.",
    description =
        "Starts a Kafka broker (SASL_SSL), a Spark job with five streaming queries that carry the"
            + " agent, and the health consumer, each Spark application in a process of its own, and"
            + " shows the health table, here and as a page.")
final class DemoCommand implements Callable<Integer> {
  private static final String HEALTH_TOPIC = "streaming-health";
  private static final String ORDERS_TOPIC = "orders";
  private static final String TABLE = "spark_catalog.streaming_monitoring.streaming_health";
  private static final String JOB = "demo-job";
  private static final String CONSUMER = "health-consumer";

  /** The consumer's own health is in the table as well. */
  private static final String OF_THE_JOB = "applicationName = '" + JOB + "' AND ";

  private static final Duration FIRST_ROWS = Duration.ofMinutes(3);
  private static final Duration LAST_ROWS = Duration.ofSeconds(40);
  private static final int MOST_BATCHES_SHOWN = 20;
  private static final int MARGIN = 21;
  private static final Duration REPORT_EVERY = Duration.ofSeconds(5);

  @Option(
      names = "--for",
      paramLabel = "TIME",
      description = "End after this time, counted from the first rows (90s, 5min); else at Ctrl-C.")
  private Duration runFor;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep table, checkpoints and logs in this new or empty folder.")
  private Path keep;

  @Option(
      names = "--port",
      paramLabel = "PORT",
      description = "Where the broker listens on loopback; else a free port.")
  private int port;

  @Option(
      names = "--page-port",
      paramLabel = "PORT",
      description = "Where the page with the fleet is on loopback; else a free port.")
  private int pagePort;

  @Spec private CommandSpec spec;

  private final long start = System.nanoTime();
  private PrintWriter out;

  @Override
  public Integer call() throws Exception {
    out = spec.commandLine().getOut();
    requireFreePort("--port", port);
    requireFreePort("--page-port", pagePort);
    Path folder = folder();
    Ending.listenToCtrlC();
    try {
      return run(folder);
    } finally {
      if (keep == null) {
        Folders.delete(folder);
      } else {
        say("kept", "table %s, logs %s".formatted(tableLocation(folder), folder));
      }
    }
  }

  private int run(Path folder) throws Exception {
    say("broker", "starting Kafka with a SASL_SSL listener, certificate made just now");
    try (KafkaBroker broker = EmbeddedBroker.start(folder.resolve("broker"), port)) {
      broker.createTopic(HEALTH_TOPIC, 3);
      broker.createTopic(ORDERS_TOPIC, 2);
      say(
          "broker",
          "%s, user %s, topics %s and %s"
              .formatted(
                  broker.bootstrapServers(), KafkaBroker.PLAIN_USER, HEALTH_TOPIC, ORDERS_TOPIC));
      try (OrderProducer orders = new OrderProducer(broker.plainClient(), ORDERS_TOPIC);
          ChildJvm consumer = startConsumer(folder, broker);
          ChildJvm job = startJob(folder, broker);
          HealthTableReader reader = new HealthTableReader(TABLE, tableLocation(folder), folder)) {
        orders.start();
        if (awaitFirstRows(reader, job, consumer)) {
          try (FleetPages pages = new FleetPages(reader.fleet(), pagePort)) {
            watch(pages, job, consumer);
            end(reader, job);
          }
        } else {
          end(reader, job);
        }
        say("consumer", "ending after its last batch");
        stop(consumer);
        return verdict(reader);
      }
    }
  }

  private void end(HealthTableReader reader, ChildJvm job) throws InterruptedException {
    say("job", "ending: its queries stop, the agent publishes the rest");
    stop(job);
    awaitClosingRecord(reader);
    say("table", reader.count("true") + " rows");
    printTutorial(reader);
    printLatency(reader);
  }

  private void watch(FleetPages pages, ChildJvm job, ChildJvm consumer)
      throws InterruptedException {
    say("table", "the first rows are there" + (runFor == null ? "; Ctrl-C ends the demo" : ""));
    say("page", "the fleet is at %s (metrics at /metrics)".formatted(pages.uri()));
    long until = runFor == null ? Long.MAX_VALUE : System.nanoTime() + runFor.toNanos();
    while (System.nanoTime() < until) {
      requireAlive(job);
      requireAlive(consumer);
      pages.newStatus().ifPresent(this::printStatus);
      Duration left = Duration.ofNanos(until - System.nanoTime());
      if (Ending.asked(left.compareTo(REPORT_EVERY) < 0 ? left : REPORT_EVERY)) {
        break;
      }
    }
    printStatus(pages.lastStatus());
  }

  /** False if someone pressed Ctrl-C meanwhile. */
  private boolean awaitFirstRows(HealthTableReader reader, ChildJvm job, ChildJvm consumer)
      throws InterruptedException {
    say("table", "waiting for the first rows of " + TABLE);
    long begin = System.nanoTime();
    for (int second = 1; reader.count(OF_THE_JOB + "eventType = 'PROGRESS'") == 0; second++) {
      requireAlive(job);
      requireAlive(consumer);
      if (System.nanoTime() - begin > FIRST_ROWS.toNanos()) {
        throw new IllegalStateException(
            "No rows after %s; the log of %s ends:%n%s"
                .formatted(Durations.text(FIRST_ROWS), consumer.name(), lastLines(consumer)));
      }
      if (second % 8 == 0) {
        say(
            "table",
            reader.isThere() ? "it is there, no rows yet" : "the two Spark applications start");
      }
      if (Ending.asked(Duration.ofSeconds(1))) {
        return false;
      }
    }
    return true;
  }

  private ChildJvm startConsumer(Path folder, KafkaBroker broker) throws IOException {
    Map<String, String> conf = common();
    conf.put("spark.master", "local[2]");
    conf.put("spark.streampulse.consumer.table", TABLE);
    conf.put("spark.streampulse.consumer.table-location", tableLocation(folder).toString());
    conf.put(
        "spark.streampulse.consumer.checkpoint", folder.resolve("consumer-checkpoint").toString());
    conf.put("spark.streampulse.consumer.trigger", "3s");
    conf.putAll(KafkaBroker.sparkConf(broker.scramClient()));
    say("consumer", "spark-submit --class io.streampulse.consumer.Main health-consumer.jar run");
    say("consumer", "appends to %s, async progress tracking".formatted(TABLE));
    say("consumer", "carries the agent too, so its own health is in the table");
    return Submission.start(
        CONSUMER,
        folder,
        conf,
        List.of(
            "--jars",
            ChildJvm.jarOnClassPath("streampulse-listener-agent").toString(),
            "--class",
            "io.streampulse.consumer.Main",
            ChildJvm.jarOnClassPath("streampulse-health-consumer").toString(),
            "run"));
  }

  private ChildJvm startJob(Path folder, KafkaBroker broker) throws IOException {
    Map<String, String> conf = common();
    conf.put("spark.master", "local[4]");
    conf.put("spark.sql.streaming.streamingQueryListeners", "io.streampulse.agent.HealthListener");
    conf.put("spark.streampulse.agent.flush-interval", "2s");
    conf.put("spark.streampulse.agent.tags.team", "demo");
    conf.putAll(KafkaBroker.sparkConf(broker.plainClient()));
    Path ordersClient = folder.resolve("orders-client.properties");
    SettingsFile.write(ordersClient, broker.plainClient());
    say("job", "five queries: " + String.join(", ", DemoJob.QUERIES));
    say("job", "the agent comes by Spark conf alone:");
    conf.forEach(
        (name, value) -> {
          if (name.contains("stream")) {
            boolean secret = name.contains("jaas") || name.contains("password");
            say("", "  %s=%s".formatted(name, secret ? "***" : value));
          }
        });
    return Submission.start(
        JOB,
        folder,
        conf,
        List.of(
            "--jars",
            ChildJvm.jarOnClassPath("streampulse-listener-agent").toString(),
            "--class",
            DemoJob.class.getName(),
            ChildJvm.jarOnClassPath("streampulse-demo").toString(),
            folder.resolve("job-checkpoints").toString(),
            ORDERS_TOPIC,
            ordersClient.toString()));
  }

  private static Map<String, String> common() {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.shuffle.partitions", "2");
    conf.put("spark.streampulse.topic", HEALTH_TOPIC);
    return conf;
  }

  private static Path tableLocation(Path folder) {
    return folder.resolve("streaming_health");
  }

  private static void stop(ChildJvm child) {
    child.close();
  }

  private static void requireAlive(ChildJvm child) {
    if (!child.isAlive()) {
      throw new IllegalStateException(
          "%s has ended by itself; its log ends:%n%s".formatted(child.name(), lastLines(child)));
    }
  }

  private static String lastLines(ChildJvm child) {
    List<String> lines = child.output().lines().toList();
    return lines.stream()
        .skip(Math.max(0, lines.size() - 15))
        .map(line -> "  | " + line)
        .collect(Collectors.joining("\n"));
  }

  private void awaitClosingRecord(HealthTableReader reader) throws InterruptedException {
    long until = System.nanoTime() + LAST_ROWS.toNanos();
    while (reader.count(OF_THE_JOB + "eventType = 'AGENT_STOPPED'") == 0
        && System.nanoTime() < until) {
      Thread.sleep(500);
    }
  }

  private void printTutorial(HealthTableReader reader) {
    List<Row> batches = reader.query("tutorial.sql", "query", DemoJob.HEALTHY).collectAsList();
    int shown = Math.min(batches.size(), MOST_BATCHES_SHOWN);
    say(
        "table",
        "the last %d of %d micro-batches of %s".formatted(shown, batches.size(), DemoJob.HEALTHY));
    print(
        TextTable.of(
            List.of(
                "batchId",
                "numInputRows",
                "input_per_second",
                "processed_per_second",
                "fallingBehind"),
            batches.subList(batches.size() - shown, batches.size())));
  }

  private void printLatency(HealthTableReader reader) {
    say(
        "table",
        "latency of %s as its job observed it, last batches:".formatted(DemoJob.FROM_KAFKA));
    print(TextTable.of(reader.query("latency.sql", "query", DemoJob.FROM_KAFKA)));
  }

  private void printStatus(List<String> lines) {
    say("table", "the fleet, as health-consumer status prints it:");
    print(String.join("\n", lines));
  }

  private void print(String table) {
    out.println(table.indent(MARGIN).stripTrailing());
    out.flush();
  }

  /** 0 only if rows of all five queries, the failure included, are in the table. */
  private int verdict(HealthTableReader reader) {
    List<String> missing = new ArrayList<>();
    for (String query : DemoJob.QUERIES) {
      if (reader.count("eventType = 'PROGRESS' AND queryName = '" + query + "'") == 0) {
        missing.add("progress of " + query);
      }
    }
    if (reader.count(
            "eventType = 'TERMINATED' AND errorMessage IS NOT NULL AND queryName = '"
                + DemoJob.FAILS
                + "'")
        == 0) {
      missing.add("the failure of " + DemoJob.FAILS);
    }
    if (!missing.isEmpty()) {
      spec.commandLine()
          .getErr()
          .println("streampulse: not in the table: " + String.join(", ", missing));
      return ExitCode.SOFTWARE;
    }
    say("done", "all five queries are in the table, the failure included");
    return ExitCode.OK;
  }

  private void requireFreePort(String option, int number) {
    if (number == 0) {
      return;
    }
    try (ServerSocket socket = new ServerSocket(number, 1, InetAddress.getLoopbackAddress())) {
      socket.setReuseAddress(true);
    } catch (IOException | IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(),
          "%s %d can't be used (%s): name another, or leave it out for a free one"
              .formatted(option, number, e.getMessage()));
    }
  }

  private Path folder() throws IOException {
    if (keep == null) {
      return Files.createTempDirectory("streampulse-demo");
    }
    Path folder = keep.toAbsolutePath();
    try {
      Files.createDirectories(folder);
      try (Stream<Path> files = Files.list(folder)) {
        if (files.findAny().isPresent()) {
          throw new ParameterException(
              spec.commandLine(), "--keep %s is not empty: name a new folder".formatted(keep));
        }
      }
      if (!Files.isWritable(folder)) {
        throw new IOException("not writable");
      }
    } catch (IOException e) {
      throw new ParameterException(
          spec.commandLine(), "--keep %s can't be used (%s): name another".formatted(keep, e));
    }
    return folder;
  }

  private void say(String who, String what) {
    out.printf("%6.1f s  %-9s %s%n", (System.nanoTime() - start) / 1e9, who, what);
    out.flush();
  }
}
