package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.schema.ActiveRun;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SinkProgress;
import io.streampulse.schema.SourceProgress;
import io.streampulse.schema.StateOperatorProgress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SingleObjectTest {
  private final SingleObjectEncoder encoder = new SingleObjectEncoder();
  private final SingleObjectDecoder decoder = new SingleObjectDecoder();

  @Test
  void readsBackEveryField() throws Exception {
    HealthRecord record = full();

    assertThat(decoder.decode(encoder.encode(record))).isEqualTo(record);
  }

  @Test
  void fullRecordLeavesNoFieldAtItsDefault() {
    HealthRecord record = full();
    HealthRecord empty = minimal();

    // A control for the test above: a field it forgets would prove nothing.
    for (Schema.Field field : HealthRecord.getClassSchema().getFields()) {
      if (field.hasDefaultValue()) {
        assertThat(record.get(field.pos())).as(field.name()).isNotEqualTo(empty.get(field.pos()));
      }
    }
  }

  @Test
  void beginsWithMarkerAndFingerprintLittleEndian() {
    byte[] message = encoder.encode(minimal());

    assertThat(message[0]).isEqualTo((byte) 0xC3);
    assertThat(message[1]).isEqualTo((byte) 0x01);
    assertThat(ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).getLong(2))
        .isEqualTo(SchemaNormalization.parsingFingerprint64(HealthRecord.getClassSchema()));
  }

  @Test
  void encoderCanBeUsedAgainAfterARecordThatDoesNotFit() throws Exception {
    HealthRecord broken = minimal();
    broken.put("agentId", null);

    assertThatThrownBy(() -> encoder.encode(broken))
        .isInstanceOf(EncodeException.class)
        .hasMessageContaining("agentId");
    assertThat(decoder.decode(encoder.encode(full()))).isEqualTo(full());
  }

  @Test
  void refusesNothingAtAll() {
    assertThatThrownBy(() -> decoder.decode(null)).hasMessage("The message is empty");
    assertThatThrownBy(() -> decoder.decode(new byte[0])).hasMessage("The message is empty");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "{\"json\": true, \"long\": \"enough\"}", "\0\0\0\0\1abcdefghij"})
  void refusesWhatHasNoHeader(String text) {
    assertThatThrownBy(() -> decoder.decode(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("single-object header");
  }

  @Test
  void refusesAnUnknownFingerprintAndNamesIt() {
    byte[] message = encoder.encode(minimal());
    Arrays.fill(message, 2, 10, (byte) 0xAB);

    assertThatThrownBy(() -> decoder.decode(message))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("abababababababab");
  }

  @Test
  void refusesEveryTruncation() {
    byte[] message = encoder.encode(full());

    for (int length = 1; length < message.length; length++) {
      byte[] part = Arrays.copyOf(message, length);
      assertThatThrownBy(() -> decoder.decode(part))
          .as("first %d bytes", length)
          .isInstanceOf(UndecodableException.class);
    }
  }

  @Test
  void refusesBytesLeftOver() {
    byte[] message = encoder.encode(full());

    assertThatThrownBy(() -> decoder.decode(Arrays.copyOf(message, message.length + 1)))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("left over");
  }

  @Test
  void readsAnEventTypeThatIsNewerThanThisReaderAsUnknown() throws Exception {
    Schema newer = withEventType("PAUSED");
    SingleObjectDecoder older = new SingleObjectDecoder(newer);
    byte[] message = encoder.encode(minimal());
    ByteBuffer.wrap(message)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(2, SchemaNormalization.parsingFingerprint64(newer));
    // The body of the minimal record: agentId "a" is 2 bytes, sequence 1, then the enum's ordinal.
    message[13] = 7 << 1;

    assertThat(older.decode(message).getEventType()).isEqualTo(EventType.UNKNOWN);
  }

  private static Schema withEventType(String symbol) {
    String json = HealthRecord.getClassSchema().toString();
    String newer = json.replace("\"AGENT_STOPPED\"]", "\"AGENT_STOPPED\",\"" + symbol + "\"]");
    assertThat(newer).isNotEqualTo(json);
    return new Schema.Parser().parse(newer);
  }

  @Test
  void aSchemaOfAnotherRecordIsNotMistakenForOurs() {
    Schema other = SchemaBuilder.record("Other").fields().requiredString("agentId").endRecord();

    assertThat(SchemaNormalization.parsingFingerprint64(other))
        .isNotEqualTo(SchemaNormalization.parsingFingerprint64(HealthRecord.getClassSchema()));
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
    bytes.write(encoder.encode(minimal()), 0, SingleObjectDecoder.HEADER_LENGTH);
    BinaryEncoder out = EncoderFactory.get().directBinaryEncoder(bytes, null);
    HealthRecord record = minimal();
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

  private static HealthRecord minimal() {
    return HealthRecord.newBuilder()
        .setAgentId("a")
        .setSequence(0)
        .setEventType(EventType.HEARTBEAT)
        .setEventTime(Instant.ofEpochMilli(1))
        .setObservedTime(Instant.ofEpochMilli(2))
        .setAgentVersion("0")
        .build();
  }

  private static HealthRecord full() {
    Instant time = Instant.parse("2026-01-02T03:04:05.678Z");
    return HealthRecord.newBuilder(minimal())
        .setDropped(Map.of("buffer_full", 3L))
        .setApplicationId("app-1")
        .setApplicationName("job")
        .setSparkVersion("4.2.0")
        .setHost("driver")
        .setClusterId("c")
        .setJobId("j")
        .setJobRunId("r")
        .setTags(Map.of("team", "\u00fcber \uD83D\uDE80"))
        .setQueryId("q")
        .setRunId("run")
        .setQueryName("name")
        .setJobTags(List.of("tag"))
        .setBatchId(Long.MAX_VALUE)
        .setNumInputRows(5L)
        .setInputRowsPerSecond(0.04)
        .setProcessedRowsPerSecond(Double.MIN_VALUE)
        .setFallingBehind(true)
        .setFallingBehindStreak(2)
        .setBatchDurationMs(7L)
        .setDurationMs(Map.of("addBatch", 6L))
        .setWatermark(time)
        .setEventTimeStats(Map.of("max", "2026-01-02T03:04:05.678Z"))
        .setSources(
            List.of(
                SourceProgress.newBuilder()
                    .setDescription("KafkaV2[Subscribe[t]]")
                    .setEndOffset("{\"t\":{\"0\":9223372036854775807}}")
                    .setMetrics(Map.of("maxOffsetsBehindLatest", "-5"))
                    .setBacklog(9L)
                    .build()))
        .setSink(SinkProgress.newBuilder().setDescription("sink").setNumOutputRows(4L).build())
        .setStateOperators(
            List.of(StateOperatorProgress.newBuilder().setOperatorName("dedupe").build()))
        .setObservedMetrics(Map.of("m", "{\"avg\":1.5}"))
        .setLatencies(Map.of("e2eLatencyMs", Map.of("P99", 4.0)))
        .setTaskMetrics(Map.of("stage_0_task_0", Map.of("busyTimeFraction", 0.03)))
        .setErrorClass("STREAM_FAILED")
        .setErrorMessage("no")
        .setException("no\n\tat x")
        .setActiveRuns(List.of(new ActiveRun("q", "run", null)))
        .setTruncated(List.of("exception"))
        .build();
  }
}
