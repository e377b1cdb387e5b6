package io.streampulse.benchmarks;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job of this module in a JVM of its own, on one core, as {@code spark-submit} starts it: without
 * Streampulse, or with the agent by Spark conf.
 */
final class JobProcess {
  static final String TOPIC = "streaming-health";

  /** Nothing listens there. */
  static final String NO_BROKER = "127.0.0.1:9";

  private static final String LISTENERS = "spark.sql.streaming.streamingQueryListeners";
  private static final Duration LONGEST = Duration.ofMinutes(30);

  private JobProcess() {}

  /** The conf by which a job gets the agent, from {@code --jars} on. */
  static Map<String, String> agent(Map<String, String> client) {
    Map<String, String> conf = new LinkedHashMap<>();
    conf.put("spark.jars", ChildJvm.jarOnClassPath("streampulse-listener-agent").toString());
    conf.put(LISTENERS, "io.streampulse.agent.HealthListener");
    conf.putAll(KafkaBroker.sparkConf(client));
    return conf;
  }

  /** The same client where no broker is. */
  static Map<String, String> withoutBroker(Map<String, String> client) {
    Map<String, String> lost = new TreeMap<>(client);
    lost.put("bootstrap.servers", NO_BROKER);
    return lost;
  }

  /**
   * Runs a job to its end.
   *
   * @param folder for its conf, its log and what it writes; used once
   * @param conf with {@linkplain #agent the agent's}, or without
   * @return what it printed
   * @throws IllegalStateException if it fails, or if it ran without the agent though the conf asks
   *     for it
   */
  static String run(Path folder, Class<?> job, Map<String, String> conf, String... arguments)
      throws IOException {
    Map<String, String> all = new TreeMap<>(conf);
    all.put("spark.master", "local[1]");
    all.put("spark.ui.enabled", "false");
    List<String> command = new ArrayList<>(List.of("--class", job.getName()));
    command.add(ChildJvm.jarOnClassPath("streampulse-benchmarks").toString());
    command.addAll(List.of(arguments));
    try (ChildJvm process =
        Submission.start(
            job.getSimpleName(),
            folder,
            all,
            List.of("-Xmx512m", "-Djava.io.tmpdir=" + folder),
            command)) {
      int exit = process.awaitExit(LONGEST);
      String output = process.output();
      boolean hasAgent = output.contains("Streampulse agent");
      if (exit != 0 || hasAgent != conf.containsKey(LISTENERS)) {
        throw new IllegalStateException(
            "%s ended with %d, %s the agent:%n%s"
                .formatted(job.getSimpleName(), exit, hasAgent ? "with" : "without", output));
      }
      return output;
    }
  }
}
