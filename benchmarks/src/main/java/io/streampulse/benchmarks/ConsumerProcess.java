package io.streampulse.benchmarks;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The consumer as its users have it, {@code spark-submit health-consumer.jar}, on two cores, with a
 * table, a checkpoint and a log in one folder.
 *
 * <p>Not thread-safe.
 */
final class ConsumerProcess {
  /** The table's name in the catalog of each process. */
  static final String TABLE = "spark_catalog.bench.streaming_health";

  private static final String PREFIX = "spark.streampulse.consumer.";
  private static final Duration START = Duration.ofMinutes(5);

  private final Path home;
  private final Map<String, String> conf = new TreeMap<>();

  ConsumerProcess(Path home, String topic, Map<String, String> client) {
    this.home = home;
    conf.put("spark.master", "local[2]");
    conf.put("spark.ui.enabled", "false");
    conf.put("spark.sql.shuffle.partitions", "2");
    conf.put("spark.sql.warehouse.dir", home.resolve("warehouse").toString());
    conf.put("spark.streampulse.topic", topic);
    conf.putAll(KafkaBroker.sparkConf(client));
    set("table", TABLE);
    set("table-location", home.resolve("table").toString());
    set("checkpoint", home.resolve("checkpoint").toString());
  }

  /** Sets one of the consumer's settings. */
  ConsumerProcess set(String name, String value) {
    conf.put(PREFIX + name, value);
    return this;
  }

  Map<String, String> conf() {
    return conf;
  }

  /** Where the table's files are. */
  Path table() {
    return home.resolve("table");
  }

  /** The interval between micro-batches, as it is set or by default. */
  Duration trigger() {
    return ConsumerConfig.read(conf).trigger().every().orElseThrow();
  }

  /** Starts it, and returns when it says that it runs. */
  ChildJvm start() throws IOException, InterruptedException {
    ChildJvm consumer = HealthPipeline.submit("health-consumer", home, conf, arguments("run"));
    long deadline = System.nanoTime() + START.toNanos();
    while (!consumer.output().contains("health-consumer: topic")) {
      if (!consumer.isAlive() || System.nanoTime() > deadline) {
        consumer.close();
        throw new IllegalStateException(
            "The consumer did not start:\n" + HealthPipeline.end(consumer));
      }
      Thread.sleep(200);
    }
    return consumer;
  }

  /** Runs {@code health-consumer maintain} on the table, and returns the seconds it took. */
  double maintain() throws IOException {
    long start = System.nanoTime();
    try (ChildJvm maintain = HealthPipeline.submit("maintain", home, conf, arguments("maintain"))) {
      if (maintain.awaitExit(Duration.ofMinutes(10)) != 0) {
        throw new IllegalStateException(HealthPipeline.end(maintain));
      }
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private static List<String> arguments(String command) {
    return List.of(
        "--class",
        "io.streampulse.consumer.Main",
        ChildJvm.jarOnClassPath("streampulse-health-consumer").toString(),
        command);
  }
}
