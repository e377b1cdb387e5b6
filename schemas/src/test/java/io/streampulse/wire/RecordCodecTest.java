package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordCodecTest {
  private static final Schema V1_SCHEMA = ReleasedSchemas.all().get(0).schema();

  private final RecordEncoder encoder = RecordEncoder.singleObject();
  private final RecordDecoder decoder = new RecordDecoder();

  @Test
  void readsBackEveryField() throws Exception {
    HealthRecord record = Records.full();

    assertThat(decoder.decode(encoder.encode(record))).isEqualTo(record);
  }

  @Test
  void fullRecordLeavesNoFieldAtItsDefault() {
    HealthRecord record = Records.full();
    HealthRecord empty = Records.minimal();

    // A control for the test above: a field it forgets would prove nothing.
    for (Schema.Field field : HealthRecord.getClassSchema().getFields()) {
      if (field.hasDefaultValue()) {
        assertThat(record.get(field.pos())).as(field.name()).isNotEqualTo(empty.get(field.pos()));
      }
    }
  }

  @Test
  void beginsWithMarkerAndFingerprintLittleEndian() {
    byte[] message = encoder.encode(Records.minimal());

    assertThat(message[0]).isEqualTo((byte) 0xC3);
    assertThat(message[1]).isEqualTo((byte) 0x01);
    assertThat(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong(2))
        .isEqualTo(SchemaNormalization.parsingFingerprint64(HealthRecord.getClassSchema()));
  }

  @Test
  void encoderCanBeUsedAgainAfterARecordThatDoesNotFit() throws Exception {
    HealthRecord broken = Records.minimal();
    broken.put("agentId", null);

    assertThatThrownBy(() -> encoder.encode(broken))
        .isInstanceOf(EncodeException.class)
        .hasMessageContaining("agentId");
    assertThat(decoder.decode(encoder.encode(Records.full()))).isEqualTo(Records.full());
  }

  @Test
  void refusesNothingAtAll() {
    assertThatThrownBy(() -> decoder.decode(null)).hasMessage("The message is empty");
    assertThatThrownBy(() -> decoder.decode(new byte[0])).hasMessage("The message is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "{\"json\": true, \"long\": \"enough\"}", "\0\0\0\1", "\u00c3"})
  void refusesWhatHasNoHeader(String text) {
    assertThatThrownBy(() -> decoder.decode(text.getBytes(StandardCharsets.ISO_8859_1)))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("begins neither with 00 and a schema id");
  }

  @Test
  void refusesAnUnknownFingerprintAndNamesIt() {
    byte[] message = encoder.encode(Records.minimal());
    Arrays.fill(message, 2, 10, (byte) 0xAB);

    assertThatThrownBy(() -> decoder.decode(message))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("abababababababab");
  }

  @Test
  void refusesEveryTruncation() {
    byte[] message = encoder.encode(Records.full());

    for (int length = 1; length < message.length; length++) {
      byte[] part = Arrays.copyOf(message, length);
      assertThatThrownBy(() -> decoder.decode(part))
          .as("first %d bytes", length)
          .isInstanceOf(UndecodableException.class);
    }
  }

  @Test
  void refusesBytesLeftOver() {
    byte[] message = encoder.encode(Records.full());

    assertThatThrownBy(() -> decoder.decode(Arrays.copyOf(message, message.length + 1)))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("left over");
  }

  @Test
  void readsAnEventTypeThatIsNewerThanThisReaderAsUnknown() throws Exception {
    RecordDecoder older = new RecordDecoder(registry(Map.of(7, withEventType("PAUSED"))));
    byte[] message = RecordEncoder.confluent(7).encode(Records.minimal());
    // The body of the minimal record: agentId "a" is 2 bytes, sequence 1, then the enum's ordinal.
    message[WireFormat.CONFLUENT_HEADER + 3] = 7 << 1;

    assertThat(older.decode(message).getEventType()).isEqualTo(EventType.UNKNOWN);
  }

  @Test
  void readsConfluentsFormatAndItsHeaderFormMixedWithSingleObjects() throws Exception {
    UUID guid = UUID.randomUUID();
    RecordDecoder mixed =
        new RecordDecoder(
            registry(Map.of(300, ReleasedSchemas.current().schema(), guid, V1_SCHEMA)));
    byte[] confluent = RecordEncoder.confluent(300).encode(Records.full());
    byte[] body = Arrays.copyOfRange(confluent, WireFormat.CONFLUENT_HEADER, confluent.length);
    byte[] guidHeader =
        ByteBuffer.allocate(17)
            .put((byte) 1)
            .putLong(guid.getMostSignificantBits())
            .putLong(guid.getLeastSignificantBits())
            .array();
    byte[] idHeader = {0, 0, 0, 1, 44};

    assertThat(Arrays.copyOf(confluent, 5)).containsExactly(0, 0, 0, 1, 44);
    for (int round = 0; round < 2; round++) {
      assertThat(mixed.decode(confluent)).isEqualTo(Records.full());
      assertThat(mixed.decode(body, guidHeader)).isEqualTo(Records.full());
      assertThat(mixed.decode(concatenated(guidHeader, body))).isEqualTo(Records.full());
      assertThat(mixed.decode(body, idHeader)).isEqualTo(Records.full());
      assertThat(mixed.decode(encoder.encode(Records.full()))).isEqualTo(Records.full());
    }
    assertThatThrownBy(() -> mixed.decode(body, new byte[] {2, 0}))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("__value_schema_id is neither");
  }

  @Test
  void aSchemaIdWithoutARegistryIsUndecodableAndNamesTheSetting() {
    assertThatThrownBy(() -> decoder.decode(RecordEncoder.confluent(7).encode(Records.minimal())))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("id 7 of a registry, and spark.streampulse.schema-registry.url");
  }

  @Test
  void aNegativeIdIsNotAskedFor() {
    RecordDecoder asking = new RecordDecoder(registry(Map.of()));
    assertThatThrownBy(() -> asking.decode(RecordEncoder.confluent(-1).encode(Records.minimal())))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("the id -1");
  }

  @Test
  void aSchemaOfSomethingElseIsUndecodableAndSaysWhatDoesNotFit() {
    Schema other = SchemaBuilder.record("x.Order").fields().requiredString("agentId").endRecord();
    RecordDecoder reader = new RecordDecoder(registry(Map.of(7, other)));

    assertThatThrownBy(() -> reader.decode(RecordEncoder.confluent(7).encode(Records.minimal())))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("The schema with id 7 is no health record's: NAME_MISMATCH");
  }

  @Test
  void aSchemaWhoseArraysTakeNoBytesIsRefused() {
    Schema bomb =
        new Schema.Parser()
            .parse(
                ReleasedSchemas.current()
                    .schema()
                    .toString()
                    .replace(
                        "{\"name\":\"truncated\"",
                        "{\"name\":\"nothing\",\"type\":{\"type\":\"array\",\"items\":\"null\"}},{\"name\":\"truncated\""));
    RecordDecoder reader = new RecordDecoder(registry(Map.of(7, bomb)));

    assertThatThrownBy(() -> reader.decode(RecordEncoder.confluent(7).encode(Records.minimal())))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("array of items without bytes");
  }

  @Test
  void aBodyThatNestsForEverIsUndecodable() {
    Schema nesting =
        new Schema.Parser()
            .parse(
                ReleasedSchemas.current()
                    .schema()
                    .toString()
                    .replaceFirst(
                        "\"fields\":\\[",
                        "\"fields\":[{\"name\":\"node\",\"type\":{\"type\":\"record\",\"name\":\"Node\",\"fields\":[{\"name\":\"next\",\"type\":[\"null\",\"Node\"]}]}},"));
    RecordDecoder reader = new RecordDecoder(registry(Map.of(7, nesting)));
    byte[] message = new byte[1_000_000];
    Arrays.fill(message, 5, message.length, (byte) 2);
    message[4] = 7;

    assertThatThrownBy(() -> reader.decode(message))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("nested too deep");
  }

  private static byte[] concatenated(byte[] first, byte[] second) {
    return ByteBuffer.allocate(first.length + second.length).put(first).put(second).array();
  }

  private static SchemaLookup registry(Map<Object, Schema> schemas) {
    return new SchemaLookup() {
      @Override
      public Schema byId(int id) {
        return schemas.get(id);
      }

      @Override
      public Schema byGuid(UUID guid) {
        return schemas.get(guid);
      }
    };
  }

  private static Schema withEventType(String symbol) {
    String json = HealthRecord.getClassSchema().toString();
    String newer = json.replace("\"AGENT_STOPPED\"]", "\"AGENT_STOPPED\",\"" + symbol + "\"]");
    assertThat(newer).isNotEqualTo(json);
    return new Schema.Parser().parse(newer);
  }

  @Test
  void aLargeRecordsBufferIsNotKept() throws Exception {
    RecordEncoder encoder = RecordEncoder.singleObject();
    HealthRecord large = Records.minimal();
    large.setException("x".repeat(3 << 20));

    assertThat(encoder.size(large)).isEqualTo(encoder.encode(large).length);
    assertThat(encoder.kept()).as("a control").isGreaterThan(3 << 20);
    assertThat(encoder.size(Records.minimal()))
        .isEqualTo(encoder.encode(Records.minimal()).length)
        .isEqualTo(RecordEncoder.singleObject().encode(Records.minimal()).length);
    assertThat(encoder.kept()).isLessThan(1 << 20);
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 20, 1L << 30, (1L << 31) - 100, 1L << 60, Long.MAX_VALUE})
  void aLengthThatTheMessageDoesNotHaveTakesNoMemory(long length) throws Exception {
    // "dropped" is a map and follows the six fields of a minimal record; "jobTags" is an array.
    for (byte[] bomb :
        List.of(
            bomb("agentId", out -> out.writeLong(length)),
            bomb("dropped", out -> out.writeLong(length)),
            bomb("jobTags", out -> out.writeLong(length)),
            // A negative count is followed by the size of the block in bytes.
            bomb(
                "jobTags",
                out -> {
                  out.writeLong(-length);
                  out.writeLong(0);
                }))) {
      long before = allocated();
      assertThatThrownBy(() -> decoder.decode(bomb)).isInstanceOf(UndecodableException.class);
      assertThat(allocated() - before).as("bytes allocated").isLessThan(1 << 20);
    }
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  /** A message that is whole up to a field, which announces more than there is. */
  private byte[] bomb(String field, Announcement announcement) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(encoder.encode(Records.minimal()), 0, WireFormat.SINGLE_OBJECT_HEADER);
    BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
    HealthRecord record = Records.minimal();
    GenericDatumWriter<Object> writer = new GenericDatumWriter<>(null, record.getSpecificData());
    for (Schema.Field before : HealthRecord.getClassSchema().getFields()) {
      if (before.name().equals(field)) {
        announcement.write(out);
        return bytes.toByteArray();
      }
      writer.setSchema(before.schema());
      Object value = record.get(before.pos());
      writer.write(value, out);
    }
    throw new IllegalArgumentException(field);
  }

  private interface Announcement {
    void write(BinaryEncoder out) throws IOException;
  }
}
