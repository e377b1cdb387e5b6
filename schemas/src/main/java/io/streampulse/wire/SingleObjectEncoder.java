package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.avro.message.BinaryMessageEncoder;

/**
 * Writes a {@link HealthRecord} in Avro single-object encoding: {@code C3 01}, the CRC-64-AVRO
 * fingerprint of the schema's parsing canonical form (8 bytes, little endian), the Avro body. No
 * registry is needed to read it, only the schema.
 *
 * <p>Not thread-safe: one encoder per thread.
 *
 * @see <a href="https://avro.apache.org/docs/1.12.0/specification/#single-object-encoding">Avro
 *     specification, single-object encoding</a>
 */
public final class SingleObjectEncoder {
  private final BinaryMessageEncoder<HealthRecord> encoder =
      new BinaryMessageEncoder<>(
          new HealthRecord().getSpecificData(), HealthRecord.getClassSchema());
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);

  /**
   * The message for one record.
   *
   * @throws EncodeException if the record does not fit its schema
   */
  public byte[] encode(HealthRecord record) {
    out.reset();
    try {
      encoder.encode(record, out);
    } catch (IOException | RuntimeException e) {
      throw new EncodeException("The health record does not fit its schema: " + e.getMessage(), e);
    }
    return out.toByteArray();
  }
}
