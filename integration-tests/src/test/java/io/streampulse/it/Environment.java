package io.streampulse.it;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.Folders;
import io.streampulse.testing.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;

/**
 * What all tests of this module share, since it takes long to start: one broker, and one Spark
 * session that carries the shaded agent by conf. Made at first use, gone with the JVM.
 */
final class Environment {
  static final String TOPIC = "streaming-health";

  /**
   * Small data, short runs: generating code costs more than it saves. With generated code, as it is
   * by default, run the jobs here, and the consumer of the demo.
   */
  private static final Map<String, String> WITHOUT_GENERATED_CODE =
      Map.of(
          "spark.sql.codegen.wholeStage", "false", "spark.sql.codegen.factoryMode", "NO_CODEGEN");

  private static final Environment INSTANCE = new Environment();

  private final Path folder;
  private final KafkaBroker broker;
  private final SparkSession spark;

  private Environment() {
    try {
      folder = Files.createTempDirectory("streampulse-it");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    broker = KafkaBroker.start(folder.resolve("broker"));
    broker.createTopic(TOPIC, 3);
    SparkSession.Builder builder =
        SparkSession.builder()
            .master("local[2]")
            .appName("integration-tests")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.databricks.delta.snapshotPartitions", "2")
            .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
            .config(
                "spark.sql.catalog.spark_catalog",
                "org.apache.spark.sql.delta.catalog.DeltaCatalog")
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString());
    WITHOUT_GENERATED_CODE.forEach(builder::config);
    agentConf(broker.plainClient(), TOPIC).forEach(builder::config);
    spark = builder.getOrCreate();
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "environment-close"));
  }

  static KafkaBroker broker() {
    return INSTANCE.broker;
  }

  static SparkSession spark() {
    return INSTANCE.spark;
  }

  /** A new, empty folder that goes with the JVM. */
  static Path newFolder(String name) {
    try {
      return Files.createTempDirectory(INSTANCE.folder, name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The conf lines by which a job carries the agent. */
  static Map<String, String> agentConf(Map<String, String> kafkaClient, String topic) {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.sql.streaming.streamingQueryListeners", "io.streampulse.agent.HealthListener");
    conf.put("spark.streampulse.topic", topic);
    conf.put("spark.streampulse.agent.flush-interval", "500ms");
    conf.putAll(KafkaBroker.sparkConf(kafkaClient));
    return conf;
  }

  /** The conf lines of a consumer over the topic. */
  static Map<String, String> consumerConf(
      Map<String, String> kafkaClient, String topic, Path folder, String table) {
    Map<String, String> conf = new TreeMap<>();
    conf.put("spark.streampulse.topic", topic);
    conf.put("spark.streampulse.consumer.table", table);
    conf.put("spark.streampulse.consumer.table-location", folder.resolve("table").toString());
    conf.put("spark.streampulse.consumer.checkpoint", folder.resolve("checkpoint").toString());
    conf.put("spark.streampulse.consumer.trigger", "1s");
    conf.putAll(WITHOUT_GENERATED_CODE);
    conf.putAll(KafkaBroker.sparkConf(kafkaClient));
    return conf;
  }

  /** Submits a job of the test classes, as spark-submit does, with jars as {@code --jars}. */
  static ChildJvm submit(
      String name, Class<?> job, Map<String, String> conf, List<Path> jars, String... arguments) {
    List<String> application = new ArrayList<>();
    application.add("--jars");
    application.add(jars.stream().map(Path::toString).collect(Collectors.joining(",")));
    application.addAll(List.of("--class", job.getName(), "spark-internal"));
    application.addAll(List.of(arguments));
    return sparkSubmit(name, conf, application);
  }

  /** Submits the consumer's jar with the command run, as spark-submit does. */
  static ChildJvm submitConsumer(String name, Map<String, String> conf) {
    return submitConsumer(name, conf, "run");
  }

  /** Submits the consumer's jar with a command. */
  static ChildJvm submitConsumer(String name, Map<String, String> conf, String... command) {
    return submitConsumerJar(
        name, conf, ChildJvm.jarOnClassPath("streampulse-health-consumer"), command);
  }

  /** Submits a jar of the consumer's with a command. */
  static ChildJvm submitConsumerJar(
      String name, Map<String, String> conf, Path jar, String... command) {
    List<String> application = new ArrayList<>();
    application.addAll(List.of("--class", "io.streampulse.consumer.Main", jar.toString()));
    application.addAll(List.of(command));
    return sparkSubmit(name, conf, application);
  }

  /**
   * Submits the consumer's jar with the agent beside it, which reports the consumer's own health.
   */
  static ChildJvm submitConsumerWithAgent(String name, Map<String, String> conf) {
    return sparkSubmit(
        name,
        conf,
        List.of(
            "--jars",
            ChildJvm.jarOnClassPath("streampulse-listener-agent").toString(),
            "--class",
            "io.streampulse.consumer.Main",
            ChildJvm.jarOnClassPath("streampulse-health-consumer").toString(),
            "run"));
  }

  /** A JVM of its own: Spark's class path without anything of this project but test classes. */
  private static ChildJvm sparkSubmit(
      String name, Map<String, String> conf, List<String> application) {
    List<String> command = new ArrayList<>();
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(
        List.of("--master", conf.getOrDefault("spark.master", "local[2]"), "--name", name));
    command.addAll(List.of("--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.sql.shuffle.partitions=2"));
    command.addAll(List.of("--conf", "spark.databricks.delta.snapshotPartitions=2"));
    Path folder = newFolder(name);
    command.addAll(List.of("--conf", "spark.sql.warehouse.dir=" + folder.resolve("warehouse")));
    conf.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    command.addAll(application);
    return ChildJvm.start(
        name,
        folder.resolve("output.log"),
        ChildJvm.classPath(file -> !file.startsWith("streampulse-")),
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Djava.io.tmpdir=" + folder),
        command);
  }

  private void close() {
    spark.stop();
    broker.close();
    Folders.delete(folder);
  }
}
