package io.streampulse.consumer.decode;

import io.streampulse.registry.RegistryException;
import io.streampulse.registry.RegistrySchemas;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.SchemaLookup;
import io.streampulse.wire.UndecodableException;
import java.sql.Timestamp;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.LongAccumulator;

/** Decodes the messages of one Kafka partition's share of a micro-batch, on an executor. */
final class MessageDecoder implements MapPartitionsFunction<Row, Row> {
  private static final long serialVersionUID = 1L;

  private final RegistrySettings registry;
  private final LongAccumulator undecodable;

  /**
   * A decoder for all tasks.
   *
   * @param registry null where there is none
   */
  MessageDecoder(RegistrySettings registry, LongAccumulator undecodable) {
    this.registry = registry;
    this.undecodable = undecodable;
  }

  @Override
  public Iterator<Row> call(Iterator<Row> messages) {
    return new Decoding(
        messages,
        registry == null ? SchemaLookup.none() : RegistrySchemas.of(registry),
        undecodable);
  }

  private static final class Decoding implements Iterator<Row> {
    private final RecordDecoder decoder;
    private final Function<IndexedRecord, Row> toRow =
        AvroColumns.rows(HealthRecord.getClassSchema());
    private final Iterator<Row> messages;
    private final LongAccumulator undecodable;

    Decoding(Iterator<Row> messages, SchemaLookup registry, LongAccumulator undecodable) {
      this.messages = messages;
      this.decoder = new RecordDecoder(registry);
      this.undecodable = undecodable;
    }

    @Override
    public boolean hasNext() {
      return messages.hasNext();
    }

    @Override
    public Row next() {
      Row message = messages.next();
      Row coordinates =
          RowFactory.create(message.get(0), message.get(1), message.get(2), message.get(3));
      byte[] key = message.getAs(4);
      byte[] value = message.getAs(5);
      long latency =
          Math.max(0, System.currentTimeMillis() - message.<Timestamp>getAs(3).getTime());
      String reason;
      try {
        HealthRecord record = decoder.decode(value, schemaId(message));
        return RowFactory.create(row(record), coordinates, null, null, null, null, latency);
      } catch (UndecodableException e) {
        reason = e.getMessage();
      } catch (RegistryException e) {
        throw e.neededFor(
            "the message at offset %s of partition %s of %s"
                .formatted(message.get(2), message.get(1), message.get(0)));
      }
      undecodable.add(1);
      return RowFactory.create(null, coordinates, key, value, message.get(6), reason, latency);
    }

    private Row row(HealthRecord record) throws UndecodableException {
      try {
        return toRow.apply(record);
      } catch (ArithmeticException | IllegalArgumentException e) {
        throw new UndecodableException("A value does not fit into the table: " + e.getMessage(), e);
      }
    }

    /** The last header of the name counts, as with Kafka's own {@code lastHeader}. */
    private static byte[] schemaId(Row message) {
      byte[] schemaId = null;
      if (!message.isNullAt(6)) {
        List<Row> headers = message.getList(6);
        for (Row header : headers) {
          if (RecordDecoder.SCHEMA_ID_HEADER.equals(header.getString(0))) {
            schemaId = header.getAs(1);
          }
        }
      }
      return schemaId;
    }
  }
}
