package io.streampulse.demo;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/**
 * What one would write first: the controls of the crash test. It appends the coordinates of Kafka
 * messages to a Delta table under async progress tracking, in one of three ways that lose or double
 * rows.
 */
public final class NaiveConsumer {
  private static final int BEFORE_SPARK = 60;

  private NaiveConsumer() {}

  /** The ways. */
  public enum Way {
    /** The Delta sink, the check of sinks overridden. */
    DELTA_SINK,
    /** foreachBatch that appends and nothing else. */
    NO_GUARD,
    /** foreachBatch with Delta's documented idempotence: the batch id as transaction version. */
    BATCH_ID
  }

  /** Arguments: way, topic, client settings file, table folder, checkpoint, interval in ms. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    StreamingQuery query = start(spark, arguments);
    ShutdownHookManager.get()
        .addShutdownHook(() -> stop(query), BEFORE_SPARK, 60, TimeUnit.SECONDS);
    long told = -1;
    while (!query.awaitTermination(200)) {
      StreamingQueryProgress last = query.lastProgress();
      if (last != null && last.batchId() != told) {
        told = last.batchId();
        System.out.println("position " + last.sources()[0].endOffset());
        System.out.flush();
      }
    }
  }

  private static StreamingQuery start(SparkSession spark, String... arguments) throws Exception {
    Way way = Way.valueOf(arguments[0]);
    Map<String, String> client = Settings.read(Path.of(arguments[2]));
    String table = arguments[3];
    Dataset<Row> rows =
        spark
            .readStream()
            .format("kafka")
            .options(prefixed(client))
            .option("subscribe", arguments[1])
            .option("startingOffsets", "earliest")
            .load()
            .select(functions.struct("topic", "partition", "offset", "timestamp").as("kafka"));
    DataStreamWriter<Row> writer =
        rows.writeStream()
            .option("checkpointLocation", arguments[4])
            .option("asyncProgressTrackingEnabled", "true")
            .option("asyncProgressTrackingCheckpointIntervalMs", arguments[5])
            .option("_asyncProgressTrackingOverrideSinkSupportCheck", "true")
            .trigger(Trigger.ProcessingTime(200));
    return switch (way) {
      case DELTA_SINK -> writer.format("delta").start(table);
      case NO_GUARD ->
          writer
              .foreachBatch(
                  (Dataset<Row> batch, Long id) ->
                      batch.write().format("delta").mode("append").save(table))
              .start();
      case BATCH_ID ->
          writer
              .foreachBatch(
                  (Dataset<Row> batch, Long id) ->
                      batch
                          .write()
                          .format("delta")
                          .mode("append")
                          .option("txnAppId", "naive")
                          .option("txnVersion", id)
                          .save(table))
              .start();
    };
  }

  private static Map<String, String> prefixed(Map<String, String> client) {
    Map<String, String> options = new TreeMap<>();
    client.forEach((name, value) -> options.put("kafka." + name, value));
    return options;
  }

  private static void stop(StreamingQuery query) {
    try {
      query.stop();
    } catch (TimeoutException e) {
      System.out.println("did not stop in time: " + e.getMessage());
    }
  }
}
