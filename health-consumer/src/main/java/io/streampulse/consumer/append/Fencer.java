package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Who has locked a run out, from the table's history: for a message, not for a decision. */
final class Fencer {
  private static final int HISTORY = 100;

  private Fencer() {}

  static String of(SparkSession spark, TableName table, String appId, RunInfo self) {
    try {
      return spark
          .sql("DESCRIBE HISTORY %s LIMIT %d".formatted(table.sql(), HISTORY))
          .select("userMetadata")
          .collectAsList()
          .stream()
          .map((Row row) -> CommitNote.parse(row.getString(0)))
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
