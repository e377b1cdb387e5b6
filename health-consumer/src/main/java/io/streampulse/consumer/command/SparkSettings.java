package io.streampulse.consumer.command;

import io.streampulse.config.ConfigException;
import io.streampulse.connection.ExposedSecrets;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Option;
import scala.Tuple2;

/**
 * Where settings come from, each over the one before: Spark conf as spark-submit or the platform
 * gives it, {@code --properties-file}, {@code --conf}.
 */
final class SparkSettings {
  /**
   * Delta switched on, and the state of a table, which each append computes anew, in a few tasks:
   * Delta's default, 50, is for tables with far more files than these have.
   */
  private static final Map<String, String> DELTA =
      Map.of(
          "spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension",
          "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog",
          "spark.databricks.delta.snapshotPartitions", "2");

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "A Spark or Streampulse setting; may be repeated.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--properties-file",
      paramLabel = "FILE",
      description = "Settings in a file, as spark-submit reads it.")
  private Path propertiesFile;

  /**
   * All settings.
   *
   * @throws ConfigException if the properties file can't be read
   */
  Map<String, String> all() {
    Map<String, String> all = new HashMap<>();
    for (Tuple2<String, String> entry : ambient().getAll()) {
      all.put(entry._1(), entry._2());
    }
    if (propertiesFile != null) {
      all.putAll(read(propertiesFile));
    }
    all.putAll(conf);
    if (SparkSession.getDefaultSession().isEmpty()) {
      // Spark's own does not find all of ours, and shows what it does not find.
      all.putIfAbsent("spark.redaction.regex", ExposedSecrets.COVERING);
    }
    return all;
  }

  /**
   * Does some work with the platform's session where there is one, else with a new one that has
   * Delta switched on. The agent is added where it is on the class path. A new session is stopped
   * after it; with the platform's, others may work.
   */
  <T, E extends Exception> T inSession(String applicationName, Work<T, E> work) throws E {
    boolean ofThePlatform = isRunning();
    SparkSession spark = session(applicationName);
    try {
      return work.with(spark);
    } finally {
      if (!ofThePlatform) {
        spark.stop();
      }
    }
  }

  private SparkSession session(String applicationName) {
    Map<String, String> all = all();
    SparkConf sparkConf = new SparkConf();
    if (!isRunning()) {
      DELTA.forEach(sparkConf::setIfMissing);
    }
    sparkConf.setIfMissing("spark.app.name", applicationName);
    all.forEach(
        (name, value) -> {
          if (name.startsWith("spark.")) {
            sparkConf.set(name, value);
          }
        });
    OwnHealth.addTo(sparkConf);
    if (!sparkConf.contains("spark.master")) {
      throw new ConfigException(
          List.of("spark.master is required: run by spark-submit, or add --conf spark.master=..."));
    }
    return SparkSession.builder().config(sparkConf).getOrCreate();
  }

  private static boolean isRunning() {
    return SparkSession.getDefaultSession().isDefined()
        && !SparkSession.getDefaultSession().get().sparkContext().isStopped();
  }

  private static SparkConf ambient() {
    return SparkSession.getDefaultSession().isDefined()
        ? SparkSession.getDefaultSession().get().sparkContext().getConf()
        : new SparkConf();
  }

  private static Map<String, String> read(Path file) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new ConfigException(
          List.of("--properties-file %s can't be read: %s".formatted(file, e)));
    }
    Map<String, String> settings = new HashMap<>();
    for (String name : properties.stringPropertyNames()) {
      settings.put(name, properties.getProperty(name).strip());
    }
    return settings;
  }

  /** What is done with a session. */
  interface Work<T, E extends Exception> {
    T with(SparkSession spark) throws E;
  }
}
