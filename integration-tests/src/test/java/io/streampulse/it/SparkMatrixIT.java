package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The one shaded jar in every supported Spark, each with its own Scala and its own Kafka client, by
 * conf alone. Run by {@code mvn verify -Pspark-matrix}, which downloads these Sparks.
 */
@Tag("spark-matrix")
class SparkMatrixIT {
  private static final Duration LONGEST = Duration.ofMinutes(4);
  private static final int INPUT = 200;

  @ParameterizedTest
  @CsvSource({
    "3.5.7, 2.12, 3.5.7",
    "3.5.9, 2.13, 3.5.4",
    "4.0.4, 2.13, 4.0.0",
    "4.1.3, 2.13, 4.1.1",
    "4.2.0, 2.13, 4.2.0"
  })
  void theAgentReportsEveryEvent(String spark, String scala, String connector) throws Exception {
    String topic = "matrix-" + spark;
    String input = "matrix-input-" + spark;
    KafkaBroker broker = Environment.broker();
    broker.createTopic(topic, 1);
    broker.createTopic(input, 1);
    fill(broker, input);

    Map<String, String> conf = new TreeMap<>(Environment.agentConf(broker.plainClient(), topic));
    conf.putAll(MatrixJob.conf(broker.scramClient()));
    try (ChildJvm job =
        ChildJvm.start(
            "spark-" + spark,
            Environment.newFolder("spark-" + spark).resolve("output.log"),
            classPath(spark, scala, connector),
            List.of("-Xmx768m", "-XX:TieredStopAtLevel=1"),
            sparkSubmit(conf, "--class", MatrixJob.class.getName(), "spark-internal", input))) {
      assertThat(job.awaitExit(LONGEST)).as(job.output()).isZero();
      assertThat(job.output()).contains("Streampulse agent stopped").contains(" 0 dropped");
    }

    List<HealthRecord> records = HealthTopic.read(broker, topic);
    assertAllIsThere(records, spark);
    assertThat(records)
        .filteredOn(r -> "matrix-kafka".equals(r.getQueryName()) && isProgress(r))
        .hasSizeGreaterThanOrEqualTo(4)
        .anySatisfy(
            r -> {
              assertThat(r.getNumInputRows()).isEqualTo(10);
              assertThat(r.getSources().get(0).getBacklog()).isPositive();
              assertThat(r.getSources().get(0).getMetrics()).containsKey("maxOffsetsBehindLatest");
            });
    assertThat(records)
        .filteredOn(r -> r.getEventType() == EventType.TERMINATED)
        .hasSize(2)
        .anySatisfy(r -> assertThat(r.getException()).contains("too many rows"))
        .anySatisfy(r -> assertThat(r.getErrorMessage()).isNull());
  }

  @Test
  void aPythonJobIsReportedToo() throws Exception {
    KafkaBroker broker = Environment.broker();
    broker.createTopic("matrix-python", 1);
    Path python = pySpark();
    Path job =
        Files.writeString(
            Environment.newFolder("python").resolve("job.py"),
            """
            import time
            from pyspark.sql import SparkSession
            spark = SparkSession.builder.getOrCreate()
            query = (spark.readStream.format("rate").option("rowsPerSecond", 20).load()
                .writeStream.format("noop").queryName("matrix-python")
                .trigger(processingTime="300 milliseconds").start())
            while not query.lastProgress or query.lastProgress["batchId"] < 3:
                time.sleep(0.05)
            query.stop()
            spark.stop()
            """);
    List<String> command = new ArrayList<>(List.of(python.resolve("bin/spark-submit").toString()));
    List<String> submit =
        sparkSubmit(Environment.agentConf(broker.plainClient(), "matrix-python"), job.toString());
    command.addAll(submit.subList(1, submit.size()));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYSPARK_PYTHON", python.resolve("bin/python").toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().remove("SPARK_HOME");
    assertThat(Script.run(builder, 0)).contains("Streampulse agent stopped");

    List<HealthRecord> records = HealthTopic.read(broker, "matrix-python");
    assertAllIsThere(records, "4.2.0");
    assertThat(records).filteredOn(SparkMatrixIT::isProgress).hasSizeGreaterThanOrEqualTo(4);
  }

  private static void assertAllIsThere(List<HealthRecord> records, String spark) {
    assertThat(records).extracting(HealthRecord::getSparkVersion).containsOnly(spark);
    assertThat(records)
        .extracting(HealthRecord::getSequence)
        .doesNotHaveDuplicates()
        .hasSize(records.stream().mapToInt(r -> (int) r.getSequence()).max().orElseThrow() + 1);
    assertThat(records).extracting(HealthRecord::getEventType).contains(EventType.STARTED);
    assertThat(records).extracting(HealthRecord::getEventType).contains(EventType.AGENT_STOPPED);
  }

  private static boolean isProgress(HealthRecord record) {
    return record.getEventType() == EventType.PROGRESS;
  }

  private static List<String> sparkSubmit(Map<String, String> conf, String... application) {
    List<String> command = new ArrayList<>();
    command.add("org.apache.spark.deploy.SparkSubmit");
    command.addAll(List.of("--master", "local[2]"));
    command.addAll(
        List.of("--jars", ChildJvm.jarOnClassPath("streampulse-listener-agent").toString()));
    command.addAll(List.of("--conf", "spark.ui.enabled=false"));
    command.addAll(List.of("--conf", "spark.sql.shuffle.partitions=2"));
    command.addAll(
        List.of(
            "--conf",
            "spark.sql.streaming.checkpointLocation=" + Environment.newFolder("checkpoints")));
    conf.forEach((key, value) -> command.addAll(List.of("--conf", key + "=" + value)));
    command.addAll(List.of(application));
    return command;
  }

  private static String classPath(String spark, String scala, String connector) throws Exception {
    return OtherBuild.classPath(
        "spark-matrix/pom.xml",
        "-Dmatrix.spark=" + spark,
        "-Dmatrix.scala=" + scala,
        "-Dmatrix.connector=" + connector);
  }

  /** A Python with PySpark; the test is left out where none can be installed. */
  static Path pySpark() throws Exception {
    Path folder = Path.of("target/pyspark").toAbsolutePath();
    try {
      if (!Files.exists(folder.resolve("bin/spark-submit"))) {
        Script.run(new ProcessBuilder("python3", "-m", "venv", folder.toString()), 0);
        Script.run(
            new ProcessBuilder(
                folder.resolve("bin/pip").toString(), "install", "-q", "pyspark==4.2.0"),
            0);
      }
    } catch (java.io.IOException | AssertionError e) {
      assumeThat(false).as("No PySpark 4.2.0 can be installed here: " + e.getMessage()).isTrue();
    }
    return folder;
  }

  private static void fill(KafkaBroker broker, String topic) {
    Properties settings = new Properties();
    settings.putAll(broker.plainClient());
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < INPUT; i++) {
        var unused = producer.send(new ProducerRecord<>(topic, "message " + i));
      }
      producer.flush();
    }
  }
}
