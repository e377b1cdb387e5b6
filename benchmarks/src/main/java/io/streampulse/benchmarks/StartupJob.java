package io.streampulse.benchmarks;

import java.lang.management.ManagementFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;

/** A job that prints how long after its JVM's start its first micro-batch was done, and is gone. */
public final class StartupJob {
  private StartupJob() {}

  /** No arguments. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    StreamingQuery query =
        spark
            .readStream()
            .format("rate")
            .option("numPartitions", 1)
            .load()
            .writeStream()
            .format("noop")
            .queryName("first")
            .start();
    while (query.lastProgress() == null && query.isActive()) {
      Thread.sleep(1);
    }
    if (query.lastProgress() == null) {
      throw new IllegalStateException("The query ended before its first batch");
    }
    long started = ManagementFactory.getRuntimeMXBean().getStartTime();
    System.out.printf("first batch after %d ms%n", System.currentTimeMillis() - started);
    System.out.flush();
    // What the end of a job takes is not measured here.
    Runtime.getRuntime().halt(0);
  }
}
