package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/** A job with a micro-batch every 100 ms; prints how long each took, after a warm-up. */
public final class BatchJob {
  /** How many progresses the query has to keep, so that none that counts is forgotten. */
  static final String KEPT_PROGRESSES = "spark.sql.streaming.numRecentProgressUpdates";

  private BatchJob() {}

  /** Arguments: seconds of warm-up, seconds that count. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    StreamingQuery query = start(spark);
    TimeUnit.SECONDS.sleep(Long.parseLong(arguments[0]));
    for (long millis : batchMillis(query, Long.parseLong(arguments[1]))) {
      System.out.println("batch took " + millis + " ms");
    }
    query.stop();
    spark.stop();
  }

  /** Starts the job's query. */
  static StreamingQuery start(SparkSession spark) throws TimeoutException {
    return query(spark, "batches", 100).start();
  }

  /** A query of ten rows for each trigger. */
  static DataStreamWriter<Row> query(SparkSession spark, String name, long triggerMillis) {
    return spark
        .readStream()
        // The rate source moves on once a second only; this one with each trigger.
        .format("rate-micro-batch")
        .option("rowsPerBatch", 10)
        .option("numPartitions", 1)
        .load()
        .writeStream()
        .format("noop")
        .queryName(name)
        .trigger(Trigger.ProcessingTime(triggerMillis));
  }

  /** How long the batches of the next seconds take. */
  static List<Long> batchMillis(StreamingQuery query, long seconds) throws InterruptedException {
    long from = query.lastProgress().batchId();
    TimeUnit.SECONDS.sleep(seconds);
    List<Long> millis = new ArrayList<>();
    for (StreamingQueryProgress progress : query.recentProgress()) {
      if (progress.batchId() > from) {
        millis.add(progress.batchDuration());
      }
    }
    return millis;
  }
}
