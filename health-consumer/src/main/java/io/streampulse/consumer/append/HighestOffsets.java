package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * By partition of a topic, an offset that no row of the table is above.
 *
 * <p>It is read from the note of the last append, which says what was true before it, and from the
 * rows of that append alone; so it takes as long in a table of any size. Where there is no such
 * note (the table's history is shorter, or someone else wrote the rows) it is read from all rows.
 */
public final class HighestOffsets {
  private static final Logger LOG = LoggerFactory.getLogger(HighestOffsets.class);
  private static final List<Integer> HISTORY = List.of(20, 1000);

  private HighestOffsets() {}

  /** The highest offset by partition; a partition without rows is absent. */
  public static Map<Integer, Long> read(SparkSession spark, TableName table, String topic) {
    Optional<CommitNote> last = lastAppend(spark, table, topic);
    if (last.isEmpty() || last.get().below() == null) {
      LOG.info("The history of {} has no append from {}: all its rows are read", table, topic);
      return query(spark, table, topic, functions.lit(true));
    }
    Map<Integer, Long> highest = new TreeMap<>(last.get().below());
    Instant ingestedAt = Instant.parse(last.get().ingestedAt());
    query(spark, table, topic, functions.col("ingestedAt").equalTo(functions.lit(ingestedAt)))
        .forEach((partition, offset) -> highest.merge(partition, offset, Math::max));
    return highest;
  }

  private static Optional<CommitNote> lastAppend(
      SparkSession spark, TableName table, String topic) {
    for (int limit : HISTORY) {
      List<Row> commits =
          spark
              .sql("DESCRIBE HISTORY %s LIMIT %d".formatted(table.sql(), limit))
              .select("userMetadata")
              .collectAsList();
      Optional<CommitNote> found =
          commits.stream()
              .map(row -> CommitNote.parse(row.getString(0)))
              .flatMap(Optional::stream)
              .filter(note -> note.kind().equals(CommitNote.APPEND) && note.topic().equals(topic))
              .findFirst();
      if (found.isPresent() || commits.size() < limit) {
        return found;
      }
    }
    return Optional.empty();
  }

  private static Map<Integer, Long> query(
      SparkSession spark, TableName table, String topic, Column condition) {
    Map<Integer, Long> highest = new TreeMap<>();
    for (Row row :
        spark
            .table(table.sql())
            .where(functions.col(RowIdentity.TOPIC).equalTo(topic).and(condition))
            .groupBy(functions.col(RowIdentity.PARTITION))
            .agg(functions.max(functions.col(RowIdentity.OFFSET)))
            .collectAsList()) {
      highest.put(row.getInt(0), row.getLong(1));
    }
    return highest;
  }
}
