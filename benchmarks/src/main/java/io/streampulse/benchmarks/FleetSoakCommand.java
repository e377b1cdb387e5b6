package io.streampulse.benchmarks;

import io.streampulse.config.Durations;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.SettingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench fleet-soak}: the whole chain, while things fail. */
@Command(
    name = "fleet-soak",
    description =
        "Runs the agents of a fleet, a broker and the consumer, each in a JVM of its own but the"
            + " broker, while the broker is stopped and the consumer killed at random moments;"
            + " checks at the end that every record is accounted for, and that memory, files and"
            + " threads stayed as they were. Needs Linux.")
final class FleetSoakCommand implements Callable<Integer> {
  private static final String TOPIC = "streaming-health";
  private static final int PARTITIONS = 8;
  private static final Duration CLOSE = Duration.ofMinutes(3);
  private static final Duration DRAIN = Duration.ofMinutes(10);
  private static final int SIGTERM = 143;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "2h",
      description = "How long, ${DEFAULT-VALUE} when not given.")
  private Duration time;

  @Option(
      names = "--agents",
      paramLabel = "N",
      defaultValue = "50",
      description = "Drivers, each with an agent; ${DEFAULT-VALUE} when not given.")
  private int agents;

  @Option(
      names = "--queries",
      paramLabel = "N",
      defaultValue = "1000",
      description = "Queries of all drivers together, ${DEFAULT-VALUE} when not given.")
  private int queries;

  @Option(
      names = "--gap",
      paramLabel = "TIME",
      defaultValue = "10s",
      description = "Between two batches of a query, ${DEFAULT-VALUE} when not given.")
  private Duration gap;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records per second of the whole fleet, in place of --gap.")
  private Integer rate;

  @Option(
      names = "--small-buffers",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Agents with the smallest buffer, so that they drop records all the time;"
              + " ${DEFAULT-VALUE} when not given.")
  private int smallBuffers;

  @Option(
      names = "--broker-restarts-every",
      paramLabel = "TIME",
      defaultValue = "15min",
      description =
          "How often the broker is stopped, on average, 0s for never; ${DEFAULT-VALUE} when not"
              + " given.")
  private Duration brokerRestartsEvery;

  @Option(
      names = "--broker-down",
      paramLabel = "TIME",
      defaultValue = "20s",
      description = "For how long, ${DEFAULT-VALUE} when not given.")
  private Duration brokerDown;

  @Option(
      names = "--consumer-kills-every",
      paramLabel = "TIME",
      defaultValue = "10min",
      description =
          "How often the consumer is killed and started again, on average, 0s for never;"
              + " ${DEFAULT-VALUE} when not given.")
  private Duration consumerKillsEvery;

  @Option(
      names = "--trigger",
      paramLabel = "TIME",
      defaultValue = "10s",
      description = "The consumer's, ${DEFAULT-VALUE} when not given.")
  private Duration trigger;

  @Option(
      names = "--cores",
      paramLabel = "N",
      defaultValue = "2",
      description = "The consumer's, as in local[N]; ${DEFAULT-VALUE} when not given.")
  private int cores;

  @Option(
      names = "--heap",
      paramLabel = "SIZE",
      defaultValue = "1g",
      description = "The consumer's, ${DEFAULT-VALUE} when not given.")
  private String heap;

  @Option(
      names = "--sample-every",
      paramLabel = "TIME",
      defaultValue = "1min",
      description = "How often figures are taken, ${DEFAULT-VALUE} when not given.")
  private Duration sampleEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of the random moments; when not given, one that is printed.")
  private Long seed;

  @Option(
      names = "--keep",
      paramLabel = "DIR",
      description = "Keep topic, tables, checkpoint and logs in this new folder.")
  private Path keep;

  @Spec private CommandSpec spec;

  private final Agenda agenda = new Agenda();
  private final Trends trends = new Trends();
  private final ProcessWatch bench = ProcessWatch.self();
  private Report report;
  private Random random;
  private Path folder;
  private EmbeddedBroker broker;
  private boolean brokerIsUp;
  private ChildJvm fleet;
  private LogTail fleetLog;
  private ProcessWatch fleetWatch;
  private String fleetSaid = "nothing produced yet";
  private SoakConsumer consumer;
  private int outages;
  private int kills;
  private int killsAfterBatches;
  private boolean hasBatches;
  private int endsOfItsOwn;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    long chosen = seed == null ? System.currentTimeMillis() % 1_000_000 : seed;
    random = new Random(chosen);
    if (rate != null) {
      gap = Duration.ofMillis(1000L * queries / rate);
    }
    folder =
        keep == null
            ? Files.createTempDirectory("streampulse-fleet-soak")
            : Files.createDirectories(keep.toAbsolutePath());
    report.progress("seed %d, logs in %s", chosen, folder);
    broker = EmbeddedBroker.start(folder.resolve("broker"));
    brokerIsUp = true;
    consumer = consumer();
    try {
      broker.createTopic(TOPIC, PARTITIONS);
      startConsumer();
      startFleet();
      agenda.in(sampleEvery, this::sample);
      plan(brokerRestartsEvery, this::stopBroker);
      plan(consumerKillsEvery, this::killConsumer);
      agenda.run(time);
      return end(chosen) ? ExitCode.OK : ExitCode.SOFTWARE;
    } finally {
      endProcesses();
      broker.close();
      if (keep == null) {
        Folders.delete(folder);
      }
    }
  }

  private void endProcesses() {
    if (fleet != null) {
      fleet.kill();
    }
    consumer.close();
  }

  private SoakConsumer consumer() {
    ConsumerProcess process =
        new ConsumerProcess(folder, TOPIC, broker.plainClient())
            .set("trigger", Durations.text(trigger));
    process.conf().put("spark.master", "local[" + cores + "]");
    return new SoakConsumer(folder, process, heap);
  }

  private void startConsumer() throws IOException {
    consumer.start();
    hasBatches = false;
  }

  private void startFleet() throws Exception {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.streampulse.topic", TOPIC);
    // All agents close at once, on few cores.
    conf.put("spark.streampulse.agent.shutdown-timeout", "1min");
    conf.putAll(KafkaBroker.sparkConf(broker.plainClient()));
    Path settings = folder.resolve("fleet.conf");
    SettingsFile.write(settings, conf);
    Path log = folder.resolve("fleet.log");
    Path collections = folder.resolve("fleet.gc");
    fleet =
        ChildJvm.start(
            "fleet",
            log,
            ChildJvm.classPath(file -> true),
            List.of("-Xmx512m", ProcessWatch.logging(collections)),
            List.of(
                SimulatedFleet.class.getName(),
                settings.toString(),
                counts().toString(),
                String.valueOf(agents),
                String.valueOf(queries),
                String.valueOf(smallBuffers),
                String.valueOf(gap.toMillis())));
    fleetLog = new LogTail(log);
    fleetWatch = ProcessWatch.of(fleet.pid(), collections);
  }

  private Path counts() {
    return folder.resolve("fleet.counts");
  }

  /** At a random moment, from half the time to one and a half times. */
  private void plan(Duration every, Agenda.Action action) {
    if (!every.isZero()) {
      agenda.in(Duration.ofMillis((long) (every.toMillis() * (0.5 + random.nextDouble()))), action);
    }
  }

  private void stopBroker() {
    outages++;
    report.progress("outage %d: the broker stops for %s", outages, Durations.text(brokerDown));
    broker.close();
    brokerIsUp = false;
    agenda.in(brokerDown, this::startBroker);
  }

  private void startBroker() {
    broker = broker.again();
    brokerIsUp = true;
    report.progress("the broker is back");
    plan(brokerRestartsEvery, this::stopBroker);
  }

  private void killConsumer() throws Exception {
    if (consumer.isAlive()) {
      kills++;
      report.progress(
          "kill %d: the consumer, %d s after it was started", kills, consumer.age().toSeconds());
      noteBatches();
      killsAfterBatches += hasBatches ? 1 : 0;
      consumer.kill();
      startConsumer();
    } else {
      restartConsumerIfEnded();
    }
    plan(consumerKillsEvery, this::killConsumer);
  }

  private void sample() throws Exception {
    agenda.in(sampleEvery, this::sample);
    if (!fleet.isAlive()) {
      throw new IllegalStateException("The fleet has ended by itself:\n" + fleet.output());
    }
    restartConsumerIfEnded();
    fleetLog.next().lines().filter(line -> line.contains(" produced, ")).forEach(this::fleetSaid);
    List<BatchLog.Batch> batches = noteBatches();
    report.progress("fleet: %s; %s", fleetSaid, figures("fleet", fleetWatch));
    String batchesSaid =
        batches.isEmpty()
            ? "no batch"
            : "%d batches of %,d rows in %,d ms"
                .formatted(
                    batches.size(),
                    Trends.median(batches.stream().map(BatchLog.Batch::rows).toList()),
                    Trends.median(batches.stream().map(BatchLog.Batch::millis).toList()));
    // While it starts it has no more to say than that it starts.
    String figures =
        batches.isEmpty()
            ? consumer.watch().read().map(ProcessWatch.Figures::toString).orElse("ended")
            : figures("consumer", consumer.watch());
    report.progress(
        "consumer %d, %d s old: %s; %s",
        consumer.starts(), consumer.age().toSeconds(), batchesSaid, figures);
    report.progress("broker and bench: %s", figures("broker and bench", bench));
  }

  private void fleetSaid(String line) {
    fleetSaid = line;
  }

  private String figures(String process, ProcessWatch watch) {
    Optional<ProcessWatch.Figures> figures = watch.read();
    figures.ifPresent(seen -> trends.add(process, seen));
    return figures.map(ProcessWatch.Figures::toString).orElse("ended");
  }

  private List<BatchLog.Batch> noteBatches() {
    List<BatchLog.Batch> batches = BatchLog.batches(consumer.newLog());
    if (!batches.isEmpty()) {
      hasBatches = true;
      trends.add("consumer: seconds since its start", consumer.age().toSeconds());
      trends.add(
          "consumer: rows of a batch, median",
          Trends.median(batches.stream().map(BatchLog.Batch::rows).toList()));
      trends.add(
          "consumer: ms of a batch, median",
          Trends.median(batches.stream().map(BatchLog.Batch::millis).toList()));
    }
    return batches;
  }

  private void restartConsumerIfEnded() throws Exception {
    if (!consumer.isAlive()) {
      endsOfItsOwn++;
      report.progress("the consumer has ended by itself:%n%s", consumer.lastWords());
      startConsumer();
    }
  }

  private boolean end(long chosen) throws Exception {
    if (!brokerIsUp) {
      broker = broker.again();
      brokerIsUp = true;
    }
    report.progress("the fleet ends");
    fleet.terminate();
    requireExit("fleet", fleet.awaitExit(CLOSE), fleet.output());
    try (SparkSession spark = LocalSpark.session("bench-fleet-soak", folder)) {
      Map<Integer, Long> ends = HealthTopic.ends(broker, TOPIC);
      awaitTable();
      FleetAccounting accounting =
          new FleetAccounting(spark, ConsumerProcess.TABLE, consumer.table());
      drain(accounting, ends.values().stream().mapToLong(Long::longValue).sum());
      requireExit("consumer", consumer.terminate(), consumer.lastWords());
      report.add(
          "%,d queries of %,d drivers, a batch of each every %s, for %s; consumer in `local[%d]`,"
              + " `-Xmx%s`, trigger %s. At random moments (seed %d): broker outages of %s: %d;"
              + " kills of the consumer: %d, of a run that had appended: %d. Times it ended by itself:"
              + " %d.",
          queries,
          agents,
          Durations.text(gap),
          Durations.text(time),
          cores,
          heap,
          Durations.text(trigger),
          chosen,
          Durations.text(brokerDown),
          outages,
          kills,
          killsAfterBatches,
          endsOfItsOwn);
      boolean balances =
          accounting.balances(SimulatedFleet.counts(counts()), ends, report) && endsOfItsOwn == 0;
      report.add(
          "Samples every %s; start, middle and end are medians of five. The consumer's are those"
              + " with batches since the sample before, so none while it starts.",
          Durations.text(sampleEvery));
      trends.addTo(report);
      report.finish();
      return balances;
    }
  }

  /** The consumer may have been killed before it had created the tables. */
  private void awaitTable() throws Exception {
    Path last = Path.of(consumer.table() + "_quarantine/_delta_log/00000000000000000000.json");
    long deadline = System.nanoTime() + DRAIN.toNanos();
    while (!Files.exists(last)) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("There is no table:\n" + consumer.lastWords());
      }
      restartConsumerIfEnded();
      TimeUnit.SECONDS.sleep(1);
    }
  }

  /** Waits until each message has its row; if that never is, the balance will say so. */
  private void drain(FleetAccounting accounting, long messages) throws Exception {
    long deadline = System.nanoTime() + DRAIN.toNanos();
    long rows = accounting.rows();
    while (rows < messages && System.nanoTime() - deadline < 0) {
      restartConsumerIfEnded();
      TimeUnit.SECONDS.sleep(2);
      rows = accounting.rows();
    }
    report.progress("%,d rows of %,d messages", rows, messages);
  }

  private static void requireExit(String process, int exit, String output) {
    if (exit != SIGTERM) {
      throw new IllegalStateException(
          "The %s ended with %d, not %d:%n%s".formatted(process, exit, SIGTERM, output));
    }
  }
}
