package io.streampulse.benchmarks;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench startup}: what the agent costs at the start of a job. */
@Command(
    name = "startup",
    description =
        "Time from the start of a job's JVM to the end of its first micro-batch, with and without"
            + " the agent, in turns.")
final class StartupCommand implements Callable<Integer> {
  private static final Pattern FIRST_BATCH = Pattern.compile("first batch after (\\d+) ms");

  @Option(
      names = "--rounds",
      defaultValue = "7",
      description = "How often each is started; ${DEFAULT-VALUE} when not given.")
  private int rounds;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    Path folder = Files.createTempDirectory("streampulse-startup");
    try (BrokerProcess broker = BrokerProcess.start(folder.resolve("broker"))) {
      broker.createTopic(JobProcess.TOPIC, 3);
      Map<String, String> up = JobProcess.agent(broker.plainClient());
      Map<String, String> down = JobProcess.agent(JobProcess.withoutBroker(broker.plainClient()));
      report.progress("one start of each that does not count, until the files are in memory");
      start(folder, Map.of());
      start(folder, up);
      Comparison comparison =
          new Comparison(report, "ms")
              .add("without", () -> start(folder, Map.of()))
              .add("agent, broker up", () -> start(folder, up))
              .add("agent, broker down", () -> start(folder, down))
              .run(rounds);
      report.add(
          "The agent adds %.0f ms with the broker up, %.0f ms with it down (differences of medians)."
              + " Its jar has %.1f MB.",
          comparison.median("agent, broker up") - comparison.median("without"),
          comparison.median("agent, broker down") - comparison.median("without"),
          Files.size(ChildJvm.jarOnClassPath("streampulse-listener-agent")) / 1e6);
    } finally {
      Folders.delete(folder);
    }
    report.finish();
    return ExitCode.OK;
  }

  private static double start(Path parent, Map<String, String> conf) throws IOException {
    Path folder = Files.createTempDirectory(parent, "job");
    try {
      String output = JobProcess.run(folder, StartupJob.class, conf);
      Matcher matcher = FIRST_BATCH.matcher(output);
      if (!matcher.find()) {
        throw new IllegalStateException(
            "The job does not say when its first batch was:\n" + output);
      }
      return Double.parseDouble(matcher.group(1));
    } finally {
      Folders.delete(folder);
    }
  }
}
