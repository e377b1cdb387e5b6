package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.openjdk.jmh.results.RunResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench callback}. */
@Command(
    name = "callback",
    description = "Nanoseconds of a listener callback, 1 and 2 threads, beside sending in it.")
final class CallbackCommand implements Callable<Integer> {
  private static final Map<String, String> METHODS = new LinkedHashMap<>();

  static {
    METHODS.put("agent", "agent");
    METHODS.put("limit", "limit: ArrayBlockingQueue.offer");
    METHODS.put("stamped", "the same, with the time");
    METHODS.put("peer", "peer: send(json()) in the callback");
  }

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    report.add("Nanoseconds for a callback, JMH, one fork, five iterations of a second.");
    List<String> ratios = new ArrayList<>();
    for (int threads = 1; threads <= 2; threads++) {
      Collection<RunResult> results = Jmh.run(CallbackBenchmark.class, threads);
      Jmh.table(
          report,
          threads == 1 ? "buffer, one thread calls" : "buffer, two threads call",
          METHODS,
          results);
      double agent = Jmh.score(results, "agent", "room");
      ratios.add(
          "%s %.1f times the limit, %.1f times the limit with the time"
              .formatted(
                  threads == 1 ? "from one thread" : "from two threads",
                  agent / Jmh.score(results, "limit", "room"),
                  agent / Jmh.score(results, "stamped", "room")));
    }
    report.add("With room in the buffer the agent takes %s.", String.join("; ", ratios));
    report.add("The peer with the broker down: %.1f s for one call.", sendWithoutABroker());
    report.finish();
    return 0;
  }

  /** Once is enough: it takes the client's default max.block.ms, a minute. */
  private static double sendWithoutABroker() {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", "127.0.0.1:9");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      String json = ProgressSamples.json(ProgressSamples.of("kafka"));
      long start = System.nanoTime();
      var unused = producer.send(new ProducerRecord<>("peer", json));
      return (System.nanoTime() - start) / 1e9;
    }
  }
}
