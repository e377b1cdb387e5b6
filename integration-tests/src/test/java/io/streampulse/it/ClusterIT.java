package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.HealthMessages;
import io.streampulse.testing.SettingsFile;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The consumer on a real Spark cluster: a standalone master and two workers in JVMs of their own on
 * loopback, and the distribution's script beside a Spark that has Kafka's connector and Delta. What
 * it ships to executors must arrive there; its own jar comes from the driver.
 */
@Tag("fault-injection")
class ClusterIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);

  @Test
  void appendsExactlyOnceWithItsTasksOnTwoWorkers() throws Exception {
    Path home = sparkHome();
    int port = EmbeddedBroker.freePort();
    String master = "spark://127.0.0.1:" + port;
    try (ConsumerFixture it = new ConsumerFixture("cluster-it", 4);
        ChildJvm masterJvm = startMaster(home, port);
        ChildJvm first = startWorker(home, "worker-1", master);
        ChildJvm second = startWorker(home, "worker-2", master)) {
      for (ChildJvm worker : List.of(first, second)) {
        await()
            .atMost(LONGEST)
            .until(() -> worker.output().contains("Successfully registered with master"));
      }
      for (int partition = 0; partition < 4; partition++) {
        for (int i = 0; i < 50; i++) {
          it.messages.sendRaw(partition, HealthMessages.numbered(partition * 50L + i));
        }
      }
      it.messages.sendRaw(0, "no record".getBytes(StandardCharsets.UTF_8));
      try (ChildJvm consumer = startConsumer(home, master, it.conf)) {
        it.awaitFilesRows(consumer, 201);
        it.messages.send(200, 260);
        it.awaitFilesRows(consumer, 261);
        consumer.terminate();
        assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(143);
      }
      it.register();
      it.assertExactlyOnce();
      assertThat(masterJvm.isAlive()).isTrue();
      for (ChildJvm worker : List.of(first, second)) {
        assertThat(worker.output()).contains("Asked to launch executor");
      }
    }
  }

  /** As a user starts it: settings in a file, what concerns the cluster by options. */
  private static ChildJvm startConsumer(Path home, String master, Map<String, String> conf)
      throws IOException {
    Path folder = Environment.newFolder("distribution");
    Distribution distribution = Distribution.unpack(folder);
    Files.createSymbolicLink(
        distribution.jar(), ChildJvm.jarOnClassPath("streampulse-health-consumer"));
    Path settings = folder.resolve("conf/health.properties");
    Files.createDirectories(settings.getParent());
    SettingsFile.write(settings, conf);
    String options =
        String.join(
            " --conf ",
            "--master " + master,
            "spark.driver.host=127.0.0.1",
            "spark.ui.enabled=false",
            "spark.executor.memory=640m",
            "spark.executor.cores=1",
            "spark.cores.max=2",
            "spark.sql.shuffle.partitions=2",
            "spark.databricks.delta.snapshotPartitions=2");
    Map<String, String> environment = environment(home);
    environment.put("SPARK_SUBMIT_OPTIONS", options);
    environment.put("STREAMPULSE_PACKAGES", "");
    return ChildJvm.startCommand(
        "cluster-consumer",
        folder.resolve("output.log"),
        List.of(distribution.script().toString(), "run", "--properties-file", settings.toString()),
        environment);
  }

  private static ChildJvm startMaster(Path home, int port) {
    return start(
        home,
        "master",
        "org.apache.spark.deploy.master.Master",
        "--host",
        "127.0.0.1",
        "--port",
        String.valueOf(port),
        "--webui-port",
        "0");
  }

  private static ChildJvm startWorker(Path home, String name, String master) {
    return start(
        home,
        name,
        "org.apache.spark.deploy.worker.Worker",
        "--host",
        "127.0.0.1",
        "--cores",
        "1",
        "--memory",
        "1g",
        "--webui-port",
        "0",
        "--work-dir",
        home.resolve(name).toString(),
        master);
  }

  private static ChildJvm start(Path home, String name, String... program) {
    return ChildJvm.start(
        name,
        home.resolve(name + ".log"),
        ChildJvm.classPath(file -> !file.startsWith("streampulse-")),
        List.of(
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-Dlog4j2.configurationFile=" + home.resolve("log4j2.properties")),
        List.of(program),
        environment(home));
  }

  /** What every program of a Spark installation is told. */
  private static Map<String, String> environment(Path home) {
    return new HashMap<>(
        Map.of(
            "SPARK_HOME", home.toString(),
            "SPARK_LOCAL_IP", "127.0.0.1",
            "SPARK_SCALA_VERSION", "2.13"));
  }

  /**
   * A Spark installation: jars, without any of this project, and a spark-submit that runs what
   * Spark's launcher says, as Spark's own script does.
   */
  private static Path sparkHome() throws IOException {
    Path home = Environment.newFolder("spark-home");
    Path jars = Files.createDirectories(home.resolve("jars"));
    List<String> entries =
        new ArrayList<>(
            List.of(
                ChildJvm.classPath(
                        file -> file.endsWith(".jar") && !file.startsWith("streampulse-"))
                    .split(File.pathSeparator, -1)));
    for (String entry : entries) {
      Path jar = Path.of(entry);
      Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
    }
    Distribution.executable(
        home.resolve("bin/spark-submit"),
        """
        #!/usr/bin/env bash
        mapfile -d '' -t command < <(java -cp "$SPARK_HOME/jars/*" \\
          org.apache.spark.launcher.Main org.apache.spark.deploy.SparkSubmit "$@")
        # The launcher's answer begins with an empty line.
        command[1]=${command[1]#$'\\n'}
        exec "${command[@]:1}"
        """);
    Files.writeString(
        home.resolve("log4j2.properties"),
        """
        rootLogger.level = info
        rootLogger.appenderRef.stdout.ref = console
        appender.console.type = Console
        appender.console.name = console
        appender.console.layout.type = PatternLayout
        appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
        """);
    return home;
  }
}
