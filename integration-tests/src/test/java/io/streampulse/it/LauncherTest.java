package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./streampulse} says on a machine where something is missing: one line. */
class LauncherTest {
  private static final List<String> TOOLS = List.of("dirname", "sed", "find", "cat", "grep");

  @TempDir private Path folder;
  private Path bin;
  private Path checkout;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void aMachineWithNothingButAShell() throws Exception {
    bin = Files.createDirectories(folder.resolve("bin"));
    checkout = Files.createDirectories(folder.resolve("checkout"));
    Files.copy(Path.of("../streampulse"), checkout.resolve("streampulse"));
    for (String tool : TOOLS) {
      Path real =
          List.of(Path.of("/bin", tool), Path.of("/usr/bin", tool)).stream()
              .filter(Files::exists)
              .findFirst()
              .orElseThrow();
      executable(tool, "exec " + real + " \"$@\"");
    }
    environment.put("PATH", bin.toString());
  }

  @Test
  void asksForJava() throws Exception {
    assertSays("no Java found: install a JDK, version 17 or newer");
  }

  @Test
  void asksForANewerJava() throws Exception {
    java("11");
    assertSays("is too old: set JAVA_HOME to a JDK, version 17 or newer");
    java("1.8");
    assertSays("Java 1.8 at");
  }

  @Test
  void asksForMaven() throws Exception {
    java("17");
    assertSays("Maven not found: install Maven 3.8 or newer");
  }

  @Test
  void asksForMemory() throws Exception {
    java("21");
    environment.put(
        "MEMINFO",
        Files.writeString(folder.resolve("meminfo"), "MemAvailable:     512000 kB\n").toString());
    assertSays("only 500 MiB of memory are free");
  }

  @Test
  void asksForAFolderItMayWriteTo() throws Exception {
    java("17");
    executable("mvn", "exit 1");
    // Root may write everywhere, so the test there is bash's own, answered by a stand-in.
    Path script = checkout.resolve("streampulse");
    Files.writeString(
        script, Files.readString(script).replace("[ -w \"$root\" ]", "[ -w /not/there ]"));
    assertSays("can't write to " + checkout);
  }

  private void assertSays(String expected) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/bash", checkout.resolve("streampulse").toString(), "demo");
    builder.environment().clear();
    builder.environment().putAll(environment);

    assertThat(Script.run(builder, 1).lines())
        .singleElement()
        .asString()
        .startsWith("streampulse: ")
        .contains(expected);
  }

  private void java(String version) throws IOException {
    executable("java", "echo '    java.specification.version = " + version + "'");
  }

  private void executable(String name, String line) throws IOException {
    Path file = bin.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
