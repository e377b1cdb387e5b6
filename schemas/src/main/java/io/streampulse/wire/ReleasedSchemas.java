package io.streampulse.wire;

import io.streampulse.schema.HealthRecord;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;

/**
 * Every version of the health record's schema that has ever been released, so that a message is
 * readable without a registry whichever version wrote it. The files are in {@code
 * schemas/src/main/avro/released} and are never edited.
 *
 * <p>Immutable.
 */
public final class ReleasedSchemas {
  /** Relative, so that it holds where the agent's build has moved this class. */
  private static final String FOLDER = "released/";

  private static final List<Release> ALL = load();
  private static final Map<Long, Release> BY_FINGERPRINT =
      ALL.stream().collect(Collectors.toMap(Release::fingerprint, Function.identity()));

  private ReleasedSchemas() {}

  /** All versions, the oldest first. */
  public static List<Release> all() {
    return ALL;
  }

  /** The newest version, which this build's {@link HealthRecord} is. */
  public static Release current() {
    return ALL.get(ALL.size() - 1);
  }

  /** The version with a CRC-64-AVRO fingerprint. */
  public static Optional<Release> withFingerprint(long fingerprint) {
    return Optional.ofNullable(BY_FINGERPRINT.get(fingerprint));
  }

  private static List<Release> load() {
    List<Release> releases = new ArrayList<>();
    for (String line : text("releases.txt").lines().toList()) {
      if (!line.isBlank() && !line.startsWith("#")) {
        int version = Integer.parseInt(line.substring(0, line.indexOf(' ')));
        Schema schema = new Schema.Parser().parse(text("HealthRecord.v%d.avsc".formatted(version)));
        releases.add(
            new Release(version, SchemaNormalization.parsingFingerprint64(schema), schema));
      }
    }
    return List.copyOf(releases);
  }

  private static String text(String name) {
    try (InputStream in = ReleasedSchemas.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException(FOLDER + name + " is not in the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("Can't read " + FOLDER + name, e);
    }
  }

  /**
   * One released version.
   *
   * @param version 1, 2, ...
   * @param fingerprint CRC-64-AVRO of its parsing canonical form
   */
  public record Release(int version, long fingerprint, Schema schema) {}
}
