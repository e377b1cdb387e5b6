package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.streampulse.schema.HealthRecord;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random and mutated messages: each is a record or {@link UndecodableException}, in memory bounded
 * by its size. {@code -Dstreampulse.fuzz.messages} says how many, {@code -Dstreampulse.fuzz.seed}
 * which. What was or could be a way to break it is kept in {@code src/test/resources/fuzz}.
 */
class RecordDecoderFuzzTest {
  private static final int MESSAGES = Integer.getInteger("streampulse.fuzz.messages", 50_000);
  private static final Path REGRESSIONS = Path.of("src/test/resources/fuzz");
  private static final UUID GUID = new UUID(7, 7);

  /** A message's objects are larger than its bytes: an empty map of one byte is about 100. */
  private static final long BYTES_FOR_EACH = 400;

  private static final long BYTES_AT_LEAST = 300_000;

  private static final RecordDecoder DECODER = new RecordDecoder(new Registry());

  /** Classes are loaded and schemas resolved before memory is measured. */
  @BeforeAll
  static void warmUp() {
    for (byte[] original : originals()) {
      for (byte[] message : List.of(original, Arrays.copyOf(original, 20))) {
        try {
          DECODER.decode(message);
        } catch (UndecodableException e) {
          assertThat(e.getMessage()).isNotBlank();
        }
      }
    }
  }

