package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * <b>Invariant 3, fence, then read, then write.</b> A run begins with one empty commit under its
 * own transaction version. From then on appends of an older run are skipped by Delta (their version
 * is lower) or conflict (same id), so what the new run reads from the table can't change under it.
 *
 * <p>A starting run must win. Where Delta skips the fence itself, because this machine's clock is
 * behind that of the last run, the version is raised in growing steps until the fence is committed.
 */
final class Fence {
  private static final Logger LOG = LoggerFactory.getLogger(Fence.class);

  /** With doubling steps from a second on, more than a hundred years of a wrong clock. */
  private static final int MOST_ATTEMPTS = 32;

  private Fence() {}

  /**
   * Locks older runs out.
   *
   * @throws IllegalStateException if it can't be committed
   */
  static void raise(
      SparkSession spark, TableName table, RunVersion version, RunInfo run, String topic) {
    CommitNote note = CommitNote.fence(run, version, topic);
    Dataset<Row> nothing = DeltaAppend.nothing(spark, table);
    long raisedMillis = 0;
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      try {
        if (DeltaAppend.append(table, nothing, version.appId(), version.next(), note).isPresent()) {
          if (raisedMillis > 0) {
            LOG.warn(
                "The last run of this checkpoint had a later clock: this run's versions of {} are"
                    + " raised by {} s. Check the clocks of both machines",
                table,
                raisedMillis / 1000);
          }
          return;
        }
        long step = 1000L << attempt;
        version.raiseByMillis(step);
        raisedMillis += step;
      } catch (DeltaAppend.FencedConcurrently e) {
        LOG.info("An older run appends to {} just now: the fence is tried again", table);
      }
    }
    throw new IllegalStateException(
        "The fence could not be committed to " + table + ": other runs commit all the time");
  }
}
