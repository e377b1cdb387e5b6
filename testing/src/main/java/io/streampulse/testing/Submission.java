package io.streampulse.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Starts a Spark application as spark-submit does: Spark's class path, the application as a jar,
 * its conf in a file.
 */
public final class Submission {
  // Two cores have to start several Spark applications: compile less.
  private static final List<String> JVM_FOR_A_SHORT_RUN =
      List.of("-Xmx768m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private Submission() {}

  /**
   * Starts one that soon ends.
   *
   * @param name names its conf and its log in the folder; used once
   * @param arguments options, application jar, its arguments
   */
  public static ChildJvm start(
      String name, Path folder, Map<String, String> conf, List<String> arguments)
      throws IOException {
    return start(name, folder, conf, JVM_FOR_A_SHORT_RUN, arguments);
  }

  /** The same with other arguments of the JVM, as {@code -Xmx1g}. */
  public static ChildJvm start(
      String name,
      Path folder,
      Map<String, String> conf,
      List<String> jvmArguments,
      List<String> arguments)
      throws IOException {
    Path confFile = folder.resolve(name + ".conf");
    Map<String, String> all = new HashMap<>(conf);
    // Else it would be in the folder of whoever calls.
    all.putIfAbsent("spark.sql.warehouse.dir", folder.resolve("warehouse").toString());
    SettingsFile.write(confFile, all);
    List<String> command = new ArrayList<>();
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--name", name, "--properties-file", confFile.toString()));
    command.addAll(arguments);
    return ChildJvm.start(
        name,
        folder.resolve(name + ".log"),
        ChildJvm.classPath(file -> !file.startsWith("streampulse-")),
        Stream.concat(jvmArguments.stream(), Stream.of("-Djava.io.tmpdir=" + folder)).toList(),
        command);
  }
}
