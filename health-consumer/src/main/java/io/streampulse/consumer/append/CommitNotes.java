package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The {@linkplain CommitNote notes} in a table's history, newest first. */
final class CommitNotes {
  private static final int HISTORY = 100;

  /** Delta's operations, besides the consumer's appends, that leave the rows as they are. */
  private static final Set<String> KEEPS_ROWS =
      Set.of(
          "ADD COLUMNS",
          "ADD CONSTRAINT",
          "CHANGE COLUMN",
          "CHANGE COLUMNS",
          "CLUSTER BY",
          "COMPUTE STATS",
          "CREATE TABLE",
          "DROP CONSTRAINT",
          "OPTIMIZE",
          "SET TBLPROPERTIES",
          "UNSET TBLPROPERTIES",
          "UPGRADE PROTOCOL",
          "VACUUM END",
          "VACUUM START");

  private CommitNotes() {}

  /**
   * One commit.
   *
   * @param note what the consumer said in it; empty for someone else's
   * @param changesRows whether it may have taken rows away or brought other ones, so that older
   *     notes say too much
   */
  record Commit(Optional<CommitNote> note, boolean changesRows) {}

  /** The newest commits. */
  static List<Commit> newest(SparkSession spark, TableName table, int limit) {
    return spark
        .sql("DESCRIBE HISTORY %s LIMIT %d".formatted(table.sql(), limit))
        .select("userMetadata", "operation")
        .collectAsList()
        .stream()
        .map(
            (Row row) -> {
              Optional<CommitNote> note = CommitNote.parse(row.getString(0));
              return new Commit(note, note.isEmpty() && !KEEPS_ROWS.contains(row.getString(1)));
            })
        .toList();
  }

  /** The transaction ids under which the topic's records were appended of late. */
  static Set<String> appIds(SparkSession spark, TableName table, String topic) {
    return newest(spark, table, HISTORY).stream()
        .map(Commit::note)
        .flatMap(Optional::stream)
        .filter(note -> note.topic().equals(topic))
        .map(CommitNote::appId)
        .collect(Collectors.toSet());
  }

  /** Which other run committed under the id last: for a message, not for a decision. */
  static String otherRun(SparkSession spark, TableName table, String appId, RunInfo self) {
    try {
      return newest(spark, table, HISTORY).stream()
          .map(Commit::note)
          .flatMap(Optional::stream)
          .filter(note -> note.appId().equals(appId) && !note.run().equals(self.toString()))
          .map(CommitNote::run)
          .findFirst()
          .orElse("(unknown)");
    } catch (Exception e) {
      return "(unknown: the table's history can't be read)";
    }
  }
}
