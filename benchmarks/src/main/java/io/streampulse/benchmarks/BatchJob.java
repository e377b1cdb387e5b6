package io.streampulse.benchmarks;

import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/** A job with a micro-batch every 100 ms; prints how long each took, after a warm-up. */
public final class BatchJob {
  private BatchJob() {}

  /** Arguments: seconds of warm-up, seconds that count. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    StreamingQuery query =
        spark
            .readStream()
            // The rate source moves on once a second only; this one with each trigger.
            .format("rate-micro-batch")
            .option("rowsPerBatch", 10)
            .option("numPartitions", 1)
            .load()
            .writeStream()
            .format("noop")
            .queryName("batches")
            .trigger(Trigger.ProcessingTime(100))
            .start();
    TimeUnit.SECONDS.sleep(Long.parseLong(arguments[0]));
    long from = query.lastProgress().batchId();
    TimeUnit.SECONDS.sleep(Long.parseLong(arguments[1]));
    query.stop();
    for (StreamingQueryProgress progress : query.recentProgress()) {
      if (progress.batchId() > from) {
        System.out.println("batch took " + progress.batchDuration() + " ms");
      }
    }
    spark.stop();
  }
}
