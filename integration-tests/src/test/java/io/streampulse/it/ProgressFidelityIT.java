package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;

/** Each PROGRESS row says what Spark said of the batch, field by field. */
class ProgressFidelityIT {
  private static final String TABLE = "spark_catalog.fidelity_it.streaming_health";
  private static final int BATCHES = 6;

  @Test
  void everyProgressRowEqualsSparksRecentProgress() throws Exception {
    SparkSession spark = Environment.spark();
    Path folder = Environment.newFolder("fidelity");
    HealthConsumer consumer =
        HealthConsumer.start(
            spark,
            ConsumerConfig.read(
                Environment.consumerConf(
                    Environment.broker().plainClient(), Environment.TOPIC, folder, TABLE)));
    List<StreamingQueryProgress> truth;
    String queryId;
    try {
      StreamingQuery query = statefulQuery(spark, folder.resolve("query").toString());
      queryId = query.id().toString();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> query.lastProgress() != null && query.lastProgress().batchId() >= BATCHES - 1);
      query.stop();
      truth = Arrays.asList(query.recentProgress());
      await().atMost(Duration.ofMinutes(1)).until(() -> rows(queryId, "TERMINATED").size() == 1);
    } finally {
      consumer.stop(Duration.ofSeconds(30));
    }

    List<Row> rows = rows(queryId, "PROGRESS");
    assertThat(rows).hasSameSizeAs(truth).hasSizeGreaterThanOrEqualTo(BATCHES);
    for (int i = 0; i < rows.size(); i++) {
      assertThat(fields(rows.get(i)))
          .as("batch %d", truth.get(i).batchId())
          .containsExactlyEntriesOf(fields(truth.get(i)));
    }
    // Controls: the query has what the comparison is about.
    assertThat(truth).anyMatch(p -> p.stateOperators()[0].numRowsTotal() > 0);
    assertThat(truth).anyMatch(p -> p.eventTime().containsKey("max"));
    assertThat(rows).anyMatch(row -> row.getAs("watermark") != null);
    assertThat(rows)
        .anyMatch(row -> row.<Object>getAs("observedMetrics").toString().contains("largest"));
  }

  private static StreamingQuery statefulQuery(SparkSession spark, String checkpoint)
      throws Exception {
    Dataset<Row> rates = spark.readStream().format("rate").option("rowsPerSecond", 40).load();
    return rates
        .withWatermark("timestamp", "1 second")
        .observe(
            "seen",
            functions.max(functions.col("value")).alias("largest"),
            functions.count(functions.lit(1)).alias("rows"))
        .groupBy(functions.window(functions.col("timestamp"), "1 second"))
        .count()
        .writeStream()
        .format("noop")
        .outputMode("update")
        .queryName("fidelity")
        .option("checkpointLocation", checkpoint)
        .trigger(Trigger.ProcessingTime(300))
        .start();
  }

  private static List<Row> rows(String queryId, String eventType) {
    return Environment.spark()
        .table(TABLE)
        .filter("queryId = '%s' AND eventType = '%s'".formatted(queryId, eventType))
        .orderBy("batchId")
        .collectAsList();
  }

  private static Map<String, Object> fields(StreamingQueryProgress progress) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("queryId", progress.id().toString());
    fields.put("runId", progress.runId().toString());
    fields.put("queryName", progress.name());
    fields.put("eventTime", Timestamp.from(Instant.parse(progress.timestamp())));
    fields.put("batchId", progress.batchId());
    fields.put("batchDurationMs", progress.batchDuration());
    fields.put("numInputRows", progress.numInputRows());
    fields.put("inputRowsPerSecond", finite(progress.inputRowsPerSecond()));
    fields.put("processedRowsPerSecond", finite(progress.processedRowsPerSecond()));
    fields.put("durationMs", new HashMap<>(progress.durationMs()));
    fields.put("eventTimeStats", new HashMap<>(progress.eventTime()));
    List<Object> sources = new ArrayList<>();
    for (SourceProgress source : progress.sources()) {
      sources.add(
          Arrays.asList(
              source.description(),
              source.startOffset(),
              source.endOffset(),
              source.latestOffset(),
              source.numInputRows(),
              finite(source.inputRowsPerSecond()),
              finite(source.processedRowsPerSecond()),
              new HashMap<>(source.metrics()),
              null));
    }
    fields.put("sources", sources);
    long outputRows = progress.sink().numOutputRows();
    fields.put(
        "sink",
        Arrays.asList(
            progress.sink().description(),
            outputRows < 0 ? null : outputRows,
            new HashMap<>(progress.sink().metrics())));
    List<Object> operators = new ArrayList<>();
    for (StateOperatorProgress state : progress.stateOperators()) {
      operators.add(
          Arrays.asList(
              state.operatorName(),
              state.numRowsTotal(),
              state.numRowsUpdated(),
              state.allUpdatesTimeMs(),
              state.numRowsRemoved(),
              state.allRemovalsTimeMs(),
              state.commitTimeMs(),
              state.memoryUsedBytes(),
              state.numRowsDroppedByWatermark(),
              state.numShufflePartitions(),
              state.numStateStoreInstances(),
              new HashMap<>(state.customMetrics())));
    }
    fields.put("stateOperators", operators);
    fields.put("observedMetrics", observed(progress));
    return fields;
  }

  /** Spark's own JSON of the observed row: there are no rates in it that it would round. */
  private static Map<String, String> observed(StreamingQueryProgress progress) {
    Map<String, String> observed = new HashMap<>();
    progress.observedMetrics().forEach((name, row) -> observed.put(name, row.json()));
    return observed;
  }

  private static Double finite(double rate) {
    return Double.isFinite(rate) ? rate : null;
  }

  private static Map<String, Object> fields(Row row) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (String column :
        List.of(
            "queryId",
            "runId",
            "queryName",
            "eventTime",
            "batchId",
            "batchDurationMs",
            "numInputRows",
            "inputRowsPerSecond",
            "processedRowsPerSecond",
            "durationMs",
            "eventTimeStats",
            "sources",
            "sink",
            "stateOperators",
            "observedMetrics")) {
      fields.put(column, plain(row.getAs(column)));
    }
    return fields;
  }

  private static Object plain(Object value) {
    if (value instanceof Row row) {
      List<Object> values = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        values.add(plain(row.get(i)));
      }
      return values;
    }
    if (value instanceof scala.collection.Map<?, ?> map) {
      return new HashMap<>(scala.jdk.javaapi.CollectionConverters.asJava(map));
    }
    if (value instanceof scala.collection.Seq<?> seq) {
      return scala.jdk.javaapi.CollectionConverters.asJava(seq).stream()
          .map(ProgressFidelityIT::plain)
          .toList();
    }
    return value;
  }
}
