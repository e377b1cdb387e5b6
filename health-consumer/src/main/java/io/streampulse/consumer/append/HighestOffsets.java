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
      LOG.info(
          "The history of {} does not tell its offsets of {}: all rows are read", table, topic);
      return readAll(spark, table, topic);
    }
    Map<Integer, Long> highest = new TreeMap<>(last.get().below());
    Instant ingestedAt = Instant.parse(last.get().ingestedAt());
    query(spark, table, topic, functions.col("ingestedAt").equalTo(functions.lit(ingestedAt)))
        .forEach((partition, offset) -> highest.merge(partition, offset, Math::max));
    return highest;
  }

  /** The highest offset by partition, read from all rows. */
  public static Map<Integer, Long> readAll(SparkSession spark, TableName table, String topic) {
    return query(spark, table, topic, functions.lit(true));
  }

  /**
   * Where the last append began, at most: from there a run has to begin that must do the last batch
   * again, its quarantine included. A partition of which no note tells is absent.
   */
  public static Map<Integer, Long> beforeLastAppend(
      SparkSession spark, TableName table, String topic) {
    Map<Integer, Long> before = new TreeMap<>();
    Map<Integer, Long> there = readAll(spark, table, topic);
    lastAppend(spark, table, topic)
        .map(CommitNote::below)
        .ifPresent(
            below ->
                below.forEach(
                    (partition, offset) ->
                        before.put(
                            partition, Math.min(offset, there.getOrDefault(partition, -1L)))));
    return before;
  }

  /** The newest append, unless rows were changed after it. */
  private static Optional<CommitNote> lastAppend(
      SparkSession spark, TableName table, String topic) {
    for (int limit : HISTORY) {
      List<CommitNotes.Commit> commits = CommitNotes.newest(spark, table, limit);
      for (CommitNotes.Commit commit : commits) {
        if (commit.changesRows()) {
          return Optional.empty();
        }
        if (commit.note().filter(note -> isAppend(note, topic)).isPresent()) {
          return commit.note();
        }
      }
      if (commits.size() < limit) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  private static boolean isAppend(CommitNote note, String topic) {
    return note.kind().equals(CommitNote.APPEND) && note.topic().equals(topic);
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
