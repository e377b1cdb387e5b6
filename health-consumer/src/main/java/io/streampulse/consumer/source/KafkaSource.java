package io.streampulse.consumer.source;

import io.streampulse.consumer.ConsumerConfig;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;

/** Spark's Kafka source over the health topic, with the user's client settings untouched. */
public final class KafkaSource {
  private KafkaSource() {}

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
    config.kafka().forEach((name, value) -> reader.option("kafka." + name, value));
    return reader.load();
  }
}
