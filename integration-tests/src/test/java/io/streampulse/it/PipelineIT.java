package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;

/** A job with the shaded agent by conf only, a SASL_SSL broker, the consumer, a Delta table. */
class PipelineIT {
  private static final int BATCHES = 8;
  private static final String TABLE = "spark_catalog.pipeline_it.streaming_health";

  @Test
  void everyBatchOfTheJobIsARowWithItsNumbers() throws Exception {
    Environment.broker().createTopic("pipeline-it", 3);
    Path folder = Environment.newFolder("pipeline");
    Path truth = folder.resolve("truth.txt");
    HealthConsumer consumer =
        HealthConsumer.start(
            Environment.spark(),
            ConsumerConfig.read(
                Environment.consumerConf(
                    Environment.broker().scramClient(), "pipeline-it", folder, TABLE)));
    try (ChildJvm job =
        Environment.submit(
            "rate-job",
            RateJob.class,
            Environment.agentConf(Environment.broker().plainClient(), "pipeline-it"),
            List.of(ChildJvm.jarOnClassPath("streampulse-listener-agent")),
            String.valueOf(BATCHES),
            folder.resolve("job-checkpoint").toString(),
            truth.toString())) {
      assertThat(job.awaitExit(Duration.ofMinutes(2))).as(job.output()).isZero();
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(rows("eventType = 'AGENT_STOPPED'")).hasSize(1));
    } finally {
      consumer.stop(Duration.ofSeconds(30));
    }

    List<Row> progress = rows("eventType = 'PROGRESS'");
    assertThat(progress.stream().map(PipelineIT::numbers).toList())
        .hasSizeGreaterThanOrEqualTo(BATCHES)
        .isEqualTo(Files.readAllLines(truth));
    List<Row> started = rows("eventType = 'STARTED'");
    assertThat(started).hasSize(1);
    List<Row> terminated = rows("eventType = 'TERMINATED'");
    assertThat(terminated).hasSize(1);
    assertThat(terminated.get(0).<String>getAs("queryName")).isEqualTo("rates");
    assertThat(terminated.get(0).<Object>getAs("errorMessage")).isNull();
    assertThat(
            Environment.spark()
                .sql(
                    "SELECT DISTINCT applicationName, queryId FROM %s WHERE queryId IS NOT NULL"
                        .formatted(TABLE))
                .count())
        .isEqualTo(1);
    assertThat(started.get(0).<String>getAs("applicationName")).isEqualTo("rate-job");
    assertSequencesHaveNoGap();
    assertTheFleetIsAsTheJobLeftIt(progress.size());
  }

  private static void assertTheFleetIsAsTheJobLeftIt(int batches) {
    FleetSnapshot fleet =
        new FleetReader(
                Environment.spark(),
                new FleetViews(TableName.parse(TABLE), TableName.parse(TABLE + "_quarantine")))
            .read();
    assertThat(fleet.outage()).isEmpty();
    assertThat(fleet.queries())
        .singleElement()
        .satisfies(
            query -> {
              assertThat(query.name()).isEqualTo("rates");
              assertThat(query.state()).isEqualTo(QueryState.STOPPED);
              assertThat(query.reason()).isEqualTo("ended without an error");
              assertThat(query.number("windowBatches")).hasValue(batches);
              assertThat(query.number("batchDurationMs").orElseThrow()).isPositive();
            });
    assertThat(fleet.telemetry())
        .singleElement()
        .satisfies(
            agent -> {
              assertThat(agent.path("applicationName").asText()).isEqualTo("rate-job");
              assertThat(agent.path("closed").asBoolean()).isTrue();
              assertThat(agent.path("produced").asLong())
                  .isPositive()
                  .isEqualTo(
                      agent.path("inTable").asLong()
                          + agent.path("droppedTotal").asLong()
                          + agent.path("missing").asLong());
              assertThat(agent.path("missing").asLong(-1)).isZero();
            });
  }

  private static void assertSequencesHaveNoGap() {
    Row row =
        Environment.spark()
            .sql(
                "SELECT count(DISTINCT sequence), max(sequence) + 1, sum(size(dropped)) FROM "
                    + TABLE)
            .head();
    assertThat(row.getLong(0)).isEqualTo(row.getLong(1));
    assertThat(row.getLong(2)).isZero();
  }

  private static String numbers(Row row) {
    return row.getAs("batchId")
        + " "
        + row.getAs("numInputRows")
        + " "
        + row.getAs("inputRowsPerSecond")
        + " "
        + row.getAs("processedRowsPerSecond");
  }

  private static List<Row> rows(String condition) {
    return Environment.spark().table(TABLE).filter(condition).orderBy("batchId").collectAsList();
  }
}
