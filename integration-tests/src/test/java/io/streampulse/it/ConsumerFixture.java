package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.append.Positions;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthMessages;
import io.streampulse.testing.HealthTopic;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.awaitility.core.ConditionTimeoutException;
import picocli.CommandLine;

/** A topic of its own, a table of its own, and a consumer in this JVM that may be started often. */
final class ConsumerFixture implements AutoCloseable {
  private static final String PREFIX = "spark.streampulse.consumer.";

  final String topic;
  final String table;
  final Path folder;
  final HealthMessages messages;
  final Map<String, String> conf;

  /** Where the table's files are, for consumers in processes of their own. */
  Path location;

  /** A fixture with an empty topic. */
  ConsumerFixture(String name, int partitions) {
    topic = name;
    table = "spark_catalog.%s.streaming_health".formatted(name.replace('-', '_'));
    folder = Environment.newFolder(name);
    location = folder.resolve("table");
    Environment.broker().createTopic(topic, partitions);
    messages = new HealthMessages(Environment.broker().plainClient(), topic);
    conf = Environment.consumerConf(Environment.broker().plainClient(), topic, folder, table);
    set("trigger", "200ms");
  }

  /** Sets one of the consumer's settings for the starts to come. */
  ConsumerFixture set(String name, String value) {
    conf.put(PREFIX + name, value);
    return this;
  }

  Path checkpoint() {
    return Path.of(conf.get(PREFIX + "checkpoint"));
  }

  /**
   * One of the consumer's commands with its settings, in this JVM and its session.
   *
   * @return all it printed
   */
  String command(int exitCode, Object command, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    conf.forEach((name, value) -> all.addAll(List.of("--conf", name + "=" + value)));
    StringWriter printed = new StringWriter();
    PrintWriter out = new PrintWriter(printed, true);
    int code = new CommandLine(command).setOut(out).setErr(out).execute(all.toArray(String[]::new));
    assertThat(code).as(printed.toString()).isEqualTo(exitCode);
    return printed.toString();
  }

  HealthConsumer start() {
    return HealthConsumer.start(Environment.spark(), ConsumerConfig.read(conf));
  }

  /** Runs a consumer until it has read and appended all that is in the topic, then stops it. */
  void runUntilCaughtUp() {
    run(this::awaitCaughtUp);
  }

  /** Runs a consumer around some work, then stops it. */
  void run(Work work) {
    HealthConsumer consumer = start();
    try {
      work.run(consumer);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    } finally {
      consumer.stop(Duration.ofSeconds(30));
    }
  }

  /** Waits until a batch is done that ends where the topic ends. */
  void awaitCaughtUp(HealthConsumer consumer) {
    Map<Integer, Long> ends = HealthTopic.ends(Environment.broker(), topic);
    await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> {
              if (!consumer.query().isActive()) {
                consumer.awaitTermination();
              }
              StreamingQueryProgress last = consumer.query().lastProgress();
              return last != null
                  && Positions.after(last, topic).map(Positions::next).equals(Optional.of(ends));
            });
  }

  /** The health table by its files; another process may have made it. */
  Dataset<Row> files() {
    return Environment.spark().read().format("delta").load(location.toString());
  }

  /** How many rows both tables have by their files; none where they are not there yet. */
  long filesRows() {
    long rows = 0;
    for (Path files : List.of(location, Path.of(location + "_quarantine"))) {
      if (Files.exists(files.resolve("_delta_log/00000000000000000000.json"))) {
        rows += Environment.spark().read().format("delta").load(files.toString()).count();
      }
    }
    return rows;
  }

  /** Waits until the tables have as many rows by their files, while a consumer runs. */
  void awaitFilesRows(ChildJvm consumer, long rows) {
    try {
      await()
          .atMost(Duration.ofMinutes(4))
          .pollInterval(Duration.ofMillis(500))
          .until(() -> !consumer.isAlive() || filesRows() >= rows);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(
          "%d of %d rows; the consumer said:%n%s".formatted(filesRows(), rows, consumer.output()),
          e);
    }
    assertThat(consumer.isAlive()).as(consumer.output()).isTrue();
  }

  /** Makes tables known to this session that another process has made. */
  void register() {
    Environment.spark()
        .sql("CREATE SCHEMA IF NOT EXISTS " + table.substring(0, table.lastIndexOf('.')));
    for (String suffix : List.of("", "_quarantine")) {
      Environment.spark()
          .sql(
              "CREATE TABLE IF NOT EXISTS %s%s USING DELTA LOCATION '%s%s'"
                  .formatted(table, suffix, location, suffix));
    }
  }

  Dataset<Row> rows(String name) {
    return Environment.spark().table(name);
  }

  /** The numbers in the table, each as often as it is there. */
  List<Long> numbers() {
    return rows(table)
        .where("agentId = '" + HealthMessages.AGENT + "'")
        .select("sequence")
        .orderBy("sequence")
        .collectAsList()
        .stream()
        .map(row -> row.getLong(0))
        .toList();
  }

  /** Every message of the topic is in one of the two tables, once; and nothing else is. */
  void assertExactlyOnce() {
    assertThat(coordinates()).isEqualTo(topicCoordinates());
  }

  /** {@code partition/offset/timestamp} of all rows with how often each is there. */
  Map<String, Integer> coordinates() {
    Map<String, Integer> found = new TreeMap<>();
    for (String name : List.of(table, table + "_quarantine")) {
      for (Row row :
          rows(name)
              .selectExpr("kafka.partition", "kafka.offset", "unix_millis(kafka.timestamp)")
              .collectAsList()) {
        found.merge(row.getInt(0) + "/" + row.getLong(1) + "/" + row.getLong(2), 1, Integer::sum);
      }
    }
    return found;
  }

  /** {@code partition/offset/timestamp} of the topic's messages, each once. */
  Map<String, Integer> topicCoordinates() {
    return HealthTopic.coordinates(Environment.broker(), topic).stream()
        .collect(Collectors.toMap(coordinates -> coordinates, coordinates -> 1));
  }

  /** Deletes the topic and makes it anew with the records from (included) to (excluded). */
  void makeTopicAnew(long from, long to) {
    Environment.broker().deleteTopic(topic);
    await()
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(
            () -> {
              Environment.broker().createTopic(topic, 1);
              try (HealthMessages anew =
                  new HealthMessages(Environment.broker().plainClient(), topic)) {
                anew.send(from, to);
              }
              return true;
            });
  }

  /** Waits until a consumer in a process of its own says that it runs. */
  static void awaitBanner(ChildJvm consumer) {
    await()
        .atMost(Duration.ofMinutes(2))
        .until(() -> consumer.output().contains("health-consumer: topic") || !consumer.isAlive());
    assertThat(consumer.isAlive()).as(consumer.output()).isTrue();
  }

  /** Commits of the health table by the consumer: operation of each version, newest first. */
  List<Row> history() {
    return Environment.spark().sql("DESCRIBE HISTORY " + table).collectAsList();
  }

  @Override
  public void close() {
    messages.close();
  }

  /** Work while a consumer runs. */
  interface Work {
    void run(HealthConsumer consumer) throws Exception;
  }
}
