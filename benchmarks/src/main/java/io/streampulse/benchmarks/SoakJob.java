package io.streampulse.benchmarks;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/**
 * The watched job of the soak: some queries with short batches, one of them started anew all the
 * time. Says once a minute how much heap is in use after a collection.
 */
public final class SoakJob {
  private static final int STEADY_QUERIES = 3;
  private static final int BEFORE_SPARK_STOPS = 60;

  private SoakJob() {}

  /** Argument: the folder for checkpoints. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    Path checkpoints = Path.of(arguments[0]);
    for (int i = 0; i < STEADY_QUERIES; i++) {
      start(spark, "steady-" + i, checkpoints, 250L * (i + 1));
    }
    ShutdownHookManager.get()
        .addShutdownHook(() -> stopAll(spark), BEFORE_SPARK_STOPS, 60, TimeUnit.SECONDS);
    while (true) {
      StreamingQuery restarted = start(spark, "restarted", checkpoints, 500);
      TimeUnit.SECONDS.sleep(60);
      restarted.stop();
      System.gc();
      System.out.printf(
          "%s heap in use %d MB%n",
          Instant.now(),
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1_000_000);
    }
  }

  private static StreamingQuery start(
      SparkSession spark, String name, Path checkpoints, long triggerMillis) throws Exception {
    return spark
        .readStream()
        .format("rate")
        .option("rowsPerSecond", 20)
        .option("numPartitions", 1)
        .load()
        .writeStream()
        .format("noop")
        .queryName(name)
        .option("checkpointLocation", checkpoints.resolve(name).toString())
        .trigger(Trigger.ProcessingTime(triggerMillis))
        .start();
  }

  private static void stopAll(SparkSession spark) {
    for (StreamingQuery query : spark.streams().active()) {
      try {
        query.stop();
      } catch (java.util.concurrent.TimeoutException e) {
        System.err.println("Query " + query.name() + " did not stop in time");
      }
    }
  }
}
