package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands of other tools, and POMs beside this module that resolve class paths of others. */
final class OtherBuild {
  private OtherBuild() {}

  /** Runs Maven on a POM, with the settings and the local repository of this build. */
  static void maven(String pom, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("streampulse.maven"));
    command.addAll(List.of("-B", "-ntp", "-q", "-f", pom));
    command.add("-Dmaven.repo.local=" + System.getProperty("streampulse.repository"));
    command.addAll(List.of(arguments));
    run(new ProcessBuilder(command));
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

  /** Runs a command to its end, and returns what it printed. */
  static String run(ProcessBuilder builder) throws Exception {
    Path output = Environment.newFolder("command").resolve("output");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    if (!process.waitFor(10, TimeUnit.MINUTES)) {
      process.destroyForcibly();
    }
    assertThat(process.waitFor()).as(Files.readString(output)).isZero();
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
