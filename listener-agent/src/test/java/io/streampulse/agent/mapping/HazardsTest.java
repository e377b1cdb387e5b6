package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.Events;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.SinkProgress;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Odd things that Spark's events hold; each record must still be whole and encodable. */
class HazardsTest {
  private final Accounting accounting = new Accounting();
  private final RecordMapper mapper = mapper(Map.of());
  private final RecordEncoder encoder = RecordEncoder.singleObject();
  private final RecordDecoder decoder = new RecordDecoder();

  @Test
  void everythingMayBeNullOrEmpty() throws Exception {
    StreamingQueryProgress bare =
        new StreamingQueryProgress(
            Events.QUERY,
            Events.RUN,
            null,
            null,
            0,
            0,
            null,
            null,
            new StateOperatorProgress[] {
              new StateOperatorProgress(null, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, null)
            },
            new SourceProgress[] {new SourceProgress(null, null, null, null, 0, 0, 0, null)},
            new SinkProgress(null, 0, null),
            null);

    HealthRecord record = throughTheWire(new QueryProgressEvent(bare));

    assertThat(record.getQueryName()).isNull();
    assertThat(record.getWatermark()).isNull();
    assertThat(record.getDurationMs()).isEmpty();
    assertThat(record.getEventTime()).isEqualTo(record.getObservedTime());
    assertThat(record.getSink().getNumOutputRows()).isZero();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "5",
        "{\"a\":1}",
        "[1,2]",
        "not json {",
        "{\"t\":{\"0\":9223372036854775807}}",
        ""
      })
  void offsetsOfAnyKindArePublishedAsText(String offset) throws Exception {
    SourceProgress source = Events.source("KafkaV2[Subscribe[t]]", offset, offset, 1, 1);

    HealthRecord record = throughTheWire(withSource(source));

    assertThat(record.getSources().get(0).getEndOffset()).isEqualTo(offset);
    assertThat(record.getSources().get(0).getLatestOffset()).isEqualTo(offset);
  }

  @Test
  void metricsAreKeptAsTheyAre() throws Exception {
    Map<String, String> metrics =
        Map.of("maxOffsetsBehindLatest", "-5", "avg", "1.0E7", "bytes", "NaN");
    SourceProgress source =
        new SourceProgress("Kinesis", null, "5", "6", 0, 0, 0, new HashMap<>(metrics));

    HealthRecord record = throughTheWire(withSource(source));

    assertThat(record.getSources().get(0).getMetrics()).isEqualTo(metrics);
    assertThat(record.getSources().get(0).getBacklog()).isNull();
  }

  @Test
  void noRowsWhileOffsetsAdvanceIsProgressAndNotIdle() throws Exception {
    SourceProgress source =
        new SourceProgress(
            "KafkaV2[x]",
            "{\"t\":{\"0\":1}}",
            "{\"t\":{\"0\":9}}",
            "{\"t\":{\"0\":9}}",
            0,
            0,
            0,
            null);

    HealthRecord record = throughTheWire(withSource(source));

    assertThat(record.getEventType()).hasToString("PROGRESS");
    assertThat(record.getNumInputRows()).isZero();
    assertThat(record.getSources().get(0).getBacklog()).isZero();
  }

  @Test
  void streaksAreCountedForEachRun() throws Exception {
    assertThat(throughTheWire(progressOfRun(1)).getFallingBehindStreak()).isEqualTo(1);
    assertThat(throughTheWire(progressOfRun(1)).getFallingBehindStreak()).isEqualTo(2);
    // Restarted: the same query id, a new run; then late progress of the old one.
    assertThat(throughTheWire(progressOfRun(2)).getFallingBehindStreak()).isEqualTo(1);
    assertThat(throughTheWire(progressOfRun(1)).getFallingBehindStreak()).isEqualTo(3);
  }

  @Test
  void aHugeExceptionIsCappedRedactedAndValidUtf8() throws Exception {
    String exception =
        "org.x.E: no\nwith password=\"HUNTER2\" \uD83D half a pair\n"
            + "\tat a.b.C\n".repeat(500_000)
            + "Caused by: z";
    HealthRecord record = throughTheWire(Events.failed(exception, null));

    assertThat(record.getErrorMessage()).isEqualTo("org.x.E: no");
    assertThat(record.getException().length()).isLessThanOrEqualTo(32_768);
    assertThat(record.getException()).doesNotContain("HUNTER2").contains("password=***");
    assertThat(record.getTruncated()).containsExactly("exception");
    assertThat(record.getException()).contains("? half a pair").doesNotContain("\uD83D");
  }

  @Test
  void aPatternThatOverflowsTheStackHidesTheTextAndTheRunHasEnded() throws Exception {
    RecordMapper patterns = mapper(Map.of("spark.redaction.string.regex", "(?:a|b)*"));
    map(patterns, Events.started());
    HealthRecord record = map(patterns, Events.failed("ab".repeat(30_000), "CLASS"));

    assertThat(record.getException()).isEqualTo("***");
    assertThat(record.getErrorClass()).isEqualTo("CLASS");
    assertThat(patterns.activeRunCount()).isZero();
  }

  @Test
  void runsThatNobodyHearsOfAreNotActive() {
    map(mapper, Events.started());
    assertThat(mapper.agentEvent(EventType.HEARTBEAT, Instant.EPOCH).getActiveRuns()).hasSize(1);

    mapper.stopWatching(Set.of(Events.RUN));
    assertThat(mapper.activeRunCount()).isZero();
    assertThat(mapper.agentEvent(EventType.HEARTBEAT, Instant.EPOCH).getActiveRuns()).isEmpty();
    assertThat(mapper.activeRunCount()).isZero();
  }

  @Test
  void oddObservedMetricsAreTextAndTheOthersIntact() throws Exception {
    Map<String, Row> observed = new HashMap<>();
    observed.put("null", row(null, DataTypes.StringType));
    observed.put("nan", row(Double.NaN, DataTypes.DoubleType));
    observed.put("interval", row(Duration.ofSeconds(5), DataTypes.StringType));
    observed.put("nested", row(row(1, DataTypes.IntegerType), new StructType()));
    observed.put("binary", row(new byte[] {1, 2}, DataTypes.BinaryType));
    observed.put(
        "decimal",
        row(new BigDecimal("12345678901234567890.123456789012345678"), DataTypes.StringType));
    observed.put("schemaless", org.apache.spark.sql.RowFactory.create(1));
    observed.put("good", row(5L, DataTypes.LongType));

    HealthRecord record =
        throughTheWire(Events.progress(0, new SourceProgress[0], new HashMap<>(), observed));

    assertThat(record.getObservedMetrics())
        .hasSize(8)
        .containsEntry("null", "{\"v\":null}")
        .containsEntry("nan", "{\"v\":null}")
        .containsEntry("interval", "{\"v\":\"PT5S\"}")
        .containsEntry("nested", "{\"v\":{\"v\":1}}")
        .containsEntry("binary", "{\"v\":\"AQI=\"}")
        .containsEntry("decimal", "{\"v\":12345678901234567890.123456789012345678}")
        .containsEntry("schemaless", "null")
        .containsEntry("good", "{\"v\":5}");
  }

  @Test
  void metricsOfEachPartitionAreLeftOutFirst() throws Exception {
    Map<String, Long> custom = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      custom.put("SnapshotLastUploaded.partition_" + i + "_default", 1L);
    }
    custom.put("zzz", 7L);
    StreamingQueryProgress progress =
        new StreamingQueryProgress(
            Events.QUERY,
            Events.RUN,
            "q",
            Events.TIME,
            0,
            0,
            new HashMap<>(),
            new HashMap<>(),
            new StateOperatorProgress[] {
              new StateOperatorProgress("op", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, custom)
            },
            new SourceProgress[0],
            new SinkProgress("s", 1, new HashMap<>()),
            new HashMap<>());

    HealthRecord record = throughTheWire(new QueryProgressEvent(progress));

    assertThat(record.getStateOperators().get(0).getCustomMetrics())
        .hasSize(CappedMap.MOST_ENTRIES)
        .containsEntry("zzz", 7L);
    assertThat(record.getTruncated()).containsExactly("stateOperators.customMetrics");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\uD83D\uDE80 launch", "two\nlines", "tab\t\"quote\" \\"})
  void namesOfAnyKindAreKept(String name) throws Exception {
    HealthRecord record =
        throughTheWire(new QueryStartedEvent(Events.QUERY, Events.RUN, name, Events.TIME));

    assertThat(record.getQueryName()).isEqualTo(name);
    assertThat(record.getQueryId()).isEqualTo(Events.QUERY.toString());
  }

  @Test
  void aLongNameIsKeptWhereItFits() throws Exception {
    String name = "n".repeat(10_000);

    assertThat(
            throughTheWire(new QueryStartedEvent(Events.QUERY, Events.RUN, name, Events.TIME))
                .getQueryName())
        .isEqualTo(name);
  }

  @Test
  void identityComesFromDatabricksUsageTagsToo() {
    HealthRecord record =
        map(
            new RecordMapper(
                ApplicationInfo.of(
                    "a",
                    "1",
                    "4",
                    Map.of(
                        "spark.databricks.clusterUsageTags.clusterAllTags",
                        "[{\"key\":\"JobId\",\"value\":\"12\"},{\"key\":\"RunId\",\"value\":\"34\"}]"),
                    Map.of("api-token", "x", "team", "data")),
                Map.of(),
                accounting,
                1),
            Events.started());

    assertThat(record.getJobId()).isEqualTo("12");
    assertThat(record.getJobRunId()).isEqualTo("34");
    assertThat(record.getTags()).isEqualTo(Map.of("api-token", "***", "team", "data"));
  }

  @Test
  void onDatabricksTheJsonIsProbedAndMayThrow() {
    RecordMapper databricks = mapper(Map.of("spark.databricks.clusterUsageTags.clusterId", "c"));
    Map<String, Row> schemaless = new HashMap<>();
    schemaless.put("x", org.apache.spark.sql.RowFactory.create(1));

    HealthRecord record =
        map(databricks, Events.progress(3, new SourceProgress[0], new HashMap<>(), schemaless));

    assertThat(record.getBatchId()).isEqualTo(3);
    assertThat(record.getLatencies()).isEmpty();
  }

  private RecordMapper mapper(Map<String, String> conf) {
    return new RecordMapper(
        ApplicationInfo.of("a", "1", "4", Map.of(), Map.of()), conf, accounting, 1);
  }

  private HealthRecord throughTheWire(StreamingQueryListener.Event event) throws Exception {
    return decoder.decode(encoder.encode(map(mapper, event)));
  }

  private HealthRecord map(RecordMapper with, StreamingQueryListener.Event event) {
    return with.map(new StampedEvent(accounting.nextSequence(), 1_000, event));
  }

  private static QueryProgressEvent withSource(SourceProgress source) {
    return Events.progress(0, new SourceProgress[] {source}, new HashMap<>(), new HashMap<>());
  }

  private static QueryProgressEvent progressOfRun(long run) {
    return new QueryProgressEvent(
        new StreamingQueryProgress(
            Events.QUERY,
            new UUID(0, run),
            "q",
            Events.TIME,
            0,
            0,
            new HashMap<>(),
            new HashMap<>(),
            new StateOperatorProgress[0],
            new SourceProgress[] {Events.source("rate", null, null, 5, 4)},
            new SinkProgress("s", 1, new HashMap<>()),
            new HashMap<>()));
  }

  private static Row row(Object value, org.apache.spark.sql.types.DataType type) {
    return new GenericRowWithSchema(new Object[] {value}, new StructType().add("v", type));
  }
}
