package io.streampulse.it;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A customer's jobs, each for some seconds: a rate source, or where the conf has options below
 * {@code job.kafka.} Spark's own Kafka source, with a login of its own.
 */
public final class JobsInTurn {
  private static final String KAFKA = "job.kafka.";

  /** The setting that makes a job last longer. */
  static final String SECONDS = "job.seconds";

  private static final String LEAST_SECONDS = "2";
  private static final long MOST_MILLIS = 40_000;

  private JobsInTurn() {}

  /** Arguments: files with Spark conf. */
  public static void main(String... files) throws Exception {
    Turns.each(files, JobsInTurn::run);
  }

  private static String run(Path file, Properties properties) throws Exception {
    SparkConf conf = new SparkConf();
    properties.stringPropertyNames().stream()
        .filter(name -> name.startsWith("spark."))
        .forEach(name -> conf.set(name, properties.getProperty(name)));
    if (properties.containsKey(Turns.TRACES)) {
      Traces.logEverything();
    }
    SparkSession spark = SparkSession.builder().config(conf).getOrCreate();
    try {
      return query(spark, properties, file.resolveSibling(file.getFileName() + ".checkpoint"));
    } finally {
      spark.stop();
      SparkSession.clearActiveSession();
      SparkSession.clearDefaultSession();
    }
  }

  private static String query(SparkSession spark, Properties properties, Path checkpoint)
      throws Exception {
    StreamingQuery query =
        source(spark, properties)
            .writeStream()
            .format("noop")
            .queryName("job")
            .option("checkpointLocation", checkpoint.toString())
            .trigger(Trigger.ProcessingTime(200))
            .start();
    long least =
        TimeUnit.SECONDS.toMillis(Long.parseLong(properties.getProperty(SECONDS, LEAST_SECONDS)));
    long start = System.nanoTime();
    long rows = 0;
    while (query.isActive() && millisSince(start) < MOST_MILLIS) {
      TimeUnit.MILLISECONDS.sleep(50);
      rows = Arrays.stream(query.recentProgress()).mapToLong(p -> p.numInputRows()).sum();
      if (rows > 0 && millisSince(start) > least) {
        break;
      }
    }
    if (query.exception().isDefined()) {
      return "failed: " + query.exception().get().getMessage().lines().findFirst().orElse("");
    }
    if (properties.containsKey(Turns.TRACES)) {
      Traces.write(spark, Path.of(properties.getProperty(Turns.TRACES)));
    }
    query.stop();
    return rows + " rows";
  }

  private static Dataset<Row> source(SparkSession spark, Properties properties) {
    Map<String, String> options = new HashMap<>();
    properties.stringPropertyNames().stream()
        .filter(name -> name.startsWith(KAFKA))
        .forEach(name -> options.put(name.substring(KAFKA.length()), properties.getProperty(name)));
    return options.isEmpty()
        ? spark.readStream().format("rate").option("rowsPerSecond", 50).load()
        : spark
            .readStream()
            .format("kafka")
            .option("startingOffsets", "earliest")
            .options(options)
            .load();
  }

  private static long millisSince(long start) {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }
}
