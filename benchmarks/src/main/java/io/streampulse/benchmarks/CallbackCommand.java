package io.streampulse.benchmarks;

import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;

/** {@code ./streampulse bench callback}. */
@Command(
    name = "callback",
    description = "Nanoseconds of a listener callback, 1 and 2 threads, beside sending in it.")
final class CallbackCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    for (int threads = 1; threads <= 2; threads++) {
      System.out.println("== threads: " + threads);
      new Runner(
              new OptionsBuilder()
                  .include(CallbackBenchmark.class.getSimpleName())
                  .threads(threads)
                  .build())
          .run();
    }
    sendWithoutABroker();
    return 0;
  }

  /** Once is enough: it takes the client's default max.block.ms, a minute. */
  private static void sendWithoutABroker() {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", "127.0.0.1:9");
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      String json = ProgressSamples.json(ProgressSamples.of("kafka"));
      long start = System.nanoTime();
      var unused = producer.send(new ProducerRecord<>("peer", json));
      System.out.printf(
          "%npeerSendsInTheCallback, broker down, one call: %.1f s%n",
          (System.nanoTime() - start) / 1e9);
    }
  }
}
