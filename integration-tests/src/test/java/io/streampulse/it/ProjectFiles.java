package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What the project's files say, for tests that compare them with each other. */
final class ProjectFiles {
  static final Path ROOT = Path.of("..");

  private static final String POM = read(ROOT.resolve("pom.xml"));

  private ProjectFiles() {}

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("Can't read " + file, e);
    }
  }

  /** The project's pages for people. */
  static List<Path> documents() throws IOException {
    return below(ROOT, ".*\\.md");
  }

  /** The project's own files below a folder whose path matches. */
  static List<Path> below(Path folder, String pattern) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().matches(pattern))
          .filter(file -> !file.toString().matches(".*/(target|node_modules|\\.git)/.*"))
          .filter(Files::isRegularFile)
          .toList();
    }
  }

  /** The documents of a YAML text. */
  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> yaml(String text) {
    return StreamSupport.stream(
            new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text).spliterator(), false)
        .map(document -> (Map<String, Object>) document)
        .toList();
  }

  /** Those of the keys that the reference of settings should have and does not. */
  static List<String> undocumented(Collection<String> keys) {
    String reference = read(ROOT.resolve("docs/configuration.md"));
    return keys.stream()
        .filter(name -> name.startsWith("spark.streampulse."))
        .filter(name -> !name.startsWith("spark.streampulse.kafka."))
        .filter(name -> !name.startsWith("spark.streampulse.agent.tags."))
        .filter(name -> !reference.contains("| `" + name + "` |"))
        .toList();
  }

  /** Fails unless the class is on the class path, which has agent and consumer. */
  static void assertIsThere(String className) {
    assertThatCode(() -> Class.forName(className, false, ProjectFiles.class.getClassLoader()))
        .doesNotThrowAnyException();
  }

  static Stream<MatchResult> matches(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }

  /** A property of the project's POM. */
  static String property(String name) {
    return first("<" + Pattern.quote(name) + ">(.*?)</", POM);
  }

  static String projectVersion() {
    return first("<artifactId>streampulse-parent</artifactId>\\s*<version>(.*?)</version>", POM);
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }
}