  private static List<byte[]> originals() {
    return List.of(
        RecordEncoder.singleObject().encode(Records.full()),
        RecordEncoder.singleObject().encode(Records.minimal()),
        RecordEncoder.confluent(1).encode(Records.full()),
        RecordEncoder.confluent(2).encode(Records.full()),
        RecordEncoder.confluent(3).encode(Records.minimal()));
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void everyMessageIsARecordOrUndecodableInBoundedMemory() throws Exception {
    long seed = Long.getLong("streampulse.fuzz.seed", System.nanoTime());
    Random random = new Random(seed);
    List<byte[]> originals = originals();
    int records = 0;
    for (int number = 0; number < MESSAGES; number++) {
      byte[] original = originals.get(random.nextInt(originals.size()));
      byte[] message =
          random.nextInt(4) == 0 ? random(random, original) : mutated(random, original);
      byte[] header = random.nextInt(10) == 0 ? header(random) : null;
      try {
        records += decode(message, header) ? 1 : 0;
      } catch (Throwable e) {
        fail(
            "seed %d, message %d: header %s, value %s: %s"
                .formatted(
                    seed,
                    number,
                    header == null ? "none" : HexFormat.of().formatHex(header),
                    HexFormat.of().formatHex(message),
                    e),
            e);
      }
    }
    assertThat(records).as("some mutations leave a record").isBetween(1, MESSAGES - 1);
    System.out.printf("%,d messages, %,d of them records, seed %d%n", MESSAGES, records, seed);
  }

  @ParameterizedTest
  @MethodSource("regressions")
  void whatIsKeptOfFormerRunsIsUndecodable(Path file) throws Exception {
    assertThat(decode(HexFormat.of().parseHex(Files.readString(file).strip()), null)).isFalse();
  }

  static List<Path> regressions() throws Exception {
    try (Stream<Path> files = Files.list(REGRESSIONS)) {
      return files.sorted().toList();
    }
  }

  /** Whether it is a record; anything but that or UndecodableException is thrown on. */
  private static boolean decode(byte[] message, byte[] header) throws Exception {
    long before = allocated();
    HealthRecord record;
    try {
      record = DECODER.decode(message, header);
    } catch (UndecodableException e) {
      record = null;
      assertThat(e.getMessage()).isNotBlank();
    }
    assertThat(allocated() - before)
        .as("bytes allocated for %d", message.length)
        .isLessThan(BYTES_AT_LEAST + BYTES_FOR_EACH * message.length);
    if (record == null) {
      return false;
    }
    byte[] again = RecordEncoder.singleObject().encode(record);
    assertThat(DECODER.decode(again)).isEqualTo(record);
    return true;
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  /** A header that is right, and a body that is not even wrong. */
  private static byte[] random(Random random, byte[] original) {
    byte[] message = new byte[random.nextInt(400)];
    random.nextBytes(message);
    int kept = Math.min(message.length, random.nextBoolean() ? 10 : 5);
    System.arraycopy(original, 0, message, 0, Math.min(kept, original.length));
    return message;
  }

  private static byte[] mutated(Random random, byte[] original) {
    byte[] message = original.clone();
    for (int round = 1 + random.nextInt(4); round > 0; round--) {
      int at = message.length == 0 ? 0 : random.nextInt(message.length);
      switch (random.nextInt(7)) {
        case 0 -> message = Arrays.copyOf(message, at);
        case 1 -> message = inserted(message, at, random);
        case 2 -> message = Arrays.copyOf(message, message.length + random.nextInt(20));
        case 3 -> message = withBlock(message, at, random);
        default -> {
          if (message.length > 0) {
            message[at] =
                (byte)
                    (random.nextBoolean()
                        ? message[at] ^ (1 << random.nextInt(8))
                        : special(random));
          }
        }
      }
    }
    return message;
  }

  private static byte[] inserted(byte[] message, int at, Random random) {
    byte[] more = new byte[1 + random.nextInt(10)];
    Arrays.fill(more, (byte) special(random));
    return ByteBuffer.allocate(message.length + more.length)
        .put(message, 0, at)
        .put(more)
        .put(message, at, message.length - at)
        .array();
  }

  /** A block that says how many bytes it has, and a text in it that says more. */
  private static byte[] withBlock(byte[] message, int at, Random random) {
    byte[] block = {
      1, (byte) random.nextInt(14), (byte) 0x80, (byte) 0xbc, (byte) 0xc1, (byte) 0x96, 0x0b
    };
    return ByteBuffer.allocate(message.length + block.length)
        .put(message, 0, at)
        .put(block)
        .put(message, at, message.length - at)
        .array();
  }

  /** Ends of ranges and of Avro's variable-length numbers. */
  private static int special(Random random) {
    int[] bytes = {0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF};
    return bytes[random.nextInt(bytes.length)];
  }

  private static byte[] header(Random random) {
    byte[] header = {1, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 7};
    if (random.nextBoolean()) {
      header[random.nextInt(header.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(header, random.nextInt(20)) : header;
  }

  /** Our schema, a newer one, and one that holds itself and much that we don't know. */
  private static final class Registry implements SchemaLookup {
    private static final String JSON = ReleasedSchemas.current().schema().toString();
    private final Map<Integer, Schema> schemas =
        Map.of(
            1, parse("\"doc\":\"New.\"},"),
            2, parse("\"type\":[\"null\",\"bytes\"],\"default\":null},"),
            3,
                parse(
                    "\"type\":{\"type\":\"record\",\"name\":\"Node\",\"fields\":[{\"name\":\"next\",\"type\":[\"null\",\"Node\"]},{\"name\":\"fixed\",\"type\":{\"type\":\"fixed\",\"name\":\"F\",\"size\":3}},{\"name\":\"maps\",\"type\":{\"type\":\"map\",\"values\":{\"type\":\"array\",\"items\":\"double\"}}}]}},"));

    private static Schema parse(String field) {
      String newer =
          field.startsWith("\"doc\"")
              ? JSON
              : JSON.replaceFirst("\"fields\":\\[", "\"fields\":[{\"name\":\"more\"," + field);
      return new Schema.Parser().parse(newer);
    }

    @Override
    public Schema byId(int id) throws UndecodableException {
      Schema schema = schemas.get(id);
      if (schema == null) {
        throw new UndecodableException("none");
      }
      return schema;
    }

    @Override
    public Schema byGuid(UUID guid) throws UndecodableException {
      if (!guid.equals(GUID)) {
        throw new UndecodableException("none");
      }
      return schemas.get(1);
    }
  }
}
