package io.streampulse.consumer.append;

import io.delta.exceptions.ConcurrentTransactionException;
import io.streampulse.consumer.table.TableException;
import io.streampulse.consumer.table.TableName;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;

/**
 * One append to a Delta table, whole or not at all: the only place that writes rows. It goes by
 * {@code writeTo().append()}, which honours the transaction's id and version; {@code insertInto}
 * does not.
 */
final class DeltaAppend {
  private DeltaAppend() {}

  /**
   * Appends rows as one transaction.
   *
   * @return the table version it made; empty where Delta skipped it, having seen this transaction
   *     version or a higher one
   * @throws FencedConcurrently if another run committed under the same id meanwhile
   */
  static OptionalLong append(
      TableName table, Dataset<Row> rows, String appId, long version, CommitNote note) {
    AppendWatchdog.Watch watch = AppendWatchdog.watch(table);
    try (watch) {
      return SkipDetection.commitOf(
          rows.sparkSession(), () -> write(table, rows, appId, version, note));
    }
  }

  /** No rows, for a commit without any. */
  static Dataset<Row> nothing(SparkSession spark, TableName table) {
    return spark.createDataFrame(List.of(), spark.table(table.sql()).schema());
  }

  private static void write(
      TableName table, Dataset<Row> rows, String appId, long version, CommitNote note) {
    try {
      rows.writeTo(table.sql())
          .option("txnAppId", appId)
          .option("txnVersion", String.valueOf(version))
          .option("userMetadata", note.json())
          .append();
    } catch (NoSuchTableException e) {
      throw TableException.gone(table, e);
    } catch (RuntimeException e) {
      if (isConcurrentTransaction(e)) {
        throw new FencedConcurrently(e);
      }
      throw e;
    }
  }

  private static boolean isConcurrentTransaction(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConcurrentTransactionException) {
        return true;
      }
    }
    return false;
  }

  /** Another run has committed under the same transaction id while this append was on its way. */
  static final class FencedConcurrently extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FencedConcurrently(Throwable cause) {
      super("another run has committed at the same time", cause);
    }
  }
}
