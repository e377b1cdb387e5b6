package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.data.TimeConversions;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.specific.SpecificData;
import org.apache.avro.specific.SpecificDatumReader;

/**
 * Reads {@link HealthRecord}s out of messages of any wire format, mixed, whichever schema version
 * wrote them, resolved against this build's schema:
 *
 * <ul>
 *   <li>a header {@value #SCHEMA_ID_HEADER} with a GUID (or an id) and a bare Avro body:
 *       Confluent's header form;
 *   <li>first byte {@code 00}: Confluent's wire format, an id and the body; {@code 01}: the same
 *       with a GUID;
 *   <li>first byte {@code C3}: Avro single-object encoding, a fingerprint and the body, for every
 *       {@linkplain ReleasedSchemas released} schema.
 * </ul>
 *
 * <p>A message must be exactly one record: bytes left over after it are refused, because a body
 * that ends early in one schema and not in another is how a wrong schema shows itself. Memory and
 * time are bounded by the message's size.
 *
 * <p>Not thread-safe: one decoder per thread.
 */
public final class RecordDecoder {
  /** The message header by which Confluent's serializers name the schema, if not in the value. */
  public static final String SCHEMA_ID_HEADER = "__value_schema_id";

  /** More schemas than any topic has; garbage must not fill the memory. */
  private static final int MOST_SCHEMAS = 200;

  /** Not a subclass: only for this class itself Avro builds its faster readers. */
  private static final SpecificData DATA = new SpecificData();

  static {
    DATA.addLogicalTypeConversion(new TimeConversions.TimestampMillisConversion());
  }

  private final SchemaLookup registry;
  private final Map<Object, Reading> readings = new LruMap<>(MOST_SCHEMAS);
  private BinaryDecoder body;

  /** A decoder for messages that need no registry. */
  public RecordDecoder() {
    this(SchemaLookup.none());
  }

  /** A decoder that asks a registry for the schemas that messages name by its ids. */
  public RecordDecoder(SchemaLookup registry) {
    this.registry = registry;
  }

  /**
   * The record of one message without headers.
   *
   * @throws UndecodableException if the bytes are not one health record of a known schema
   */
  public HealthRecord decode(byte[] message) throws UndecodableException {
    return decode(message, null);
  }

  /**
   * The record of one message.
   *
   * @param schemaId the value of its header {@value #SCHEMA_ID_HEADER}; null where it has none
   * @throws UndecodableException if the bytes are not one health record of a known schema
   * @throws RuntimeException what the registry throws while it can't be asked
   */
  public HealthRecord decode(byte[] message, byte[] schemaId) throws UndecodableException {
    if (message == null || message.length == 0) {
      throw new UndecodableException("The message is empty");
    }
    if (schemaId != null) {
      return read(named(schemaId), message, 0);
    }
    if (message[0] == WireFormat.CONFLUENT && message.length >= WireFormat.CONFLUENT_HEADER) {
      return read(byId(ByteBuffer.wrap(message).getInt(1)), message, WireFormat.CONFLUENT_HEADER);
    }
    if (message[0] == WireFormat.GUID && message.length >= WireFormat.GUID_HEADER) {
      return read(byGuid(guid(message)), message, WireFormat.GUID_HEADER);
    }
    if (message[0] == WireFormat.SINGLE_OBJECT
        && message.length >= WireFormat.SINGLE_OBJECT_HEADER
        && message[1] == WireFormat.SINGLE_OBJECT_VERSION) {
      long fingerprint = ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong(2);
      return read(byFingerprint(fingerprint), message, WireFormat.SINGLE_OBJECT_HEADER);
    }
    throw new UndecodableException(
        "The message begins neither with 00 and a schema id (Confluent) nor with C3 01 and a fingerprint (Avro single object)");
  }

