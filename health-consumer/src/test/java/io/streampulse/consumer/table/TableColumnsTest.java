package io.streampulse.consumer.table;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class TableColumnsTest {
  private static final StructType WANTED =
      StructType.fromDDL(
          "id STRING, n BIGINT, sources ARRAY<STRUCT<name: STRING, rate: DOUBLE>>, tags MAP<STRING, STRING>");

  @Test
  void columnsOfSomeoneElseStay() {
    assertThat(TableColumns.compare(WANTED, WANTED.add("comment", "string")))
        .isEqualTo(TableColumns.compare(WANTED, WANTED))
        .matches(difference -> difference.missing().isEmpty() && difference.unfit().isEmpty());
  }

  @Test
  void namesWhatIsMissingAsItCanBeAdded() {
    StructType there =
        StructType.fromDDL(
            "id STRING, sources ARRAY<STRUCT<name: STRING>>, tags MAP<STRING, STRING>");

    assertThat(TableColumns.compare(WANTED, there).missing())
        .containsExactly("`n` BIGINT", "`sources`.element.`rate` DOUBLE");
  }

  @Test
  void namesColumnsOfAnotherTypeWithBoth() {
    StructType there =
        StructType.fromDDL(
            "id STRING, n INT, sources ARRAY<STRUCT<name: STRING, rate: FLOAT>>, tags MAP<STRING, INT>");

    assertThat(TableColumns.compare(WANTED, there).unfit())
        .containsExactly(
            "n is INT, not BIGINT",
            "sources.element.rate is FLOAT, not DOUBLE",
            "tags.value is INT, not STRING");
  }
}
