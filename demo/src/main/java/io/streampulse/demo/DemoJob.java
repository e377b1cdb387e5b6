package io.streampulse.demo;

import static org.apache.spark.sql.functions.avg;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.percentile_approx;
import static org.apache.spark.sql.functions.udf;
import static org.apache.spark.sql.functions.unix_millis;

import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;
import org.apache.spark.api.java.function.FilterFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamReader;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.DataTypes;

/**
 * The watched job of the demo: five streaming queries in one application. It is an ordinary Spark
 * job and knows nothing of Streampulse; the agent comes by conf.
 */
public final class DemoJob {
  static final String HEALTHY = "clicks-healthy";
  static final String FALLS_BEHIND = "images-fall-behind";
  static final String FAILS = "payments-fail";
  static final String FROM_KAFKA = "orders-from-kafka";
  static final String HANGS = "reports-hang";

  /** The queries, in the order in which they are shown. */
  static final List<String> QUERIES = List.of(HEALTHY, FALLS_BEHIND, FAILS, FROM_KAFKA, HANGS);

  private static final int BEFORE_SPARK_STOPS = 60;
  private static final int ROWS_PER_SECOND = 50;
  private static final long FIRST_UNREADABLE_PAYMENT = 60;
  private static final long FIRST_ENDLESS_REPORT = 30;
  private static final long SLOW_MILLIS_PER_ROW = 25;
  private static final long SLOW_FROM_SECOND = 50;
  private static final long SLOW_UNTIL_SECOND = 80;
  private static final long SLOW_EVERY_SECONDS = 120;

  private final SparkSession spark;
  private final Path checkpoints;

  private DemoJob(SparkSession spark, Path checkpoints) {
    this.spark = spark;
    this.checkpoints = checkpoints;
  }

  /**
   * Arguments: the folder for checkpoints, the topic of orders, the file with the Kafka client's
   * settings.
   */
  public static void main(String... arguments) throws Exception {
    SparkSession spark = SparkSession.builder().getOrCreate();
    DemoJob job = new DemoJob(spark, Path.of(arguments[0]));
    Map<String, String> kafka = Settings.read(Path.of(arguments[2]));
    job.start(HEALTHY, job.clicks());
    job.start(FALLS_BEHIND, job.images(Instant.now()));
    job.start(FAILS, job.payments());
    job.start(FROM_KAFKA, job.orders(arguments[1], kafka));
    job.start(HANGS, job.reports());
    ShutdownHookManager.get().addShutdownHook(job::stop, BEFORE_SPARK_STOPS, 60, TimeUnit.SECONDS);
    while (true) {
      spark.streams().resetTerminated();
      try {
        spark.streams().awaitAnyTermination();
      } catch (org.apache.spark.sql.streaming.StreamingQueryException e) {
        System.err.println("A query has failed, as it is meant to: " + e.getMessage());
      }
    }
  }

  /** A rate that Spark processes with ease. */
  private Dataset<Row> clicks() {
    return rate(ROWS_PER_SECOND);
  }

  /** For 30 of every 120 seconds each row takes longer than the time to the next one. */
  private Dataset<Row> images(Instant start) {
    long startMillis = start.toEpochMilli();
    return rate(ROWS_PER_SECOND)
        .filter(
            (FilterFunction<Row>)
                row -> {
                  long second =
                      (System.currentTimeMillis() - startMillis) / 1000 % SLOW_EVERY_SECONDS;
                  if (second >= SLOW_FROM_SECOND && second < SLOW_UNTIL_SECOND) {
                    Thread.sleep(SLOW_MILLIS_PER_ROW);
                  }
                  return true;
                });
  }

  /** After some batches comes a payment that can't be read. */
  private Dataset<Row> payments() {
    return rate(5)
        .filter(
            (FilterFunction<Row>)
                row -> {
                  long payment = row.getLong(row.fieldIndex("value"));
                  if (payment >= FIRST_UNREADABLE_PAYMENT) {
                    throw new IllegalStateException("Payment " + payment + " has no currency");
                  }
                  return true;
                });
  }

  /** After some batches comes a report that takes for ever. */
  private Dataset<Row> reports() {
    return rate(5)
        .filter(
            (FilterFunction<Row>)
                row -> {
                  if (row.<Long>getAs("value") >= FIRST_ENDLESS_REPORT) {
                    TimeUnit.HOURS.sleep(1);
                  }
                  return true;
                });
  }

  /**
   * Orders from Kafka, fewer per batch than arrive at peaks, so that there is a lag; the latency
   * from the order's timestamp to the sink is measured with the Observe API.
   */
  private Dataset<Row> orders(String topic, Map<String, String> kafka) {
    DataStreamReader reader =
        spark
            .readStream()
            .format("kafka")
            .option("subscribe", topic)
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", "120");
    kafka.forEach((name, value) -> reader.option("kafka." + name, value));
    return reader
        .load()
        .withColumn(
            "now",
            udf(() -> Timestamp.from(Instant.now()), DataTypes.TimestampType)
                .asNondeterministic()
                .apply())
        .withColumn("latency", unix_millis(col("now")).minus(unix_millis(col("timestamp"))))
        .observe(
            "observedLatency",
            avg(col("latency")).alias("avg"),
            max(col("latency")).alias("max"),
            percentile_approx(col("latency"), lit(0.99), lit(150)).alias("p99"),
            percentile_approx(col("latency"), lit(0.5), lit(150)).alias("p50"))
        .drop("now", "latency");
  }

  private Dataset<Row> rate(int rowsPerSecond) {
    return spark
        .readStream()
        .format("rate")
        .option("rowsPerSecond", rowsPerSecond)
        .option("numPartitions", 1)
        .load();
  }

  private void start(String name, Dataset<Row> rows) throws Exception {
    DataStreamWriter<Row> writer =
        rows.writeStream()
            .queryName(name)
            .format("noop")
            .option("checkpointLocation", checkpoints.resolve(name).toString())
            .trigger(Trigger.ProcessingTime(2000));
    StreamingQuery query = writer.start();
    System.out.println("Started query " + name + ", id " + query.id());
  }

  private void stop() {
    for (StreamingQuery query : spark.streams().active()) {
      try {
        query.stop();
      } catch (java.util.concurrent.TimeoutException e) {
        System.err.println("Query " + query.name() + " did not stop in time");
      }
    }
  }
}
