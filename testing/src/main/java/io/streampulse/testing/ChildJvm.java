package io.streampulse.testing;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Java program in a JVM of its own, with what it prints in a file. It inherits this JVM's opened
 * packages, which Spark needs. Closing it ends it: politely, then by force.
 */
public final class ChildJvm implements AutoCloseable {
  private static final Duration POLITE = Duration.ofSeconds(30);

  // Ctrl-C reaches every process of the terminal: the parent ends its children, in its own order.
  private static final List<String> IGNORING_CTRL_C =
      List.of("/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh");

  private final String name;
  private final Process process;
  private final Path log;

  private ChildJvm(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a program.
   *
   * @param name for messages
   * @param log the file that receives its standard output and error
   * @param classPath its class path
   * @param jvmArguments such as {@code -Xmx512m}
   * @param programArguments main class first
   */
  public static ChildJvm start(
      String name,
      Path log,
      String classPath,
      List<String> jvmArguments,
      List<String> programArguments) {
    return start(name, log, classPath, jvmArguments, programArguments, Map.of());
  }

  /** Starts a program with more in its environment than this JVM has. */
  public static ChildJvm start(
      String name,
      Path log,
      String classPath,
      List<String> jvmArguments,
      List<String> programArguments,
      Map<String, String> environment) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(openedPackages());
    command.addAll(jvmArguments);
    command.addAll(List.of("-cp", classPath));
    command.addAll(programArguments);
    return startCommand(name, log, command, environment);
  }

  /** Starts a script that becomes a Java program (by {@code exec}). */
  public static ChildJvm startCommand(
      String name, Path log, List<String> command, Map<String, String> environment) {
    try {
      ProcessBuilder builder =
          new ProcessBuilder(new ArrayList<>(IGNORING_CTRL_C))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
      builder.command().addAll(command);
      builder.environment().putAll(environment);
      return new ChildJvm(name, builder.start(), log);
    } catch (IOException e) {
      throw new IllegalStateException("Can't start " + name, e);
    }
  }

  /** This JVM's class path, its entries filtered by file name. */
  public static String classPath(Predicate<String> keepFileName) {
    return classPathEntries()
        .filter(entry -> keepFileName.test(Path.of(entry).getFileName().toString()))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * The one entry of this JVM's class path that is the jar of a module.
   *
   * @throws IllegalStateException if the module is there as a folder of classes, or not at all
   */
  public static Path jarOnClassPath(String artifactId) {
    return classPathEntries()
        .map(Path::of)
        .filter(entry -> entry.getFileName().toString().matches(artifactId + "-\\d.*\\.jar"))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "No jar of "
                        + artifactId
                        + " on the class path: build it first (mvn package), since what runs is"
                        + " the shaded jar"));
  }

  private static Stream<String> classPathEntries() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  private static List<String> openedPackages() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(a -> a.startsWith("--add-opens") || a.startsWith("-Djdk.") || a.startsWith("-Dio."))
        .toList();
  }

  public String name() {
    return name;
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** All it has printed so far. */
  public String output() {
    try {
      return Files.readString(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "(" + log + " can't be read: " + e + ")";
    }
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  /** Sends SIGSTOP: it keeps its connections and does nothing, until {@link #resume}. */
  public void pause() {
    signal("STOP");
  }

  /** Sends SIGCONT. */
  public void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor();
    } catch (IOException e) {
      throw new IllegalStateException("Can't send SIG" + name, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Waits for its end.
   *
   * @return its exit code
   * @throws IllegalStateException if it still runs after the timeout
   */
  public int awaitExit(Duration timeout) {
    try {
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new IllegalStateException(
            "%s still runs after %s:%n%s".formatted(name, timeout, output()));
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for " + name, e);
    }
  }

  @Override
  public void close() {
    if (process.isAlive()) {
      terminate();
      try {
        if (!process.waitFor(POLITE.toMillis(), TimeUnit.MILLISECONDS)) {
          kill();
          process.waitFor();
        }
      } catch (InterruptedException e) {
        kill();
        Thread.currentThread().interrupt();
      }
    }
  }
}
