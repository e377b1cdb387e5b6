package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.SettingsFile;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Many short applications one after another in one JVM, since most of the time of a short one goes
 * into starting it: what each printed, by name. The JVM's main class calls {@link #each}.
 */
final class Turns {
  /** The setting with the folder for what the application shows of itself. */
  static final String TRACES = "job.traces";

  private static final String BEGIN = "=== begin ";
  private static final String END = "=== end ";

  private final Map<String, String> outputs = new LinkedHashMap<>();
  private final String whole;

  private Turns(String whole) {
    this.whole = whole;
    for (String turn : whole.split("(?m)^" + BEGIN, -1)) {
      String[] parts = turn.split("\n", 2);
      outputs.put(parts[0].strip(), parts.length > 1 ? parts[1] : "");
    }
  }

  /** Runs jobs with the agent, each a short {@link JobsInTurn} of its own conf. */
  static Turns ofJobs(Map<String, Map<String, String>> confs) {
    return ofJobs(confs, ChildJvm.jarOnClassPath("streampulse-listener-agent"));
  }

  /** Runs jobs with a jar of the agent's. */
  static Turns ofJobs(Map<String, Map<String, String>> confs, Path agent) {
    return submit("jobs-in-turn", JobsInTurn.class, confs, agent);
  }

  /** Runs consumers, each a {@code run} with its own conf. */
  static Turns ofConsumers(Map<String, Map<String, String>> confs) {
    return submit(
        "consumers-in-turn",
        ConsumersInTurn.class,
        confs,
        ChildJvm.jarOnClassPath("streampulse-health-consumer"));
  }

  /** Runs commands of the consumer's, each with its own conf; see {@link CommandsInTurn}. */
  static Turns ofCommands(Map<String, Map<String, String>> confs) {
    return submit(
        "commands-in-turn",
        CommandsInTurn.class,
        confs,
        ChildJvm.jarOnClassPath("streampulse-health-consumer"));
  }

  private static Turns submit(
      String name, Class<?> main, Map<String, Map<String, String>> confs, Path jar) {
    try (ChildJvm jvm =
        Environment.submit(
            name, main, Map.of(), List.of(jar), files(confs).toArray(String[]::new))) {
      return ended(jvm, confs.size());
    }
  }

  /** Runs a main class of this module's own, without Spark, with a jar before all others. */
  static Turns ofMain(Class<?> main, Map<String, Map<String, String>> confs, Path jar) {
    List<String> command = new ArrayList<>(List.of(main.getName()));
    command.addAll(files(confs));
    try (ChildJvm jvm =
        ChildJvm.start(
            main.getSimpleName(),
            Environment.newFolder("turns").resolve("output.log"),
            jar
                + File.pathSeparator
                + ChildJvm.classPath(entry -> !entry.startsWith("streampulse-listener-agent")),
            List.of("-Xmx256m"),
            command)) {
      return ended(jvm, confs.size());
    }
  }

  /** What an application printed; its last line says how it ended. */
  String output(String name) {
    assertThat(outputs).as(whole).containsKey(name);
    return outputs.get(name);
  }

  /** All that was printed. */
  String whole() {
    return whole;
  }

  /** Runs the applications of the files; for main classes. */
  static void each(String[] files, Turn turn) throws Exception {
    for (String file : files) {
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(Path.of(file))) {
        properties.load(reader);
      }
      String name = Path.of(file).getFileName().toString().replace(".properties", "");
      say(BEGIN + name);
      long start = System.nanoTime();
      String end = turn.run(Path.of(file), properties);
      say("%s%s: %s, %.1f s".formatted(END, name, end, (System.nanoTime() - start) / 1e9));
    }
  }

  /** One application. */
  interface Turn {
    /**
     * Runs it.
     *
     * @return how it ended
     */
    String run(Path file, Properties conf) throws Exception;
  }

  private static Turns ended(ChildJvm jvm, int turns) {
    int exit = jvm.awaitExit(Duration.ofSeconds(120 + 30L * turns));
    jvm.output()
        .lines()
        .filter(line -> line.startsWith("==="))
        .forEach(Turns::say); // into the test's own log
    assertThat(exit).as(jvm.output()).isZero();
    return new Turns(jvm.output());
  }

  private static List<String> files(Map<String, Map<String, String>> confs) {
    Path folder = Environment.newFolder("turns");
    List<String> files = new ArrayList<>();
    confs.forEach(
        (name, conf) -> {
          Path file = folder.resolve(name + ".properties");
          try {
            SettingsFile.write(file, conf);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          files.add(file.toString());
        });
    return files;
  }

  private static void say(String line) {
    System.out.println(line);
  }
}