  /** How a message names its schema, in words; nothing is looked up. */
  public static String format(byte[] message, byte[] schemaId) {
    if (schemaId != null) {
      return "Confluent, in header " + SCHEMA_ID_HEADER;
    }
    if (message == null || message.length < WireFormat.CONFLUENT_HEADER) {
      return "none";
    }
    ByteBuffer bytes = ByteBuffer.wrap(message);
    return switch (message[0]) {
      case WireFormat.CONFLUENT -> "Confluent, schema id " + bytes.getInt(1);
      case WireFormat.GUID ->
          message.length < WireFormat.GUID_HEADER ? "none" : "Confluent, GUID " + guid(message);
      case WireFormat.SINGLE_OBJECT ->
          message.length < WireFormat.SINGLE_OBJECT_HEADER
              ? "none"
              : singleObject(bytes.order(ByteOrder.LITTLE_ENDIAN).getLong(2));
      default -> "none";
    };
  }

  private static String singleObject(long fingerprint) {
    return "single object, fingerprint %016x".formatted(fingerprint)
        + ReleasedSchemas.withFingerprint(fingerprint)
            .map(release -> ", schema version " + release.version())
            .orElse("");
  }

  private SpecificDatumReader<HealthRecord> named(byte[] schemaId) throws UndecodableException {
    if (schemaId.length == WireFormat.GUID_HEADER && schemaId[0] == WireFormat.GUID) {
      return byGuid(guid(schemaId));
    }
    if (schemaId.length == WireFormat.CONFLUENT_HEADER && schemaId[0] == WireFormat.CONFLUENT) {
      return byId(ByteBuffer.wrap(schemaId).getInt(1));
    }
    throw new UndecodableException(
        "The message's header %s is neither 01 and a GUID nor 00 and a schema id"
            .formatted(SCHEMA_ID_HEADER));
  }

  private static UUID guid(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(1), buffer.getLong(9));
  }

  private SpecificDatumReader<HealthRecord> byFingerprint(long fingerprint)
      throws UndecodableException {
    return reader(
        fingerprint,
        () ->
            ReleasedSchemas.withFingerprint(fingerprint)
                .orElseThrow(
                    () ->
                        new UndecodableException(
                            "No known schema has the fingerprint %016x: the agent may be newer than this consumer"
                                .formatted(fingerprint)))
                .schema());
  }

  private SpecificDatumReader<HealthRecord> byId(int id) throws UndecodableException {
    if (id < 0) {
      // Not worth a question: registries count from 1, and may take this for a bad request.
      throw new UndecodableException("No registry gives a schema the id " + id);
    }
    return reader(id, () -> registry.byId(id));
  }

  private SpecificDatumReader<HealthRecord> byGuid(UUID guid) throws UndecodableException {
    return reader(guid, () -> registry.byGuid(guid));
  }

  private SpecificDatumReader<HealthRecord> reader(Object name, Search search)
      throws UndecodableException {
    Reading known = readings.get(name);
    if (known == null) {
      known = Reading.of(search.schema(), name);
      readings.put(name, known);
    }
    if (known.refusal() != null) {
      throw new UndecodableException(known.refusal());
    }
    return known.reader();
  }

  private HealthRecord read(SpecificDatumReader<HealthRecord> reader, byte[] message, int from)
      throws UndecodableException {
    MessageWalk.requireWhole(reader.getSchema(), message, from);
    try {
      body = DecoderFactory.get().binaryDecoder(message, from, message.length - from, body);
      return reader.read(null, body);
    } catch (IOException | RuntimeException e) {
      throw new UndecodableException("The Avro body is damaged: " + e, e);
    }
  }

  /** How messages of one schema are read, or why they can't be. */
  private record Reading(SpecificDatumReader<HealthRecord> reader, String refusal) {
    static Reading of(Schema writer, Object name) {
      String refusal = WriterSchema.refusal(writer, name).orElse(null);
      return new Reading(
          refusal == null
              ? new SpecificDatumReader<>(writer, HealthRecord.getClassSchema(), DATA)
              : null,
          refusal);
    }
  }

  private interface Search {
    Schema schema() throws UndecodableException;
  }
}
