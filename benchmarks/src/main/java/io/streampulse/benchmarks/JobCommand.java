package io.streampulse.benchmarks;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code ./streampulse bench job}. */
@Command(
    name = "job",
    description = "Batch times of a job with 100 ms batches, with and without the agent, in turns.")
final class JobCommand implements Callable<Integer> {
  private static final Pattern BATCH = Pattern.compile("batch took (\\d+) ms");

  @Option(names = "--rounds", defaultValue = "3", description = "How often each is run.")
  private int rounds;

  @Option(names = "--seconds", defaultValue = "40", description = "How long each run counts.")
  private int seconds;

  @Override
  public Integer call() throws Exception {
    Path folder = Files.createTempDirectory("streampulse-bench");
    Map<String, List<Long>> times = new LinkedHashMap<>();
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("broker"))) {
      broker.createTopic("streaming-health", 3);
      Map<String, String> up = broker.plainClient();
      Map<String, String> down = Map.of("bootstrap.servers", "127.0.0.1:9");
      for (int round = 1; round <= rounds; round++) {
        run(folder, "without", Map.of(), times);
        run(folder, "broker up", agent(up), times);
        run(folder, "without again", Map.of(), times);
        run(folder, "broker down", agent(down), times);
      }
    } finally {
      Folders.delete(folder);
    }
    report(times);
    return 0;
  }

  private static Map<String, String> agent(Map<String, String> client) {
    Map<String, String> conf = new LinkedHashMap<>();
    conf.put("spark.sql.streaming.streamingQueryListeners", "io.streampulse.agent.HealthListener");
    client.forEach((name, value) -> conf.put("spark.streampulse.kafka." + name, value));
    return conf;
  }

  private void run(
      Path folder, String name, Map<String, String> conf, Map<String, List<Long>> times) {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("org.apache.spark.deploy.SparkSubmit", "--master", "local[1]"));
    command.addAll(List.of("--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.sql.streaming.numRecentProgressUpdates=10000"));
    conf.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    command.addAll(
        List.of("--jars", ChildJvm.jarOnClassPath("streampulse-listener-agent").toString()));
    command.addAll(
        List.of(
            "--class",
            BatchJob.class.getName(),
            ChildJvm.jarOnClassPath("streampulse-benchmarks").toString(),
            "15",
            String.valueOf(seconds)));
    try (ChildJvm job =
        ChildJvm.start(
            name,
            folder.resolve("job.log"),
            ChildJvm.classPath(file -> !file.startsWith("streampulse-")),
            List.of("-Xmx512m"),
            command)) {
      if (job.awaitExit(Duration.ofMinutes(5)) != 0) {
        throw new IllegalStateException(job.output());
      }
      List<Long> batches = times.computeIfAbsent(name, n -> new ArrayList<>());
      Matcher matcher = BATCH.matcher(job.output());
      while (matcher.find()) {
        batches.add(Long.parseLong(matcher.group(1)));
      }
      System.out.printf("%-14s %6d batches so far%n", name, batches.size());
    }
  }

  private static void report(Map<String, List<Long>> times) {
    times.values().forEach(batches -> batches.sort(Comparator.naturalOrder()));
    List<Long> without = times.get("without");
    System.out.printf(
        "%n%-14s %8s %10s %8s %8s %14s %11s%n",
        "agent", "batches", "median ms", "mean ms", "p99 ms", "median ratio", "p99 ratio");
    times.forEach(
        (name, batches) ->
            System.out.printf(
                "%-14s %8d %10d %8.1f %8d %14.3f %11.3f%n",
                name,
                batches.size(),
                percentile(batches, 50),
                batches.stream().mapToLong(Long::longValue).average().orElse(0),
                percentile(batches, 99),
                (double) percentile(batches, 50) / percentile(without, 50),
                (double) percentile(batches, 99) / percentile(without, 99)));
  }

  private static long percentile(List<Long> sorted, int percent) {
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
  }
}
