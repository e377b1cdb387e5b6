package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** What the modules may import of each other and of others, read from their sources. */
class ModuleBoundariesTest {
  /** Module to packages that stay out of it. */
  private static final Map<String, List<String>> FORBIDDEN =
      Map.of(
          "schemas",
          List.of(
              "org.apache.spark",
              "org.apache.kafka",
              "io.delta",
              "io.streampulse.agent",
              "io.streampulse.consumer"),
          "listener-agent",
          List.of("io.streampulse.consumer", "io.delta", "io.streampulse.testing"),
          "health-consumer",
          List.of("io.streampulse.agent", "org.apache.kafka", "io.streampulse.testing"),
          "testing",
          List.of("org.apache.spark", "io.streampulse.agent", "io.streampulse.consumer"));

  /** Reads the topic for people, on their machine; the job itself reads it by Spark alone. */
  private static final Path MAY_USE_KAFKA =
      ProjectFiles.ROOT.resolve(
          "health-consumer/src/main/java/io/streampulse/consumer/source/TopicRange.java");

  @TestFactory
  Stream<DynamicTest> modulesKeepTheirBoundaries() {
    return FORBIDDEN.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(),
                    () -> assertThat(uses(entry.getKey(), entry.getValue())).isEmpty()));
  }

  @Test
  void theSearchFindsWhatIsThere() {
    // A control: what must be found in a module that may use it.
    assertThat(uses("listener-agent", List.of("org.apache.kafka"))).isNotEmpty();
    assertThat(uses("health-consumer", List.of("org.apache.spark"))).isNotEmpty();
  }

  private static List<String> uses(String module, List<String> packages) {
    Path sources = ProjectFiles.ROOT.resolve(module).resolve("src/main/java");
    assertThat(sources).isDirectory();
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.toString().endsWith(".java") && !file.equals(MAY_USE_KAFKA))
          .flatMap(
              file -> packages.stream().filter(p -> mentions(file, p)).map(p -> file + ": " + p))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In code; a class name in a text is a value of Spark conf and binds nothing. */
  private static boolean mentions(Path file, String packageName) {
    return Pattern.compile("(?m)^(?!\\s*(\\*|//)).*(?<!\")\\b" + Pattern.quote(packageName) + "\\.")
        .matcher(ProjectFiles.read(file))
        .find();
  }
}
