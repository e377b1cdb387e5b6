package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The listener in Python, for where no jar can be attached: its records are the agent's. */
@Tag("spark-matrix")
class PythonListenerIT {
  private static final Path LISTENER = ProjectFiles.ROOT.resolve("examples/python_listener");
  private static final Path SCHEMA =
      ProjectFiles.ROOT.resolve("schemas/src/main/avro/HealthRecord.avsc");

  @Test
  void whatItPublishesIsInTheTable() throws Exception {
    Path python = SparkMatrixIT.pySpark();
    Script.run(
        new ProcessBuilder(
            python.resolve("bin/pip").toString(),
            "install",
            "-q",
            "-r",
            LISTENER.resolve("requirements.txt").toString()),
        0);
    try (ConsumerFixture it = new ConsumerFixture("python-listener-it", 1)) {
      run(python, it);

      List<HealthRecord> records = HealthTopic.read(Environment.broker(), it.topic);
      assertThat(records)
          .extracting(HealthRecord::getSequence)
          .isEqualTo(LongStream.range(0, records.size()).boxed().toList());
      assertThat(records)
          .extracting(HealthRecord::getEventType)
          .contains(EventType.STARTED, EventType.PROGRESS, EventType.TERMINATED)
          .endsWith(EventType.AGENT_STOPPED);
      assertThat(records)
          .filteredOn(r -> r.getEventType() == EventType.PROGRESS)
          .hasSizeGreaterThanOrEqualTo(4)
          .allSatisfy(
              r -> {
                assertThat(r.getQueryName()).isEqualTo("python-rate");
                assertThat(r.getDurationMs()).containsKey("triggerExecution");
                assertThat(r.getSources()).hasSize(1);
                assertThat(r.getTags()).containsEntry("team", "data");
              });
      assertThat(records)
          .filteredOn(r -> r.getEventType() == EventType.TERMINATED)
          .anySatisfy(r -> assertThat(r.getErrorMessage()).contains("too many rows"))
          .anySatisfy(r -> assertThat(r.getErrorMessage()).isNull());

      it.runUntilCaughtUp();

      List<Row> rows = it.rows(it.table).select("sequence").orderBy("sequence").collectAsList();
      assertThat(rows)
          .extracting(row -> row.getLong(0))
          .isEqualTo(records.stream().map(HealthRecord::getSequence).toList());
    }
  }

  private static void run(Path python, ConsumerFixture it) throws Exception {
    KafkaBroker broker = Environment.broker();
    Path job =
        Files.writeString(
            it.folder.resolve("job.py"),
            """
            import os, sys, time
            from pyspark.sql import SparkSession
            from pyspark.sql import functions as F
            sys.path.insert(0, os.environ["LISTENER"])
            from streampulse_listener import StreampulseListener

            listener = StreampulseListener(
                kafka={
                    "bootstrap.servers": os.environ["BROKER"],
                    "security.protocol": "SASL_SSL",
                    "sasl.mechanism": "PLAIN",
                    "sasl.username": os.environ["USER_NAME"],
                    "sasl.password": os.environ["PASSWORD"],
                    "ssl.ca.location": os.environ["AUTHORITY"],
                },
                schema=os.environ["SCHEMA"],
                topic=os.environ["TOPIC"],
                application_name="python-job",
                tags={"team": "data"},
                flush_interval=0.5,
            )
            spark = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
                .config("spark.sql.streaming.checkpointLocation", os.environ["CHECKPOINTS"])
                .getOrCreate())
            spark.streams.addListener(listener)
            rows = spark.readStream.format("rate").option("rowsPerSecond", 20).load()

            def start(frame):
                return (frame.writeStream.format("noop").queryName("python-rate")
                    .trigger(processingTime="300 milliseconds").start())

            query = start(rows)
            while not query.lastProgress or query.lastProgress["batchId"] < 3:
                time.sleep(0.05)
            query.stop()
            failing = start(rows.withColumn(
                "value", F.when(F.col("value") < 5, F.col("value"))
                    .otherwise(F.raise_error(F.lit("too many rows")).cast("long"))))
            try:
                failing.awaitTermination()
            except Exception:
                pass
            # Spark's events come on a thread of their own.
            time.sleep(3)
            listener.close()
            spark.stop()
            """);
    ProcessBuilder builder =
        new ProcessBuilder(python.resolve("bin/python").toString(), job.toString());
    var environment = builder.environment();
    environment.put("LISTENER", LISTENER.toAbsolutePath().toString());
    environment.put("SCHEMA", SCHEMA.toAbsolutePath().toString());
    environment.put("BROKER", broker.bootstrapServers());
    environment.put("USER_NAME", KafkaBroker.PLAIN_USER);
    environment.put("PASSWORD", broker.password());
    environment.put("AUTHORITY", broker.certificates().trustPem().toString());
    environment.put("TOPIC", it.topic);
    environment.put("CHECKPOINTS", it.folder.resolve("checkpoints").toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.remove("SPARK_HOME");
    Script.run(builder, 0);
  }
}
