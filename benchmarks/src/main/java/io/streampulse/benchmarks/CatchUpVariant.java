package io.streampulse.benchmarks;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** A way to get through a topic's backlog, on two cores. */
enum CatchUpVariant {
  /** Kafka's client polls all messages and does nothing with them: the limit. */
  POLL("poll and discard") {
    @Override
    Outcome run(SparkSession spark, Settings settings) throws Exception {
      return new Outcome(poll(settings), 0);
    }
  },

  /** A batch of Spark copies the messages as they are into a Delta table. */
  COPY("Spark batch, raw value to Delta") {
    @Override
    Outcome run(SparkSession spark, Settings settings) {
      return append(spark, messages(spark, settings), settings);
    }
  },

  /**
   * A batch of Spark decodes one schema and appends to a Delta table: what a job without the
   * consumer does, which trusts every message to have that schema.
   */
  DECODE("Spark batch, from_avro to Delta") {
    @Override
    Outcome run(SparkSession spark, Settings settings) {
      Dataset<Row> records =
          messages(spark, settings)
              .select(
                  org.apache
                      .spark
                      .sql
                      .avro
                      .functions
                      .from_avro(
                          functions.substring(functions.col("value"), HEADER + 1, MOST_BYTES),
                          HealthRecord.getClassSchema().toString())
                      .as("record"))
              .select("record.*");
      return append(spark, records, settings);
    }
  },

  /** The consumer: new checkpoint, new table, until all is read. */
  CONSUMER("the consumer, exactly once") {
    @Override
    Outcome run(SparkSession spark, Settings settings) throws Exception {
      long start = System.nanoTime();
      HealthConsumer consumer =
          HealthConsumer.start(spark, ConsumerConfig.read(settings.consumer()));
      double seconds = (System.nanoTime() - start) / 1e9;
      consumer.awaitTermination();
      String table = settings.consumer().get("spark.streampulse.consumer.table");
      return new Outcome(spark.table(table).count(), seconds);
    }
  };

  static final int CORES = 2;

  /** Marker, version and fingerprint of a single-object message. */
  private static final int HEADER = 10;

  private static final int MOST_BYTES = 10_000_000;

  private final String title;

  CatchUpVariant(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }

  static CatchUpVariant parse(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** Gets through all of it once. */
  abstract Outcome run(SparkSession spark, Settings settings) throws Exception;

  private static Dataset<Row> messages(SparkSession spark, Settings settings) {
    var reader =
        spark
            .read()
            .format("kafka")
            .option("subscribe", settings.topic())
            .option("startingOffsets", "earliest")
            .option("endingOffsets", "latest");
    settings.client().forEach((name, value) -> reader.option("kafka." + name, value));
    return reader.load().select("value");
  }

  private static Outcome append(SparkSession spark, Dataset<Row> rows, Settings settings) {
    rows.write().format("delta").mode("append").save(settings.table());
    return new Outcome(spark.read().format("delta").load(settings.table()).count(), 0);
  }

  private static long poll(Settings settings) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CORES);
    try {
      List<Callable<Long>> shares = new ArrayList<>();
      for (int core = 0; core < CORES; core++) {
        int share = core;
        shares.add(() -> poll(settings, share));
      }
      long records = 0;
      for (Future<Long> share : threads.invokeAll(shares)) {
        records += share.get();
      }
      return records;
    } finally {
      threads.shutdownNow();
    }
  }

  private static long poll(Settings settings, int share) {
    Properties properties = new Properties();
    properties.putAll(settings.client());
    properties.put("enable.auto.commit", "false");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      int partitions = consumer.partitionsFor(settings.topic()).size();
      List<TopicPartition> assigned =
          IntStream.range(0, partitions)
              .filter(partition -> partition % CORES == share)
              .mapToObj(partition -> new TopicPartition(settings.topic(), partition))
              .toList();
      consumer.assign(assigned);
      consumer.seekToBeginning(assigned);
      Map<TopicPartition, Long> ends = consumer.endOffsets(assigned);
      long records = 0;
      while (assigned.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        records += consumer.poll(Duration.ofSeconds(1)).count();
      }
      return records;
    }
  }

  /**
   * How it went.
   *
   * @param records how many were read, or are in the table
   * @param startSeconds of the time, what the consumer's run took to start: tables, fence, query
   */
  record Outcome(long records, double startSeconds) {}

  /**
   * What to get through.
   *
   * @param consumer the consumer's conf, which the other variants take topic and client from
   */
  record Settings(Map<String, String> consumer) {
    private static final String CLIENT = "spark.streampulse.kafka.";

    String topic() {
      return consumer.get("spark.streampulse.topic");
    }

    String table() {
      return consumer.get("spark.streampulse.consumer.table-location");
    }

    Map<String, String> client() {
      Map<String, String> client = new TreeMap<>();
      consumer.forEach(
          (name, value) -> {
            if (name.startsWith(CLIENT)) {
              client.put(name.substring(CLIENT.length()), value);
            }
          });
      return client;
    }
  }
}
