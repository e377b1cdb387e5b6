package io.streampulse.consumer.decode;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * An Avro record as columns of a table: their types, with Avro's docs as comments, and a record's
 * values. All columns are nullable, so that fields may come and go over the years.
 *
 * <p>Covers what health records are made of; another Avro type is an error when it is built, not
 * when a record comes.
 */
final class AvroColumns {
  private AvroColumns() {}

  /** The columns of a record, as rows on their way have them: what they mean stays behind. */
  static StructType columns(Schema record) {
    return columns(record, false);
  }

  /** The columns of a record with Avro's docs as comments, as a table has them. */
  static StructType documentedColumns(Schema record) {
    return columns(record, true);
  }

  /** How a record of the schema becomes a row of {@link #columns}. Not thread-safe. */
  static Function<IndexedRecord, Row> rows(Schema record) {
    Function<Object, Object> convert = values(record);
    return value -> (Row) convert.apply(value);
  }

  private static StructType columns(Schema record, boolean documented) {
    return new StructType(
        record.getFields().stream()
            .map(field -> column(field, documented))
            .toArray(StructField[]::new));
  }

  private static StructField column(Schema.Field field, boolean documented) {
    Metadata metadata =
        documented && field.doc() != null
            ? new MetadataBuilder().putString("comment", field.doc()).build()
            : Metadata.empty();
    return new StructField(field.name(), type(field.schema(), documented), true, metadata);
  }

  private static DataType type(Schema schema, boolean documented) {
    return switch (schema.getType()) {
      case STRING, ENUM -> DataTypes.StringType;
      case BOOLEAN -> DataTypes.BooleanType;
      case INT -> DataTypes.IntegerType;
      case LONG -> schema.getLogicalType() == null ? DataTypes.LongType : DataTypes.TimestampType;
      case DOUBLE -> DataTypes.DoubleType;
      case RECORD -> columns(schema, documented);
      case ARRAY -> DataTypes.createArrayType(type(schema.getElementType(), documented), true);
      case MAP ->
          DataTypes.createMapType(
              DataTypes.StringType, type(schema.getValueType(), documented), true);
      case UNION -> type(nonNull(schema), documented);
      default -> throw unsupported(schema);
    };
  }

  private static Function<Object, Object> values(Schema schema) {
    return switch (schema.getType()) {
      case BOOLEAN, INT, DOUBLE -> value -> value;
      case STRING, ENUM -> Object::toString;
      case LONG ->
          schema.getLogicalType() == null ? value -> value : value -> fitting((Instant) value);
      case RECORD -> record(schema);
      case ARRAY -> array(values(schema.getElementType()));
      case MAP -> map(values(schema.getValueType()));
      case UNION -> {
        Function<Object, Object> inner = values(nonNull(schema));
        yield value -> value == null ? null : inner.apply(value);
      }
      default -> throw unsupported(schema);
    };
  }

  private static Function<Object, Object> record(Schema schema) {
    List<Function<Object, Object>> fields =
        schema.getFields().stream().map(field -> values(field.schema())).toList();
    return value -> {
      IndexedRecord record = (IndexedRecord) value;
      Object[] row = new Object[fields.size()];
      for (int i = 0; i < row.length; i++) {
        row[i] = fields.get(i).apply(record.get(i));
      }
      return RowFactory.create(row);
    };
  }

  private static Function<Object, Object> array(Function<Object, Object> element) {
    return value -> {
      List<?> list = (List<?>) value;
      Object[] elements = new Object[list.size()];
      for (int i = 0; i < elements.length; i++) {
        elements[i] = element.apply(list.get(i));
      }
      return elements;
    };
  }

  private static Function<Object, Object> map(Function<Object, Object> mapped) {
    return value -> {
      Map<Object, Object> copy = new HashMap<>();
      ((Map<?, ?>) value).forEach((k, v) -> copy.put(k.toString(), mapped.apply(v)));
      return copy;
    };
  }

  /**
   * A time as Spark can hold it.
   *
   * @throws ArithmeticException if it does not fit into microseconds
   */
  private static Instant fitting(Instant time) {
    long unused = Math.multiplyExact(time.toEpochMilli(), 1_000L);
    return time;
  }

  private static Schema nonNull(Schema union) {
    List<Schema> branches =
        union.getTypes().stream().filter(s -> s.getType() != Schema.Type.NULL).toList();
    if (branches.size() != 1) {
      throw unsupported(union);
    }
    return branches.get(0);
  }

  private static IllegalArgumentException unsupported(Schema schema) {
    return new IllegalArgumentException("No column type for the Avro type " + schema);
  }
}
