package io.streampulse.consumer.decode;

import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.SingleObjectDecoder;
import io.streampulse.wire.UndecodableException;
import java.sql.Timestamp;
import java.util.Iterator;
import java.util.function.Function;
import org.apache.avro.generic.IndexedRecord;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.util.LongAccumulator;

/** Decodes the messages of one Kafka partition's share of a micro-batch, on an executor. */
final class MessageDecoder implements MapPartitionsFunction<Row, Row> {
  private static final long serialVersionUID = 1L;

  private final LongAccumulator undecodable;

  MessageDecoder(LongAccumulator undecodable) {
    this.undecodable = undecodable;
  }

  @Override
  public Iterator<Row> call(Iterator<Row> messages) {
    return new Decoding(messages, undecodable);
  }

  private static final class Decoding implements Iterator<Row> {
    private final SingleObjectDecoder decoder = new SingleObjectDecoder();
    private final Function<IndexedRecord, Row> toRow =
        AvroColumns.rows(HealthRecord.getClassSchema());
    private final Iterator<Row> messages;
    private final LongAccumulator undecodable;

    Decoding(Iterator<Row> messages, LongAccumulator undecodable) {
      this.messages = messages;
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
      try {
        return RowFactory.create(
            toRow.apply(decoder.decode(value)), coordinates, null, null, null, latency);
      } catch (UndecodableException | ArithmeticException | IllegalArgumentException e) {
        undecodable.add(1);
        return RowFactory.create(null, coordinates, key, value, e.getMessage(), latency);
      }
    }
  }
}
