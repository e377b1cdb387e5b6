package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ChildJvm;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.junit.jupiter.api.Test;

/** What is in the one jar that goes into every customer's driver. */
class ShadedAgentJarIT {
  private static final Path JAR = ChildJvm.jarOnClassPath("streampulse-listener-agent");
  private static final long MOST_BYTES = 12_000_000;

  @Test
  void holdsNoClassOutsideTheAgentsPackages() throws IOException {
    List<String> classes = entries(".class");

    assertThat(classes)
        .contains("io/streampulse/agent/HealthListener.class")
        .hasSizeGreaterThan(1000);
    assertThat(classes).allMatch(name -> name.startsWith("io/streampulse/agent/"));
  }

  @Test
  void holdsRelocatedClientsBelowOnePackage() throws IOException {
    assertThat(entries(".class"))
        .contains(
            "io/streampulse/agent/shaded/kafka/clients/producer/KafkaProducer.class",
            "io/streampulse/agent/shaded/avro/Schema.class",
            "io/streampulse/agent/shaded/jackson/databind/ObjectMapper.class",
            "io/streampulse/agent/shaded/schema/HealthRecord.class");
  }

  @Test
  void holdsNoServiceNoNativeLibraryAndNoLoggingOfItsOwn() throws IOException {
    assertThat(entries(""))
        .noneMatch(name -> name.startsWith("META-INF/services/"))
        .noneMatch(name -> name.endsWith(".so") || name.endsWith(".dll") || name.endsWith(".dylib"))
        .noneMatch(name -> name.contains("slf4j") || name.contains("log4j"))
        .contains("META-INF/LICENSE", "META-INF/NOTICE");
  }

  @Test
  void logsThroughTheJobsSlf4j() throws IOException {
    assertThat(constants("io/streampulse/agent/HealthListener.class")).isNotEmpty();
    assertThat(constants("io/streampulse/agent/Agent.class"))
        .contains("org/slf4j/Logger")
        .doesNotContain("shaded/slf4j");
  }

  @Test
  void staysSmall() throws IOException {
    assertThat(Files.size(JAR)).isLessThan(MOST_BYTES);
  }

  @Test
  void relocationLeftTheSchemaAsItWas() throws Exception {
    Schema consumers = io.streampulse.schema.HealthRecord.getClassSchema();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {JAR.toUri().toURL()}, getClass().getClassLoader())) {
      Object agents =
          loader
              .loadClass("io.streampulse.agent.shaded.schema.HealthRecord")
              .getMethod("getClassSchema")
              .invoke(null);

      Schema parsed = new Schema.Parser().parse(agents.toString());
      assertThat(parsed.getFullName()).isEqualTo("io.streampulse.schema.HealthRecord");
      assertThat(SchemaNormalization.parsingFingerprint64(parsed))
          .isEqualTo(SchemaNormalization.parsingFingerprint64(consumers));
    }
  }

  private static List<String> entries(String suffix) throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return jar.stream()
          .filter(entry -> !entry.isDirectory())
          .map(JarEntry::getName)
          .filter(name -> name.endsWith(suffix))
          .toList();
    }
  }

  private static String constants(String classFile) throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      return new String(
          jar.getInputStream(jar.getJarEntry(classFile)).readAllBytes(),
          StandardCharsets.ISO_8859_1);
    }
  }
}
