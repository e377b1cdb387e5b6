package io.streampulse.consumer.table;

import io.streampulse.consumer.session.SessionDefault;
import java.util.concurrent.Callable;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a table small and its files large, by public SQL. A consumer that appends meanwhile
 * conflicts with none of it; one that is still comparing what it reads again with the table may,
 * and starts again.
 */
public final class TableMaintenance {
  private static final Logger LOG = LoggerFactory.getLogger(TableMaintenance.class);

  private static final String LISTING_TASKS =
      "spark.sql.sources.parallelPartitionDiscovery.parallelism";
  private static final int TASKS_PER_CORE = 4;

  private final SparkSession spark;
  private final TableName table;

  public TableMaintenance(SparkSession spark, TableName table) {
    this.spark = spark;
    this.table = table;
  }

  /** Deletes rows that were appended more than some days ago. */
  public Outcome deleteOlderThan(int days) {
    long deleted =
        spark
            .sql(
                "DELETE FROM %s WHERE ingestedAt < current_timestamp() - INTERVAL %d DAYS"
                    .formatted(table.sql(), days))
            .head()
            .getLong(0);
    return Outcome.done("%,d rows older than %d days deleted".formatted(deleted, days));
  }

  /** Makes few large files of many small ones. */
  public Outcome optimize() {
    Row metrics = spark.sql("OPTIMIZE " + table.sql()).head().getAs("metrics");
    long added = metrics.<Long>getAs("numFilesAdded");
    long removed = metrics.<Long>getAs("numFilesRemoved");
    return Outcome.done("%,d files made of %,d".formatted(added, removed));
  }

  /** Removes files that no version within the table's retention needs. */
  public Outcome vacuum() {
    // Spark lists files in up to 10,000 tasks, however few files and cores there are.
    int tasks = TASKS_PER_CORE * spark.sparkContext().defaultParallelism();
    SessionDefault.during(
        spark,
        LISTING_TASKS,
        String.valueOf(tasks),
        () -> spark.sql("VACUUM " + table.sql()).collectAsList());
    return Outcome.done("done");
  }

  /**
   * How a piece of maintenance went.
   *
   * @param failed whether it should have worked and did not
   * @param text in words
   */
  public record Outcome(boolean failed, String text) {
    static Outcome done(String text) {
      return new Outcome(false, text);
    }

    /** Runs it; what the catalog or the table does not allow is skipped. */
    public static Outcome of(Callable<Outcome> work) {
      try {
        return work.call();
      } catch (Exception e) {
        LOG.debug("Maintenance failed", e);
        String reason = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return isRefusal(e)
            ? new Outcome(false, "skipped, not allowed here: " + reason)
            : new Outcome(true, "failed: " + reason);
      }
    }

    private static boolean isRefusal(Exception e) {
      String message = String.valueOf(e.getMessage());
      return e instanceof UnsupportedOperationException
          || message.contains("DELTA_UNSUPPORTED")
          || message.contains("UNSUPPORTED_FEATURE")
          || message.contains("PERMISSION_DENIED");
    }
  }
}
