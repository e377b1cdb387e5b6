package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DatumWriter;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumWriter;

/**
 * Writes a {@link HealthRecord} as a message: a header that names the schema, then the Avro body.
 *
 * <p>Not thread-safe: one encoder per thread.
 *
 * @see <a href="https://avro.apache.org/docs/1.12.0/specification/#single-object-encoding">Avro
 *     specification, single-object encoding</a>
 */
public final class RecordEncoder {
  private static final int USUAL = 4096;

  /** A larger buffer is let go of: it would be kept for as long as the encoder is. */
  private static final int LARGEST_KEPT = 1 << 20;

  private final byte[] header;
  private final DatumWriter<HealthRecord> writer =
      new SpecificDatumWriter<>(
          HealthRecord.getClassSchema(), new HealthRecord().getSpecificData());
  private Buffer out = new Buffer();
  private BinaryEncoder encoder;

  private RecordEncoder(byte[] header) {
    this.header = header;
  }

  /**
   * Avro single-object encoding: {@code C3 01} and the CRC-64-AVRO fingerprint of the schema's
   * parsing canonical form (8 bytes, little endian). No registry is needed to read it, only the
   * schema.
   */
  public static RecordEncoder singleObject() {
    long fingerprint = SchemaNormalization.parsingFingerprint64(HealthRecord.getClassSchema());
    return new RecordEncoder(
        ByteBuffer.allocate(WireFormat.SINGLE_OBJECT_HEADER)
            .put(WireFormat.SINGLE_OBJECT)
            .put(WireFormat.SINGLE_OBJECT_VERSION)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(fingerprint)
            .array());
  }

  /**
   * Confluent's wire format: {@code 00} and the schema's id in a registry (4 bytes, big endian).
   *
   * @param schemaId the id of {@linkplain ReleasedSchemas#current() this build's schema}
   */
  public static RecordEncoder confluent(int schemaId) {
    return new RecordEncoder(
        ByteBuffer.allocate(WireFormat.CONFLUENT_HEADER)
            .put(WireFormat.CONFLUENT)
            .putInt(schemaId)
            .array());
  }

  /**
   * The message for one record.
   *
   * @throws EncodeException if the record does not fit its schema
   */
  public byte[] encode(HealthRecord record) {
    write(record);
    return out.toByteArray();
  }

  /**
   * How many bytes {@link #encode} gives.
   *
   * @throws EncodeException if the record does not fit its schema
   */
  public int size(HealthRecord record) {
    write(record);
    return out.size();
  }

  /** How many bytes of memory are kept for the next record. */
  int kept() {
    return out.capacity();
  }

  private void write(HealthRecord record) {
    if (out.capacity() > LARGEST_KEPT) {
      out = new Buffer();
    }
    out.reset();
    out.writeBytes(header);
    encoder = EncoderFactory.get().binaryEncoder(out, encoder);
    try {
      writer.write(record, encoder);
      encoder.flush();
    } catch (IOException | RuntimeException e) {
      encoder = null; // it may hold a part of this record
      throw new EncodeException("The health record does not fit its schema: " + e.getMessage(), e);
    }
  }

  private static final class Buffer extends ByteArrayOutputStream {
    Buffer() {
      super(USUAL);
    }

    int capacity() {
      return buf.length;
    }
  }
}
