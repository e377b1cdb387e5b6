package io.streampulse.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.MatchResult;

/** The consumer's distribution, unpacked, as {@code mvn -Prelease package} makes it. */
final class Distribution {
  static final Path SOURCES = ProjectFiles.ROOT.resolve("health-consumer/src/main/distribution");

  private final Path folder;

  private Distribution(Path folder) {
    this.folder = folder;
  }

  /** Unpacks script and folders; the jar is the caller's to add. */
  static Distribution unpack(Path folder) throws IOException {
    String text = ProjectFiles.read(SOURCES.resolve("bin/health-consumer"));
    text = text.replace("${project.version}", ProjectFiles.projectVersion());
    // Twice, since one property names another.
    for (int i = 0; i < 2; i++) {
      for (MatchResult found : ProjectFiles.matches("\\$\\{([a-z.]+)\\}", text).toList()) {
        text = text.replace(found.group(), ProjectFiles.property(found.group(1)));
      }
    }
    Distribution distribution = new Distribution(folder);
    executable(distribution.script(), text);
    Files.createDirectories(distribution.jar().getParent());
    return distribution;
  }

  Path script() {
    return folder.resolve("bin/health-consumer");
  }

  /** Where the consumer's jar is. */
  Path jar() {
    return folder.resolve(
        "jars/streampulse-health-consumer-%s.jar".formatted(ProjectFiles.projectVersion()));
  }

  /** Writes a script that anyone may run. */
  static void executable(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
