package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;

/**
 * Reads {@link HealthRecord}s written in Avro single-object encoding by any of the given writer
 * schemas, resolved against this build's schema.
 *
 * <p>A message must be exactly one record: bytes left over after it are refused, because a body
 * that ends early in one schema and not in another is how a wrong schema shows itself.
 *
 * <p>Not thread-safe: one decoder per thread.
 */
public final class SingleObjectDecoder {
  /** {@code C3 01} and the eight bytes of the fingerprint. */
  static final int HEADER_LENGTH = 10;

  private static final SpecificData DATA = new BoundedData();

  private final Map<Long, SpecificDatumReader<HealthRecord>> readers = new HashMap<>();
  private BinaryDecoder reused;

  /** A decoder for messages of this build's own schema. */
  public SingleObjectDecoder() {
    this(HealthRecord.getClassSchema());
  }

  /** A decoder for messages of the given writer schemas. */
  public SingleObjectDecoder(Schema... writers) {
    Schema reader = HealthRecord.getClassSchema();
    for (Schema writer : writers) {
      readers.put(
          SchemaNormalization.parsingFingerprint64(writer),
          new SpecificDatumReader<>(writer, reader, DATA));
    }
  }

  /**
   * The record of one message.
   *
   * @throws UndecodableException if the bytes are not one health record of a known schema
   */
  public HealthRecord decode(byte[] message) throws UndecodableException {
    if (message == null || message.length == 0) {
      throw new UndecodableException("The message is empty");
    }
    if (message.length < HEADER_LENGTH || (message[0] & 0xFF) != 0xC3 || message[1] != 0x01) {
      throw new UndecodableException(
          "The message does not begin with Avro's single-object header (C3 01 and a fingerprint)");
    }
    long fingerprint = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong(2);
    SpecificDatumReader<HealthRecord> reader = readers.get(fingerprint);
    if (reader == null) {
      throw new UndecodableException(
          "No known schema has the fingerprint %016x: the agent may be newer than this consumer"
              .formatted(fingerprint));
    }
    try {
      requireWhole(reader.getSchema(), message);
      HealthRecord record = reader.read(null, body(message));
      if (!reused.isEnd()) {
        throw new UndecodableException("Bytes are left over after the record");
      }
      return record;
    } catch (IOException | RuntimeException e) {
      throw new UndecodableException("The Avro body is damaged: " + e, e);
    }
  }

  /**
   * Goes over the body once without keeping anything of it: a text of which only the length is
   * there must not take its memory.
   */
  private void requireWhole(Schema writer, byte[] message) throws IOException {
    GenericDatumReader.skip(writer, body(message));
  }

  private BinaryDecoder body(byte[] message) {
    reused =
        DecoderFactory.get()
            .binaryDecoder(message, HEADER_LENGTH, message.length - HEADER_LENGTH, reused);
    return reused;
  }
}
