package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordEncoder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DecodeCommandTest {
  private static final byte[] MESSAGE =
      RecordEncoder.singleObject()
          .encode(
              HealthRecord.newBuilder()
                  .setAgentId("a \"quoted\" id")
                  .setSequence(1L << 60)
                  .setEventType(EventType.PROGRESS)
                  .setEventTime(Instant.ofEpochMilli(1))
                  .setObservedTime(Instant.ofEpochMilli(2))
                  .setAgentVersion("0")
                  .setInputRowsPerSecond(Double.NaN)
                  .setLatencies(Map.of("e2e", Map.of("P99", 4.5)))
                  .build());

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine decode =
      new CommandLine(new DecodeCommand())
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  @Test
  void aRawMessageBecomesALineOfJson() throws Exception {
    Path file = Files.write(folder.resolve("m.bin"), MESSAGE);

    assertThat(decode.execute(file.toString())).as(err.toString()).isZero();
    JsonNode line = new ObjectMapper().readTree(out.toString());
    assertThat(line.path("format").asText())
        .matches("single object, fingerprint [0-9a-f]{16}, schema version \\d+");
    JsonNode record = line.path("record");
    assertThat(record.path("agentId").asText()).isEqualTo("a \"quoted\" id");
    assertThat(record.path("sequence").asLong()).isEqualTo(1L << 60);
    assertThat(record.path("eventTime").asText()).isEqualTo("1970-01-01T00:00:00.001Z");
    assertThat(record.path("latencies").path("e2e").path("P99").asDouble()).isEqualTo(4.5);
    assertThat(record.path("queryId").isNull()).isTrue();
  }

  @Test
  void linesOfHexAndWhatIsNoRecordSaysWhyAndTheExitCodeIs1() throws Exception {
    String hex = HexFormat.of().formatHex(MESSAGE);
    Path file = Files.write(folder.resolve("m.hex"), List.of(hex, "", "0000000007aa", hex));

    assertThat(decode.execute("--input", "hex", file.toString())).isEqualTo(1);
    List<String> lines = out.toString().lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(1))
        .contains("\"line\":3", "\"format\":\"Confluent, schema id 7\"")
        .contains("\"undecodable\":\"The message names its schema by id 7 of a registry")
        .contains("\"value\":\"0000000007aa\"");
  }

  @Test
  void ofSeveralFilesEachLineNamesItsOwn() throws Exception {
    String hex = HexFormat.of().formatHex(MESSAGE);
    Path one = Files.write(folder.resolve("1.hex"), List.of(hex));
    Path two = Files.write(folder.resolve("2.hex"), List.of(hex));

    assertThat(decode.execute("--input", "hex", one.toString(), two.toString())).isZero();
    assertThat(out.toString().lines())
        .satisfiesExactly(
            line -> assertThat(line).contains("1.hex\",\"line\":1"),
            line -> assertThat(line).contains("2.hex\",\"line\":1"));
  }

  @Test
  void whatCanNotBeReadIsNamed() throws Exception {
    Path file = Files.write(folder.resolve("m.hex"), List.of("zz"));

    assertThat(decode.execute("--input", "hex", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("m.hex can't be read: line 1 is not hex");
    assertThat(decode.execute("/not/there")).isEqualTo(2);
    assertThat(err.toString()).contains("/not/there can't be read: ");
    assertThat(decode.execute("--topic", "x")).isEqualTo(2);
    assertThat(decode.execute("--topic")).isEqualTo(2);
    assertThat(err.toString()).contains("bootstrap.servers is required");
  }
}
