package io.streampulse.benchmarks;

import io.streampulse.config.Durations;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./streampulse bench soak}: a job with the agent, a broker that goes and comes back. */
@Command(
    name = "soak",
    description =
        "Runs a job with the agent while the broker is stopped and started again and again, and"
            + " checks at the end that every record is accounted for.")
final class SoakCommand implements Callable<Integer> {
  private static final String TOPIC = "streaming-health";
  private static final Duration UP = Duration.ofSeconds(150);
  private static final Duration DOWN = Duration.ofSeconds(30);
  private static final Pattern HEAP = Pattern.compile("heap in use (\\d+) MB");

  @Option(names = "--for", paramLabel = "TIME", defaultValue = "30min", description = "How long.")
  private Duration runFor;

  private final long start = System.nanoTime();

  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("streampulse-soak");
    try {
      return run(folder, runFor);
    } finally {
      Folders.delete(folder);
    }
  }

  private int run(Path folder, Duration time) throws Exception {
    EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"));
    broker.createTopic(TOPIC, 3);
    int outages = 0;
    try (ChildJvm job = startJob(folder, broker)) {
      long until = System.nanoTime() + time.toNanos();
      while (System.nanoTime() < until) {
        sleep(UP, until);
        if (System.nanoTime() < until) {
          outages++;
          say("outage " + outages + ": the broker stops for " + Durations.text(DOWN));
          broker.close();
          sleep(DOWN, until);
          broker = broker.again();
        }
        if (!job.isAlive()) {
          say("the job has died:\n" + job.output());
          return 1;
        }
      }
      say("the job ends");
      job.close();
      return report(HealthTopic.read(broker, TOPIC), job.output(), outages);
    } finally {
      broker.close();
    }
  }

  private static ChildJvm startJob(Path folder, EmbeddedBroker broker) throws IOException {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.master", "local[4]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.streaming.streamingQueryListeners", "io.streampulse.agent.HealthListener");
    conf.put("spark.streampulse.agent.flush-interval", "1s");
    conf.putAll(KafkaBroker.sparkConf(broker.plainClient()));
    return Submission.start(
        "soak-job",
        folder,
        conf,
        List.of("-Xmx512m"),
        List.of(
            "--jars",
            ChildJvm.jarOnClassPath("streampulse-listener-agent").toString(),
            "--class",
            SoakJob.class.getName(),
            ChildJvm.jarOnClassPath("streampulse-benchmarks").toString(),
            folder.resolve("checkpoints").toString()));
  }

  private int report(List<HealthRecord> records, String log, int outages) {
    Set<Long> sequences = new HashSet<>();
    records.forEach(record -> sequences.add(record.getSequence()));
    HealthRecord last =
        records.stream()
            .max(Comparator.comparingLong(HealthRecord::getSequence))
            .orElseThrow(() -> new IllegalStateException("No records at all"));
    long produced = last.getSequence() + 1;
    long dropped = last.getDropped().values().stream().mapToLong(Long::longValue).sum();
    LongSummaryStatistics heap = new LongSummaryStatistics();
    Matcher matcher = HEAP.matcher(log);
    while (matcher.find()) {
      heap.accept(Long.parseLong(matcher.group(1)));
    }
    boolean balances =
        last.getEventType() == EventType.AGENT_STOPPED
            && produced == sequences.size() + dropped
            && sequences.size() == records.size();
    System.out.printf(
        "%noutages             %8d%nproduced            %8d%non the topic        %8d%n"
            + "  more than once    %8d%ndropped             %8d %s%nclosing record      %8s%n"
            + "heap of the job     %5d to %d MB after collections%nbalances            %8s%n",
        outages,
        produced,
        sequences.size(),
        records.size() - sequences.size(),
        dropped,
        last.getDropped(),
        last.getEventType() == EventType.AGENT_STOPPED ? "yes" : "no",
        heap.getMin(),
        heap.getMax(),
        balances ? "yes" : "NO");
    return balances ? 0 : 1;
  }

  private static void sleep(Duration wait, long until) throws InterruptedException {
    long left = until - System.nanoTime();
    Thread.sleep(Math.max(0, Math.min(wait.toMillis(), left / 1_000_000)));
  }

  private void say(String what) {
    System.out.printf("%7.1f s  %s%n", (System.nanoTime() - start) / 1e9, what);
  }
}
