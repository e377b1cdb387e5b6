package io.streampulse.it;

import io.streampulse.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Maven in other places: copies of this project, and POMs beside this module that resolve class
 * paths of others.
 */
final class OtherBuild {
  private OtherBuild() {}

  /** A copy of this project's sources, to be changed and built. */
  static Path sources(String name) throws IOException {
    Path copy = Environment.newFolder(name).resolve("sources");
    Folders.copy(Path.of("..").toAbsolutePath().normalize(), copy, Set.of("target", ".git"));
    return copy;
  }

  /** The jar that such a copy's module has built. */
  static Path jar(Path sources, String module) throws IOException {
    try (Stream<Path> files = Files.list(sources.resolve(module).resolve("target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("streampulse-.*\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Runs Maven on a POM, with the settings and the local repository of this build. */
  static void maven(String pom, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("streampulse.maven"));
    command.addAll(List.of("-B", "-ntp", "-q", "-f", pom));
    command.add("-Dmaven.repo.local=" + System.getProperty("streampulse.repository"));
    command.addAll(List.of(arguments));
    Script.run(new ProcessBuilder(command), 0);
  }

  /** The class path of a POM's dependencies, with this module's test classes before it. */
  static String classPath(String pom, String... arguments) throws Exception {
    Path file = Environment.newFolder("class-path").resolve("classpath");
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("-Dmdep.outputFile=" + file);
    all.add("dependency:build-classpath");
    maven(pom, all.toArray(String[]::new));
    return Path.of("target/test-classes").toAbsolutePath() + ":" + Files.readString(file).strip();
  }
}
