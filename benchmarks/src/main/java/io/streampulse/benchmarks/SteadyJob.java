package io.streampulse.benchmarks;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.apache.spark.sql.SparkSession;

/** A watched job: some queries with a micro-batch every half second, until it is ended. */
public final class SteadyJob {
  private static final int TRIGGER_MILLIS = 500;

  private SteadyJob() {}

  /** Arguments: how many queries, the folder for checkpoints. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
      String name = "steady-" + i;
      BatchJob.query(spark, name, TRIGGER_MILLIS)
          .option("checkpointLocation", Path.of(arguments[1], name).toString())
          .start();
    }
    new CountDownLatch(1).await();
  }
}
