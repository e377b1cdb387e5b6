package io.streampulse.consumer.source;

import io.streampulse.consumer.ConsumerConfig;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;

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

  private KafkaSource() {}

  /**
   * Starts a query over the source, which takes the session's conf as it is at that moment.
   *
   * @throws TimeoutException if it does not start in time
   */
  public static StreamingQuery start(
      SparkSession spark, ConsumerConfig config, DataStreamWriter<Row> writer)
      throws TimeoutException {
    // Only what is set: a look-up would answer with Spark's default.
    if (!config.kafka().isEventHubs() || spark.conf().getAll().contains(OFFSETS_BY_CONSUMER)) {
      return writer.start();
    }
    spark.conf().set(OFFSETS_BY_CONSUMER, "true");
    try {
      return writer.start();
    } finally {
      spark.conf().unset(OFFSETS_BY_CONSUMER);
    }
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
