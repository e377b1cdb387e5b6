package io.streampulse.consumer.decode;

import io.streampulse.registry.RegistryException;
import io.streampulse.registry.RegistrySchemas;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.SchemaLookup;
import io.streampulse.wire.UndecodableException;
import java.util.function.Function;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.api.java.UDF6;
import org.apache.spark.util.LongAccumulator;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Decodes a message on an executor: its value, headers, timestamp (milliseconds), topic, partition
 * and offset become the record or the reason why there is none, and how old the message was.
 *
 * <p>Not thread-safe; Spark gives each task a copy of its own.
 */
final class MessageDecoder implements UDF6<byte[], Seq<Row>, Long, String, Integer, Long, Row> {
  private static final long serialVersionUID = 1L;

  private final RegistrySettings registry;
  private final LongAccumulator undecodable;
  private transient Decoding decoding;

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
  public Row call(
      byte[] value,
      Seq<Row> headers,
      Long timestamp,
      String topic,
      Integer partition,
      Long offset) {
    if (decoding == null) {
      decoding = new Decoding(registry);
    }
    long latency = Math.max(0, System.currentTimeMillis() - timestamp);
    String reason;
    try {
      return RowFactory.create(decoding.row(value, schemaId(headers)), null, latency);
    } catch (UndecodableException e) {
      reason = e.getMessage();
    } catch (RegistryException e) {
      throw e.neededFor(
          "the message at offset %s of partition %s of %s".formatted(offset, partition, topic));
    }
    undecodable.add(1);
    return RowFactory.create(null, reason, latency);
  }

  /** The last header of the name counts, as with Kafka's own {@code lastHeader}. */
  private static byte[] schemaId(Seq<Row> headers) {
    byte[] schemaId = null;
    if (headers != null) {
      for (Iterator<Row> each = headers.iterator(); each.hasNext(); ) {
        Row header = each.next();
        if (RecordDecoder.SCHEMA_ID_HEADER.equals(header.getString(0))) {
          schemaId = header.getAs(1);
        }
      }
    }
    return schemaId;
  }

  /** What a task needs for all its messages. */
  private static final class Decoding {
    private final RecordDecoder decoder;
    private final Function<IndexedRecord, Row> toRow =
        AvroColumns.rows(HealthRecord.getClassSchema());

    Decoding(RegistrySettings registry) {
      decoder =
          new RecordDecoder(registry == null ? SchemaLookup.none() : RegistrySchemas.of(registry));
    }

    Row row(byte[] value, byte[] schemaId) throws UndecodableException {
      HealthRecord record = decoder.decode(value, schemaId);
      try {
        return toRow.apply(record);
      } catch (ArithmeticException | IllegalArgumentException e) {
        throw new UndecodableException("A value does not fit into the table: " + e.getMessage(), e);
      }
    }
  }
}
