package io.streampulse.consumer.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SourceProgress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class AvroColumnsTest {
  private static final StructType COLUMNS =
      AvroColumns.documentedColumns(HealthRecord.getClassSchema());

  @Test
  void everyFieldIsANullableColumnWithItsDocAsComment() {
    List<Schema.Field> fields = HealthRecord.getClassSchema().getFields();

    assertThat(COLUMNS.fieldNames())
        .containsExactlyElementsOf(fields.stream().map(Schema.Field::name).toList());
    for (Schema.Field field : fields) {
      StructField column = COLUMNS.apply(field.name());
      assertThat(column.nullable()).isTrue();
      assertThat(column.getComment().get()).isEqualTo(field.doc());
    }
  }

  @Test
  void rowsOnTheirWayCarryNoComments() {
    StructType columns = AvroColumns.columns(HealthRecord.getClassSchema());

    assertThat(columns.json()).doesNotContain("comment").hasSizeLessThan(10_000);
    assertThat(columns.fieldNames()).containsExactly(COLUMNS.fieldNames());
  }

  @Test
  void typesAreSparksNearest() {
    assertThat(COLUMNS.apply("eventTime").dataType()).isEqualTo(DataTypes.TimestampType);
    assertThat(COLUMNS.apply("eventType").dataType()).isEqualTo(DataTypes.StringType);
    assertThat(COLUMNS.apply("batchId").dataType()).isEqualTo(DataTypes.LongType);
    assertThat(COLUMNS.apply("fallingBehindStreak").dataType()).isEqualTo(DataTypes.IntegerType);
    assertThat(COLUMNS.apply("sources").dataType()).isInstanceOf(ArrayType.class);
    assertThat(COLUMNS.apply("latencies").dataType().sql())
        .isEqualTo("MAP<STRING, MAP<STRING, DOUBLE>>");
  }

  @Test
  void copiesValues() {
    Instant time = Instant.parse("2026-01-02T03:04:05.678Z");
    HealthRecord record =
        HealthRecord.newBuilder()
            .setAgentId("a")
            .setSequence(3)
            .setEventType(EventType.PROGRESS)
            .setEventTime(time)
            .setObservedTime(time)
            .setAgentVersion("1")
            .setInputRowsPerSecond(0.04)
            .setDurationMs(Map.of("addBatch", 5L))
            .setSources(List.of(SourceProgress.newBuilder().setBacklog(9L).build()))
            .build();

    Row row = AvroColumns.rows(HealthRecord.getClassSchema()).apply(record);

    assertThat(row.get(COLUMNS.fieldIndex("agentId"))).isEqualTo("a");
    assertThat(row.get(COLUMNS.fieldIndex("eventType"))).isEqualTo("PROGRESS");
    assertThat(row.get(COLUMNS.fieldIndex("eventTime"))).isEqualTo(time);
    assertThat(row.get(COLUMNS.fieldIndex("inputRowsPerSecond"))).isEqualTo(0.04);
    assertThat(row.get(COLUMNS.fieldIndex("processedRowsPerSecond"))).isNull();
    assertThat(row.get(COLUMNS.fieldIndex("durationMs"))).isEqualTo(Map.of("addBatch", 5L));
    assertThat(row.get(COLUMNS.fieldIndex("tags"))).isEqualTo(Map.of());
    Object[] sources = (Object[]) row.get(COLUMNS.fieldIndex("sources"));
    assertThat(((Row) sources[0]).get(8)).isEqualTo(9L);
  }

  @Test
  void refusesATypeItDoesNotKnowWhenItIsBuilt() {
    Schema bytes = SchemaBuilder.record("R").fields().requiredBytes("b").endRecord();

    assertThatThrownBy(() -> AvroColumns.columns(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bytes");
  }
}
