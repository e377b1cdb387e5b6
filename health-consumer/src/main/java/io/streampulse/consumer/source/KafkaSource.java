package io.streampulse.consumer.source;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.session.SessionDefault;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's Kafka source over the health topic, with the client settings of the user's connection.
 */
public final class KafkaSource {
  /**
   * Spark asks for the topic's ends by Kafka's admin client, which begins with a question about no
   * topic; Event Hubs closes the connection on it where the login has rights on one event hub only.
   */
  private static final String OFFSETS_BY_CONSUMER =
      "spark.sql.streaming.kafka.useDeprecatedOffsetFetching";

  private static final String KAFKAS_PATIENCE_MS = "60000";

  private static final Logger LOG = LoggerFactory.getLogger(KafkaSource.class);

  private KafkaSource() {}

  /**
   * Starts a query over the source, which takes the session's conf as it is at that moment.
   *
   * @throws TimeoutException if it does not start in time
   * @throws RuntimeException if the broker does not answer, where Spark would wait without an end
   */
  public static StreamingQuery start(
      SparkSession spark, ConsumerConfig config, DataStreamWriter<Row> writer)
      throws TimeoutException {
    if (usesConsumerForOffsets(spark, config)) {
      look(config);
    }
    return config.kafka().isEventHubs()
        ? SessionDefault.during(spark, OFFSETS_BY_CONSUMER, "true", writer::start)
        : writer.start();
  }

  /**
   * Whether Spark looks up the topic's ends by a consumer, which waits for an answer without an
   * end, and not by its admin client, which has a limit.
   */
  public static boolean usesConsumerForOffsets(SparkSession spark, ConsumerConfig config) {
    return SessionDefault.isSet(spark, OFFSETS_BY_CONSUMER)
        ? Boolean.parseBoolean(spark.conf().get(OFFSETS_BY_CONSUMER))
        : config.kafka().isEventHubs();
  }

  /** A watchdog over a query that {@link #usesConsumerForOffsets}. */
  public static SourceWatchdog watchdog(
      ConsumerConfig config, StreamingQuery query, BooleanSupplier inBatch) {
    Duration patience = patience(config);
    return new SourceWatchdog(
        query.runId(),
        patience,
        () -> !inBatch.getAsBoolean() && isAtWork(query.status()),
        () -> {
          if (!look(config)) {
            throw new SourceSilentException(
                ("the broker does not answer: Spark has waited %d s for the offsets of topic %s:"
                        + " check spark.streampulse.kafka.bootstrap.servers and the way to it"
                        + " (firewall, proxy)")
                    .formatted(patience.toSeconds(), config.topic()));
          }
        },
        System::nanoTime);
  }

  private static boolean isAtWork(StreamingQueryStatus status) {
    return status.isTriggerActive() || status.message().startsWith("Initializing");
  }

  /**
   * Asks for the topic with a client of our own, which has a limit.
   *
   * @return false if that client is not there
   */
  private static boolean look(ConsumerConfig config) {
    try {
      new TopicRange(config.kafka(), config.topic()).requireAnswer();
      return true;
    } catch (LinkageError e) {
      LOG.debug("Kafka's client has another name here: the topic is not looked at", e);
      return false;
    }
  }

  private static Duration patience(ConsumerConfig config) {
    return Duration.ofMillis(
        Long.parseLong(
            config.kafka().asMap().getOrDefault("default.api.timeout.ms", KAFKAS_PATIENCE_MS)));
  }

  public static Dataset<Row> read(SparkSession spark, ConsumerConfig config) {
    DataStreamReader reader =
        spark
            .readStream()
            .format("kafka")
            .option("subscribe", config.topic())
            .option("startingOffsets", config.startingOffsets())
            .option("includeHeaders", "true")
            .option("failOnDataLoss", "true");
    config.maxOffsetsPerTrigger().ifPresent(max -> reader.option("maxOffsetsPerTrigger", max));
    config.minPartitions().ifPresent(min -> reader.option("minPartitions", min));
    if (config.kafka().isEventHubs()) {
      reader.option("kafka.session.timeout.ms", "30000"); // as Microsoft recommends
    }
    config.kafka().asMap().forEach((name, value) -> reader.option("kafka." + name, value));
    return reader.load();
  }
}
