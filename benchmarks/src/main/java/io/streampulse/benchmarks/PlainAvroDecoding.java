package io.streampulse.benchmarks;

import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.schema.HealthRecord;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;

/**
 * What a job without the consumer decodes health records with: Avro's generic reader, for one
 * schema that it trusts every message to have, in a function of Spark SQL. It stands for {@code
 * from_avro}, whose module ({@code spark-avro}) is no part of this build.
 */
final class PlainAvroDecoding implements UDF1<byte[], Row> {
  private static final long serialVersionUID = 1L;

  /** Marker, version and fingerprint of a single-object message. */
  private static final int HEADER = 10;

  private transient GenericDatumReader<IndexedRecord> reader;
  private transient BinaryDecoder decoder;

  private PlainAvroDecoding() {}

  /** The record in a message, as a struct with the columns of the health table. */
  static Column decode(Column message) {
    StructType columns =
        new StructType(
            Arrays.copyOf(
                DecodedMessages.healthColumns().fields(),
                HealthRecord.getClassSchema().getFields().size()));
    // As one that is not deterministic it runs once for a message, not once for a column.
    return functions.udf(new PlainAvroDecoding(), columns).asNondeterministic().apply(message);
  }

  @Override
  public Row call(byte[] message) throws IOException {
    if (reader == null) {
      reader = new GenericDatumReader<>(HealthRecord.getClassSchema());
    }
    decoder = DecoderFactory.get().binaryDecoder(message, HEADER, message.length - HEADER, decoder);
    return row(reader.read(null, decoder));
  }

  private static Row row(IndexedRecord record) {
    List<Schema.Field> fields = record.getSchema().getFields();
    Object[] values = new Object[fields.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(fields.get(i).schema(), record.get(i));
    }
    return RowFactory.create(values);
  }

  private static Object value(Schema schema, Object value) {
    if (value == null) {
      return null;
    }
    return switch (schema.getType()) {
      case STRING, ENUM -> value.toString();
      case LONG -> schema.getLogicalType() == null ? value : Instant.ofEpochMilli((Long) value);
      case RECORD -> row((IndexedRecord) value);
      case ARRAY -> array(schema.getElementType(), (List<?>) value);
      case MAP -> map(schema.getValueType(), (Map<?, ?>) value);
      case UNION -> value(schema.getTypes().get(1), value); // the first is null
      default -> value;
    };
  }

  private static Object[] array(Schema element, List<?> values) {
    Object[] array = new Object[values.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = value(element, values.get(i));
    }
    return array;
  }

  private static Map<String, Object> map(Schema mapped, Map<?, ?> values) {
    Map<String, Object> map = new HashMap<>();
    values.forEach((key, value) -> map.put(key.toString(), value(mapped, value)));
    return map;
  }
}
