package io.streampulse.it;

import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A customer's job for every supported Spark: compiled once, it uses only methods whose signatures
 * are the same in all of them. One query reads Kafka, so that Spark's Kafka client and the agent's
 * live in one JVM, and one has state and fails in the end.
 */
public final class MatrixJob {
  private static final int BATCHES = 4;
  private static final String CLIENT = "spark.matrix.kafka.";

  private MatrixJob() {}

  /** Argument: the input topic. Checkpoints and the client's settings come by conf. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    DataStreamReader kafka =
        spark
            .readStream()
            .format("kafka")
            .option("subscribe", arguments[0])
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", 10L);
    for (scala.Tuple2<String, String> entry : spark.sparkContext().getConf().getAll()) {
      if (entry._1().startsWith(CLIENT)) {
        kafka = kafka.option("kafka." + entry._1().substring(CLIENT.length()), entry._2());
      }
    }
    StreamingQuery fromKafka = start(kafka.load(), "matrix-kafka");
    StreamingQuery stateful =
        start(
            spark
                .readStream()
                .format("rate")
                .option("rowsPerSecond", 20L)
                .load()
                .withWatermark("timestamp", "10 seconds")
                .selectExpr("timestamp", "assert_true(value < 60, 'too many rows')"),
            "matrix-fails");
    while (batches(fromKafka) < BATCHES) {
      Thread.sleep(50);
    }
    fromKafka.stop();
    try {
      stateful.awaitTermination();
    } catch (org.apache.spark.sql.streaming.StreamingQueryException e) {
      // As it should: the record of its end is what the test looks at.
    }
    spark.stop();
  }

  private static long batches(StreamingQuery query) {
    return query.lastProgress() == null ? 0 : query.lastProgress().batchId() + 1;
  }

  private static StreamingQuery start(Dataset<Row> rows, String name) throws Exception {
    return rows.writeStream()
        .format("noop")
        .queryName(name)
        .trigger(Trigger.ProcessingTime(300))
        .start();
  }

  static Map<String, String> conf(Map<String, String> kafkaClient) {
    Map<String, String> conf = new java.util.TreeMap<>();
    kafkaClient.forEach((name, value) -> conf.put(CLIENT + name, value));
    return conf;
  }
}
