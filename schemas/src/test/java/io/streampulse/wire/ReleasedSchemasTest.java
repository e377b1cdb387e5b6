package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.HealthRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class ReleasedSchemasTest {
  private static final Path FOLDER = Path.of("src/main/avro/released");

  @Test
  void releasedFilesAreNeverEdited() throws Exception {
    for (String line : lines()) {
      String[] parts = line.split(" ", -1);
      Path file = FOLDER.resolve("HealthRecord.v" + parts[0] + ".avsc");
      assertThat(HexFormat.of().formatHex(sha256(file)))
          .as(
              "%s was released and must stay as it is: a change is a new version, in a new file",
              file)
          .isEqualTo(parts[2]);
      assertThat(ReleasedSchemas.withFingerprint(Long.parseUnsignedLong(parts[1], 16)))
          .as("fingerprint of version %s", parts[0])
          .hasValueSatisfying(
              release -> assertThat(release.version()).isEqualTo(Integer.parseInt(parts[0])));
    }
  }

  @Test
  void versionsCountFromOneAndEveryFileIsListed() throws Exception {
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(files.filter(file -> file.toString().endsWith(".avsc")))
          .hasSize(ReleasedSchemas.all().size());
    }
    assertThat(ReleasedSchemas.all().stream().map(ReleasedSchemas.Release::version))
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, ReleasedSchemas.all().size()).boxed().toList());
  }

  @Test
  void theNewestIsTheOneThatThisBuildWrites() throws Exception {
    Schema newest = ReleasedSchemas.current().schema();
    Schema built = new Schema.Parser().parse(Path.of("src/main/avro/HealthRecord.avsc").toFile());

    assertThat(built)
        .as(
            "HealthRecord.avsc has changed since version %d: copy it to released/HealthRecord.v%d.avsc and add its line to releases.txt",
            ReleasedSchemas.current().version(), ReleasedSchemas.current().version() + 1)
        .isEqualTo(newest);
    assertThat(ReleasedSchemas.withFingerprint(fingerprint(HealthRecord.getClassSchema())))
        .contains(ReleasedSchemas.current());
  }

  private static long fingerprint(Schema schema) {
    return org.apache.avro.SchemaNormalization.parsingFingerprint64(schema);
  }

  private static List<String> lines() throws Exception {
    return Files.readAllLines(FOLDER.resolve("releases.txt")).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("#"))
        .toList();
  }

  private static byte[] sha256(Path file) throws Exception {
    return MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
  }
}
