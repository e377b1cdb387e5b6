package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.HealthConsumer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tables that are not as the consumer made them: said at start, or when it happens. */
class TableTroubleIT {
  @Test
  void aColumnOfSomeoneElseStaysAndAMissingOneIsAdded() {
    try (ConsumerFixture it = new ConsumerFixture("columns-it", 1)) {
      it.messages.send(0, 5);
      it.runUntilCaughtUp();
      sql("ALTER TABLE %s ADD COLUMNS (remark STRING)".formatted(it.table));
      sql(
          "ALTER TABLE %s SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
              .formatted(it.table));
      sql("ALTER TABLE %s DROP COLUMN host".formatted(it.table));
      sql("ALTER TABLE %s DROP COLUMN sources.element.backlog".formatted(it.table));
      it.messages.send(5, 9);
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.rows(it.table).schema().fieldNames()).contains("remark", "host");
      assertThat(it.rows(it.table).select("sources.backlog").schema().treeString())
          .contains("element: long");
    }
  }

  @Test
  void aNarrowerColumnIsNamedAtStart() {
    try (ConsumerFixture it = new ConsumerFixture("narrow-it", 1)) {
      sql("CREATE SCHEMA IF NOT EXISTS spark_catalog.narrow_it");
      sql(
          "CREATE TABLE %s (agentId STRING, sequence INT) USING DELTA LOCATION '%s'"
              .formatted(it.table, it.folder.resolve("table")));

      assertThatThrownBy(it::start)
          .hasMessageContaining("table " + it.table + " does not fit")
          .hasMessageContaining("sequence is INT, not BIGINT");
    }
  }

  @Test
  void aTableThatIsNotDeltaIsNamedAtStart() {
    try (ConsumerFixture it = new ConsumerFixture("parquet-it", 1)) {
      sql("CREATE SCHEMA IF NOT EXISTS spark_catalog.parquet_it");
      sql(
          "CREATE TABLE %s (agentId STRING) USING PARQUET LOCATION '%s'"
              .formatted(it.table, it.folder.resolve("table")));

      assertThatThrownBy(it::start)
          .hasMessageContaining("table " + it.table + " is not a Delta table");
    }
  }

  @Test
  void aTableDroppedInMidRunIsSaid() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("dropped-it", 1)) {
      it.messages.send(0, 5);
      HealthConsumer consumer = it.start();
      try {
        it.awaitCaughtUp(consumer);
        sql("DROP TABLE " + it.table);
        it.messages.send(5, 9);

        assertThatThrownBy(consumer::awaitTermination)
            .rootCause()
            .satisfiesAnyOf(
                e -> assertThat(e).hasMessageContaining("TABLE_OR_VIEW_NOT_FOUND"),
                e -> assertThat(e).hasMessageContaining("table " + it.table + " is gone"));
      } finally {
        consumer.stop(Duration.ofSeconds(30));
      }
      // Its files are at the location still: back again, it goes on without a loss.
      it.runUntilCaughtUp();
      it.assertExactlyOnce();
    }
  }

  @Test
  void aCheckpointOfAnotherTopicIsNamedBeforeSparkStarts() {
    try (ConsumerFixture it = new ConsumerFixture("topic-one-it", 1);
        ConsumerFixture other = new ConsumerFixture("topic-two-it", 1)) {
      it.messages.send(0, 5);
      it.runUntilCaughtUp();
      other.set("checkpoint", it.checkpoint().toString());

      assertThatThrownBy(other::start)
          .hasMessageContaining("is of topic topic-one-it, not of topic-two-it");
    }
  }

  @Test
  void aTableThatWasSetBackIsSaidAndNothingIsAppendedTwice() {
    try (ConsumerFixture it = new ConsumerFixture("set-back-it", 1)) {
      it.messages.send(0, 5);
      it.runUntilCaughtUp();
      sql("DELETE FROM %s WHERE sequence >= 3".formatted(it.table));
      it.messages.send(5, 9);
      try (Warnings warnings = Warnings.keep()) {
        it.runUntilCaughtUp();
        assertThat(warnings.texts())
            .anyMatch(
                text ->
                    text.contains(
                        "goes on after offsets that are in no table, by partition: {0=2}"));
      }

      assertThat(it.numbers()).containsExactly(0L, 1L, 2L, 5L, 6L, 7L, 8L);
    }
  }

  private static void sql(String statement) {
    Environment.spark().sql(statement);
  }
}
