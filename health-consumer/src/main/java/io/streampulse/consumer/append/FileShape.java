package io.streampulse.consumer.append;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * How many files an append makes: one for each {@link #ROWS_PER_FILE} rows, so that small batches
 * make one, and never more than there are partitions or the user allows.
 *
 * @param most the most files of one append; empty for as many as Spark has partitions
 */
public record FileShape(OptionalInt most) {
  /** A task decodes and writes about this many rows in a second. */
  public static final int ROWS_PER_FILE = 20_000;

  Dataset<Row> shape(Dataset<Row> rows, OptionalLong expectedRows) {
    int files = files(expectedRows);
    return files == Integer.MAX_VALUE ? rows : rows.coalesce(files);
  }

  int files(OptionalLong expectedRows) {
    long wanted =
        expectedRows.isPresent()
            ? Math.max(1, (expectedRows.getAsLong() + ROWS_PER_FILE - 1) / ROWS_PER_FILE)
            : Integer.MAX_VALUE;
    return (int) Math.min(wanted, most.orElse(Integer.MAX_VALUE));
  }
}
