package io.streampulse.it;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A customer's job that ends in one of the ways jobs end. It uses only what is the same in all
 * supported Spark versions, since it is compiled once.
 */
public final class EndingJob {
  private EndingJob() {}

  /** Arguments: the way to end, the checkpoint folder. */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    switch (arguments[0]) {
      case "available-now" -> {
        // Returns as soon as the query has ended, before Spark tells its listeners.
        spark.range(100).write().mode("overwrite").parquet(arguments[1] + "-input");
        start(
                spark.readStream().schema("id LONG").parquet(arguments[1] + "-input"),
                arguments[1],
                Trigger.AvailableNow())
            .awaitTermination();
      }
      case "exit" -> {
        runSomeBatches(spark, arguments[1]);
        System.exit(0);
      }
      case "stop-context" -> {
        runSomeBatches(spark, arguments[1]);
        spark.stop();
      }
      case "slow-sibling" -> {
        spark.streams().addListener(new SlowListener());
        runSomeBatches(spark, arguments[1]);
        for (StreamingQuery query : spark.streams().active()) {
          query.stop();
        }
        spark.stop();
      }
      case "attached-in-code" -> {
        // By name, since the job is compiled without the agent.
        AutoCloseable health =
            (AutoCloseable)
                Thread.currentThread()
                    .getContextClassLoader()
                    .loadClass("io.streampulse.agent.StreamPulse")
                    .getMethod("attach", SparkSession.class)
                    .invoke(null, spark);
        runSomeBatches(spark, arguments[1]);
        spark.streams().active()[0].stop();
        health.close();
        System.out.println("listeners left: " + spark.streams().listListeners().length);
        spark.stop();
      }
      case "return" -> runSomeBatches(spark, arguments[1]);
      case "fail" -> {
        runSomeBatches(spark, arguments[1]);
        throw new IllegalStateException("The job has failed, as it should");
      }
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  private static void runSomeBatches(SparkSession spark, String checkpoint) throws Exception {
    StreamingQuery query =
        start(
            spark.readStream().format("rate").option("rowsPerSecond", 20).load(),
            checkpoint,
            Trigger.ProcessingTime(200));
    while (query.lastProgress() == null || query.lastProgress().batchId() < 3) {
      Thread.sleep(20);
    }
  }

  private static StreamingQuery start(Dataset<Row> rows, String checkpoint, Trigger trigger)
      throws Exception {
    return rows.writeStream()
        .format("noop")
        .queryName("ending")
        .option("checkpointLocation", checkpoint)
        .trigger(trigger)
        .start();
  }

  /** Someone else's listener, on the thread that all listeners share. */
  private static final class SlowListener extends StreamingQueryListener {
    private static final long serialVersionUID = 1L;

    @Override
    public void onQueryStarted(QueryStartedEvent event) {}

    @Override
    public void onQueryProgress(QueryProgressEvent event) {
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
    }

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {}
  }
}
