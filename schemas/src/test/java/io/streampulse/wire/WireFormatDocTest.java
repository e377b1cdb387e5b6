package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The examples of the wire format are as it is; -Dstreampulse.docs=write mends them. */
class WireFormatDocTest {
  private static final Path DOC = Path.of("../docs/wire-format.md");
  private static final int BYTES_TO_A_LINE = 32;
  private static final HealthRecord EXAMPLE =
      HealthRecord.newBuilder()
          .setAgentId("a1")
          .setSequence(7)
          .setEventType(EventType.HEARTBEAT)
          .setEventTime(Instant.parse("2026-01-02T03:04:05.678Z"))
          .setObservedTime(Instant.parse("2026-01-02T03:04:05.679Z"))
          .setAgentVersion("0.1.0")
          .build();

  @Test
  void theExamplesAreWhatIsWritten() throws Exception {
    Map<String, byte[]> examples =
        Map.of(
            "single-object", RecordEncoder.singleObject().encode(EXAMPLE),
            "confluent", RecordEncoder.confluent(7).encode(EXAMPLE));
    for (Map.Entry<String, byte[]> example : examples.entrySet()) {
      Matcher block = block(example.getKey());
      if ("write".equals(System.getProperty("streampulse.docs"))) {
        String doc = Files.readString(DOC);
        Files.writeString(
            DOC,
            doc.substring(0, block.start(1))
                + lines(example.getValue())
                + doc.substring(block.end(1)));
        block = block(example.getKey());
      }
      assertThat(bytes(block.group(1))).as(example.getKey()).isEqualTo(example.getValue());
    }
  }

  @Test
  void theTableOfItsBytesIsTheExample() throws Exception {
    byte[] message = RecordEncoder.singleObject().encode(EXAMPLE);
    List<String> cells =
        Files.readString(DOC)
            .lines()
            .dropWhile(line -> !line.contains("| marker |"))
            .takeWhile(line -> line.startsWith("|"))
            .filter(line -> line.matches("\\| `[0-9a-f]{2}( [0-9a-f]{2})*` .*"))
            .map(line -> line.substring(3, line.indexOf('`', 3)))
            .toList();
    assertThat(cells).hasSize(8);
    byte[] explained = bytes(String.join(" ", cells));
    assertThat(message).startsWith(explained);
    for (int rest = explained.length; rest < message.length; rest++) {
      assertThat(message[rest]).isZero();
    }
  }

  private static Matcher block(String name) throws IOException {
    Matcher block =
        Pattern.compile("<!-- example:" + name + " -->\n```\n(.*?)\n```", Pattern.DOTALL)
            .matcher(Files.readString(DOC));
    assertThat(block.find()).as(name).isTrue();
    return block;
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replaceAll("\\s+", ""));
  }

  private static String lines(byte[] bytes) {
    return HexFormat.of()
        .formatHex(bytes)
        .replaceAll("(.{" + 2 * BYTES_TO_A_LINE + "})(?=.)", "$1\n")
        .lines()
        .map(line -> line.replaceAll("(..)(?=.)", "$1 "))
        .collect(Collectors.joining("\n"));
  }
}
