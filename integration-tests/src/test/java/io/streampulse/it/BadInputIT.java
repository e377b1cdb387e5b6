package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.HealthMessages;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** Whatever is in the topic: it is kept, with reason and coordinates, and the stream goes on. */
class BadInputIT {
  private static final int HEADER = 10;

  @Test
  void everyUndecodableMessageIsInTheQuarantineAsItWas() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("bad-input-it", 2)) {
      Map<RecordMetadata, byte[]> sent = new LinkedHashMap<>();
      it.messages.send(0, 5);
      for (byte[] bad : badMessages()) {
        sent.put(it.messages.sendRaw(1, bad), bad);
        it.messages.send(5 + sent.size(), 6 + sent.size());
      }
      it.messages.sendRaw(0, ofNearlyAMegabyte());
      int good = 6 + sent.size();
      it.runUntilCaughtUp();
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.numbers()).hasSize(good);
      List<Row> quarantined =
          it.rows(it.table + "_quarantine").orderBy("kafka.offset").collectAsList();
      assertThat(quarantined).hasSize(sent.size());
      int i = 0;
      for (Map.Entry<RecordMetadata, byte[]> message : sent.entrySet()) {
        Row row = quarantined.get(i++);
        Row kafka = row.getAs("kafka");
        assertThat(kafka.<String>getAs("topic")).isEqualTo(it.topic);
        assertThat(kafka.<Integer>getAs("partition")).isEqualTo(message.getKey().partition());
        assertThat(kafka.<Long>getAs("offset")).isEqualTo(message.getKey().offset());
        assertThat(kafka.<java.sql.Timestamp>getAs("timestamp").getTime())
            .isEqualTo(message.getKey().timestamp());
        assertThat(row.<byte[]>getAs("value")).isEqualTo(message.getValue());
        assertThat(row.<String>getAs("reason")).isNotBlank();
      }
      assertThat(quarantined.stream().map(row -> row.<String>getAs("reason")))
          .anyMatch(reason -> reason.contains("empty"))
          .anyMatch(reason -> reason.contains("damaged"))
          .anyMatch(reason -> reason.contains("newer than this consumer"))
          .anyMatch(reason -> reason.contains("left over"));
    }
  }

  @Test
  void aBatchOfNothingButGarbageLeavesNoRowInTheHealthTable() {
    try (ConsumerFixture it = new ConsumerFixture("only-garbage-it", 1)) {
      for (int i = 0; i < 20; i++) {
        it.messages.sendRaw(0, ("garbage " + i).getBytes(StandardCharsets.UTF_8));
      }
      it.runUntilCaughtUp();
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.rows(it.table).count()).isZero();
    }
  }

  private static List<byte[]> badMessages() throws IOException {
    byte[] good = HealthMessages.numbered(1);
    return Arrays.asList(
        "not a record".getBytes(StandardCharsets.UTF_8),
        new byte[0],
        null,
        new byte[] {(byte) 0xC3, 1},
        Arrays.copyOf(good, HEADER),
        Arrays.copyOf(good, good.length - 3),
        Arrays.copyOf(good, good.length + 1),
        withFingerprint(good, 42),
        ofANewerSchema(),
        wrongTypes(good),
        large(good),
        bomb(good, 1L << 60),
        bomb(good, 1L << 30),
        hiddenBomb(good));
  }

  /** As large as a broker takes by default, and a record all the same. */
  private static byte[] ofNearlyAMegabyte() throws Exception {
    HealthRecord record = new RecordDecoder().decode(HealthMessages.numbered(1_000));
    record.setException("x".repeat(1_000_000));
    return RecordEncoder.singleObject().encode(record);
  }

  private static byte[] withFingerprint(byte[] message, long fingerprint) {
    byte[] copy = message.clone();
    ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN).putLong(2, fingerprint);
    return copy;
  }

  /** A message as an agent of next year may write it. */
  private static byte[] ofANewerSchema() throws IOException {
    Schema newer =
        SchemaBuilder.record("io.streampulse.schema.HealthRecord")
            .fields()
            .requiredString("agentId")
            .requiredLong("sequence")
            .optionalString("fieldOfNextYear")
            .endRecord();
    GenericRecord record =
        new GenericRecordBuilder(newer).set("agentId", "a").set("sequence", 1L).build();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(new byte[HEADER]);
    BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(newer).write(record, out);
    byte[] message = bytes.toByteArray();
    message[0] = (byte) 0xC3;
    message[1] = 1;
    return withFingerprint(message, SchemaNormalization.parsingFingerprint64(newer));
  }

  /** The right header before a body in which a long stands where a text should. */
  private static byte[] wrongTypes(byte[] good) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(good, 0, HEADER);
    BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
    for (Schema.Field field : HealthRecord.getClassSchema().getFields()) {
      out.writeLong(-field.pos() - 1L);
    }
    return bytes.toByteArray();
  }

  /** About as large as the broker takes: a record, and a megabyte behind it. */
  private static byte[] large(byte[] good) {
    return Arrays.copyOf(good, 1_000_000);
  }

  /** The record's first text announces more bytes than there are. */
  private static byte[] bomb(byte[] good, long length) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(good, 0, HEADER);
    EncoderFactory.get().directBinaryEncoder(bytes, null).writeLong(length);
    return bytes.toByteArray();
  }

  /** A map's block that says it has five bytes, and holds a key that says it has a gigabyte. */
  private static byte[] hiddenBomb(byte[] good) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(good, 0, HEADER);
    BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
    out.writeString("a");
    out.writeLong(0);
    out.writeEnum(0);
    out.writeLong(1);
    out.writeLong(2);
    out.writeString("0");
    out.writeLong(-1);
    out.writeLong(5);
    out.writeLong(1_500_000_000);
    out.writeFixed(new byte[45]);
    return bytes.toByteArray();
  }
}
