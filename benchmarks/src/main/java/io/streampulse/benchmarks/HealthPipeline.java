package io.streampulse.benchmarks;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What benchmarks of the consumer measure in: a broker with SASL_SSL in this JVM, topics with
 * health records, and Spark applications in processes of their own. Closing it deletes all of it.
 */
final class HealthPipeline implements AutoCloseable {
  /** How many queries the fleet has whose agents fill a topic. */
  static final int QUERIES = 1_000;

  private static final int LINES_SHOWN = 40;

  private final Path folder;
  private final EmbeddedBroker broker;

  private HealthPipeline(Path folder, EmbeddedBroker broker) {
    this.folder = folder;
    this.broker = broker;
  }

  /** Starts the broker. */
  static HealthPipeline start(String name) throws IOException {
    Path folder = Files.createTempDirectory("streampulse-" + name);
    try {
      return new HealthPipeline(folder, EmbeddedBroker.start(folder.resolve("broker")));
    } catch (RuntimeException e) {
      Folders.delete(folder);
      throw e;
    }
  }

  /** Deleted at the end. */
  Path folder() {
    return folder;
  }

  void createTopic(String topic, int partitions) {
    broker.createTopic(topic, partitions);
  }

  /** A Kafka client's settings. */
  Map<String, String> client() {
    return broker.plainClient();
  }

  /** Fills a topic with the backlog of a fleet, ten milliseconds between two records. */
  void fill(String topic, long records) {
    ProgressMessages messages = new ProgressMessages(QUERIES);
    Instant first = Instant.now().minusMillis(10 * records);
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (KafkaProducer<byte[], byte[]> producer = producer(50)) {
      for (long number = 0; number < records && failure.get() == null; number++) {
        var unused =
            producer.send(
                messages.message(topic, number, first.plusMillis(10 * number)),
                (metadata, e) -> failure.compareAndSet(null, e));
      }
    }
    if (failure.get() != null) {
      throw new IllegalStateException("Not all records were sent", failure.get());
    }
  }

  /** A plain producer that waits so long for a batch to fill. */
  KafkaProducer<byte[], byte[]> producer(int lingerMillis) {
    Properties settings = new Properties();
    settings.putAll(client());
    settings.put("linger.ms", String.valueOf(lingerMillis));
    settings.put("batch.size", "262144");
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** A consumer of a topic, with a folder of its own. */
  ConsumerProcess consumer(String name, String topic) {
    return new ConsumerProcess(folder.resolve(name), topic, client());
  }

  /**
   * Starts a Spark application.
   *
   * @param home a folder for its conf and its log, made where it is not there
   * @see Submission#start
   */
  static ChildJvm submit(String name, Path home, Map<String, String> conf, List<String> arguments)
      throws IOException {
    return Submission.start(
        name, Files.createDirectories(home), conf, List.of("-Xmx768m"), arguments);
  }

  /** How the output of a process ends. */
  static String end(ChildJvm process) {
    List<String> lines = process.output().lines().toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
  }

  @Override
  public void close() {
    broker.close();
    Folders.delete(folder);
  }
}
