package io.streampulse.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/** A watched job: some queries with a micro-batch every half second, until it is ended. */
public final class SteadyJob {
  private static final int TRIGGER_MILLIS = 500;

  private SteadyJob() {}

  /** Arguments: how many queries, the folder for checkpoints. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
      spark
          .readStream()
          .format("rate-micro-batch")
          .option("rowsPerBatch", 10)
          .option("numPartitions", 1)
          .load()
          .writeStream()
          .format("noop")
          .queryName("steady-" + i)
          .option("checkpointLocation", Path.of(arguments[1], "steady-" + i).toString())
          .trigger(Trigger.ProcessingTime(TRIGGER_MILLIS))
          .start();
    }
    new CountDownLatch(1).await();
  }
}
