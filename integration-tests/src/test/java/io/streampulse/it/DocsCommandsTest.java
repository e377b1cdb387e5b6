package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.ROOT;
import static io.streampulse.it.ProjectFiles.matches;
import static io.streampulse.it.ProjectFiles.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Commands of the documents speak of profiles, modules, properties, benchmarks, classes and
 * settings that are there. Those of {@code health-consumer} are parsed by its own tests.
 */
class DocsCommandsTest {
  /** Of Maven's plugins, which no POM here names. */
  private static final List<String> OF_PLUGINS =
      List.of(
          "skipTests",
          "maven.test.skip",
          "test",
          "it.test",
          "newVersion",
          "surefire.failIfNoSpecifiedTests",
          "failsafe.failIfNoSpecifiedTests");

  private static final String PROGRAMS =
      "\\./streampulse|mvn|spark-submit|(?:\\S*bin/)?health-consumer|docker|kubectl|databricks|terraform"
          + "|promtool|amtool|apt-get|kcat|npm|pip|python3?|az|helm|curl|java";

  @Test
  void maven() throws IOException {
    String poms = poms();
    String sources = sources();
    List<String> wrong = new ArrayList<>();
    for (String command : commands("mvn ")) {
      for (MatchResult profile : matches(" -P(\\S+)", command).toList()) {
        if (!poms.contains("<id>" + profile.group(1) + "</id>")) {
          wrong.add(command);
        }
      }
      for (MatchResult modules : matches(" -pl (\\S+)", command).toList()) {
        for (String module : modules.group(1).split(",", -1)) {
          if (!Files.exists(ROOT.resolve(module).resolve("pom.xml"))) {
            wrong.add(command);
          }
        }
      }
      for (MatchResult property : matches(" -D([\\w.-]+)=?", command).toList()) {
        String name = property.group(1);
        if (!OF_PLUGINS.contains(name)
            && !poms.contains("<" + name + ">")
            && !sources.contains("\"" + name + "\"")) {
          wrong.add(command);
        }
      }
      for (MatchResult test : matches(" -D(?:it\\.)?test=(\\w+)", command).toList()) {
        if (!sources.contains("class " + test.group(1) + " ")) {
          wrong.add(command);
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void launcher() throws IOException {
    Map<String, String> commands = new TreeMap<>();
    for (String module : List.of("demo", "benchmarks")) {
      for (Path source : ProjectFiles.below(ROOT.resolve(module + "/src/main/java"), ".*\\.java")) {
        String text = read(source);
        matches("@Command\\(\\s*name = \"([\\w-]+)\"", text)
            .forEach(
                found ->
                    commands.put((module.equals("demo") ? "" : "bench ") + found.group(1), text));
      }
    }
    String report =
        read(ROOT.resolve("benchmarks/src/main/java/io/streampulse/benchmarks/Main.java"));
    List<String> wrong = new ArrayList<>();
    for (String command : commands("./streampulse ")) {
      List<String> words = List.of(command.split("\\s+"));
      boolean bench = words.get(1).equals("bench");
      if (words.size() == (bench ? 2 : 1)
          || words.get(bench ? 2 : 1).matches("--help|NAME|\\[.*")) {
        continue;
      }
      String source = commands.get(bench ? "bench " + words.get(2) : words.get(1));
      if (source == null) {
        wrong.add(command);
        continue;
      }
      words.stream()
          .filter(word -> word.startsWith("--"))
          .map(word -> word.replaceFirst("=.*", ""))
          .filter(option -> !(source + report).contains("\"" + option + "\""))
          .forEach(option -> wrong.add(command + ": " + option));
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void sparkSubmit() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    List<String> classes = new ArrayList<>();
    List<String> artifacts = new ArrayList<>();
    for (String command : commands("spark-submit ")) {
      matches("--conf '?(spark\\.[\\w.-]+)=(\\S+)", command)
          .forEach(found -> settings.put(found.group(1), found.group(2)));
      matches("\\bio\\.(?:streampulse|delta)\\.[\\w.]+", command)
          .map(MatchResult::group)
          .forEach(classes::add);
      matches("[\\w.]+:[\\w.-]+_2\\.13:[\\w.]+", command)
          .map(MatchResult::group)
          .forEach(artifacts::add);
    }

    assertThat(ProjectFiles.undocumented(settings.keySet())).isEmpty();
    assertThat(classes).isNotEmpty().allSatisfy(ProjectFiles::assertIsThere);
    assertThat(artifacts)
        .isNotEmpty()
        .containsOnly(
            "org.apache.spark:spark-sql-kafka-0-10_2.13:" + ProjectFiles.property("spark.version"),
            "io.delta:delta-spark_4.2_2.13:" + ProjectFiles.property("delta.version"));
  }

  @Test
  void eachIsRunByATestOrByHandOrItsDocumentSaysThatItWasNotRun() throws IOException {
    Map<String, String> runBy = runBy();
    List<String> wrong = new ArrayList<>();
    for (Path document : ProjectFiles.documents()) {
      for (String section : sections(read(document))) {
        boolean marked =
            section
                .toLowerCase(Locale.ROOT)
                .matches("(?s).*\\b(not run|none of this was run)\\b.*");
        for (String command : commands(section, "(?:\\w+=\\S+ )?(?:" + PROGRAMS + ")\\s")) {
          String program = command.replaceFirst("^\\w+=\\S+ ", "");
          Optional<String> longest =
              runBy.keySet().stream()
                  .filter(start -> (program + " ").startsWith(start + " "))
                  .max(Comparator.comparingInt(String::length));
          if (longest.isEmpty()) {
            wrong.add(document + ": no test is named that runs " + command);
          } else if (runBy.get(longest.get()).startsWith("not run") && !marked) {
            wrong.add(document + ": does not say that it was not run: " + command);
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void whatRunsThemIsThere() throws IOException {
    String sources = sources();
    String ci = read(ROOT.resolve(".ci/run"));
    runBy()
        .forEach(
            (start, by) -> {
              assertThat(by).as(start).matches("(`\\w+(IT|Test)`|\\[\\.ci/run]|by hand|not run).*");
              matches("`(\\w+(?:IT|Test))`", by)
                  .forEach(test -> assertThat(sources).contains("class " + test.group(1) + " "));
              if (by.startsWith("[.ci/run]")) {
                assertThat(ci)
                    .contains(
                        start.replace("mvn ", "mvn -B -ntp ").replace("-ntp -P", "-ntp -q -P"));
              }
            });
  }

  /** What runs the commands that begin so: the table for contributors. */
  private static Map<String, String> runBy() {
    Map<String, String> runBy = new TreeMap<>();
    String table = read(ROOT.resolve("CONTRIBUTING.md"));
    table = table.substring(table.indexOf("| begins with | run by |"));
    for (String row : table.substring(0, table.indexOf("\n\n")).lines().skip(2).toList()) {
      String[] cells = row.split(" \\| |^\\| | \\|$", -1);
      matches("`([^`]+)`", cells[1]).forEach(start -> runBy.put(start.group(1), cells[2]));
    }
    assertThat(runBy).hasSizeGreaterThan(20);
    return runBy;
  }

  /** A document's sections, each with its head before it, which speaks for all of them. */
  private static List<String> sections(String document) {
    String[] sections = document.split("(?m)^(?=## )", -1);
    return Stream.of(sections)
        .map(section -> section.equals(sections[0]) ? section : sections[0] + section)
        .toList();
  }

  private static List<String> commands(String prefix) throws IOException {
    List<String> commands = new ArrayList<>();
    for (Path document : ProjectFiles.documents()) {
      commands.addAll(commands(read(document), prefix.replace("./", "\\./")));
    }
    assertThat(commands).as(prefix).isNotEmpty();
    return commands;
  }

  /** Lines of code blocks, continued ones made one, and inline code. */
  private static List<String> commands(String document, String prefix) {
    String text = document.replaceAll("\\\\\n\\s*", "");
    return Stream.of("(?m)^ *(" + prefix + "[^`\n]*)$", "(?<!`)`(" + prefix + "[^`]*)`")
        .flatMap(pattern -> matches(pattern, text))
        .map(found -> found.group(1).replaceFirst("\\s+#.*", "").replaceAll("\\s+", " ").strip())
        .toList();
  }

  private static String poms() throws IOException {
    StringBuilder poms = new StringBuilder();
    ProjectFiles.below(ROOT, ".*/pom\\.xml").forEach(pom -> poms.append(read(pom)));
    return poms.toString();
  }

  private static String sources() throws IOException {
    StringBuilder sources = new StringBuilder();
    ProjectFiles.below(ROOT, ".*\\.java").forEach(file -> sources.append(read(file)));
    return sources.toString();
  }
}
