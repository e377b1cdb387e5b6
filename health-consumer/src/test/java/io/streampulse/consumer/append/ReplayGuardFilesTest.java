package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.TestSpark;
import io.streampulse.consumer.table.HealthTable;
import io.streampulse.consumer.table.TableName;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the guard reads of a table of many files, and that it tells rows apart. */
class ReplayGuardFilesTest {
  private static final TableName TABLE = TableName.parse("spark_catalog.guard.health");
  private static final int FILES = 10;
  private static final long ROWS_PER_FILE = 100;
  private static final long START = Instant.parse("2026-11-29T00:00:00Z").toEpochMilli();

  private static SparkSession spark;

  @BeforeAll
  static void tenAppendsOfTwoPartitions() {
    spark = TestSpark.session();
    HealthTable.health(TABLE).prepare(spark, Optional.empty(), Map.of());
    for (int file = 0; file < FILES; file++) {
      rows(file * ROWS_PER_FILE, (file + 1) * ROWS_PER_FILE, START)
          .coalesce(1)
          .write()
          .format("delta")
          .mode("append")
          .saveAsTable(TABLE.sql());
    }
  }

  @Test
  void readsOnlyTheFilesThatOverlapWithTheBatch() {
    Dataset<Row> batch = rows(950, 1_050, START);
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 499L, 1, 499L));

    Dataset<Row> candidates = guard.candidates(guard.suspects(batch), spark.table(TABLE.sql()));

    assertThat(spark.table(TABLE.sql()).inputFiles()).hasSize(FILES);
    assertThat(candidates.inputFiles()).hasSize(1);
    assertThat(numbers(RowIdentity.without(batch, candidates)))
        .hasSize(50)
        .allMatch(number -> number >= 1_000);
  }

  @Test
  void aTopicMadeAnewReadsNoFileForItsLaterTimestamps() {
    Dataset<Row> batch = rows(0, 100, START + 86_400_000);
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 499L, 1, 499L));
    ReplayGuard.Suspects suspects = guard.suspects(batch);

    Dataset<Row> candidates = guard.candidates(suspects, spark.table(TABLE.sql()));

    assertThat(suspects.ranges()).hasSize(2);
    assertThat(candidates.inputFiles()).isEmpty();
    assertThat(RowIdentity.without(batch, candidates).count()).isEqualTo(100);
  }

  @Test
  void partitionsAboveTheirMarksAreNoSuspects() {
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 499L));

    assertThat(guard.suspects(rows(1_000, 1_100, START)).ranges()).isEmpty();
    assertThat(guard.suspects(rows(900, 1_000, START)).ranges())
        .extracting(ReplayGuard.Range::partition)
        .containsExactly(0);
  }

  @Test
  void highestOffsetsAreReadFromAllRowsWhereNoNoteTellsThem() {
    assertThat(HighestOffsets.read(spark, TABLE, "t")).isEqualTo(Map.of(0, 499L, 1, 499L));
    assertThat(HighestOffsets.read(spark, TABLE, "other")).isEmpty();
  }

  /** Records with the numbers from to to: partition by parity, a millisecond between two. */
  private static Dataset<Row> rows(long from, long to, long start) {
    return spark
        .range(from, to)
        .select(
            functions.col("id").as("sequence"),
            functions
                .struct(
                    functions.lit("t").as("topic"),
                    functions.expr("CAST(id % 2 AS INT)").as("partition"),
                    functions.expr("id DIV 2").as("offset"),
                    functions.expr("timestamp_millis(" + start + " + id)").as("timestamp"))
                .as("kafka"),
            functions.lit(new Timestamp(start)).as("ingestedAt"));
  }

  private static List<Long> numbers(Dataset<Row> rows) {
    return rows.select("sequence").collectAsList().stream().map(row -> row.getLong(0)).toList();
  }
}
