package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.Events;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.DropReason;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.ActiveRun;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class RecordMapperTest {
  private static final long OBSERVED = 1_000_000_000_000L;

  private final Accounting accounting = new Accounting();
  private final RecordMapper mapper =
      new RecordMapper(
          ApplicationInfo.of(
              "agent",
              "1.0",
              "4.2.0",
              Map.of(
                  "spark.app.id", "app-1",
                  "spark.app.name", "job",
                  "spark.driver.host", "driver",
                  "spark.databricks.clusterUsageTags.clusterId", "c-1"),
              Map.of("team", "data")),
          Map.of(),
          accounting,
          1);

  @Test
  void everyRecordSaysWhereItComesFrom() {
    accounting.dropped(DropReason.BUFFER_FULL);
    HealthRecord record = map(Events.started());

    assertThat(record.getAgentId()).isEqualTo("agent");
    assertThat(record.getAgentVersion()).isEqualTo("1.0");
    assertThat(record.getApplicationId()).isEqualTo("app-1");
    assertThat(record.getApplicationName()).isEqualTo("job");
    assertThat(record.getSparkVersion()).isEqualTo("4.2.0");
    assertThat(record.getHost()).isEqualTo("driver");
    assertThat(record.getClusterId()).isEqualTo("c-1");
    assertThat(record.getJobId()).isNull();
    assertThat(record.getTags()).isEqualTo(Map.of("team", "data"));
    assertThat(record.getDropped()).isEqualTo(Map.of("buffer_full", 1L));
  }

  @Test
  void takesSparksTimeAndItsOwn() {
    HealthRecord record = map(Events.progress(7, 1, 2));

    assertThat(record.getEventTime()).isEqualTo(Instant.parse(Events.TIME));
    assertThat(record.getObservedTime()).isEqualTo(Instant.ofEpochMilli(OBSERVED));
    assertThat(map(Events.terminated()).getEventTime()).isEqualTo(Instant.ofEpochMilli(OBSERVED));
  }

  @Test
  void fallsBehindByTheTutorialsRule() {
    assertThat(map(Events.progress(0, 5, 4.9)).getFallingBehind()).isTrue();
    assertThat(map(Events.progress(1, 5, 5)).getFallingBehind()).isFalse();
    assertThat(map(Events.progress(2, 0, 0)).getFallingBehind()).isFalse();
    assertThat(map(Events.progress(3, 0, 1.9)).getFallingBehind()).isFalse();
    assertThat(map(Events.progress(4, Double.NaN, 1)).getFallingBehind()).isFalse();
  }

  @Test
  void countsBatchesThatFallBehindInARow() {
    assertThat(map(Events.progress(0, 5, 4)).getFallingBehindStreak()).isEqualTo(1);
    assertThat(map(Events.progress(1, 5, 4)).getFallingBehindStreak()).isEqualTo(2);
    assertThat(map(Events.progress(2, 5, 6)).getFallingBehindStreak()).isZero();
    assertThat(map(Events.progress(3, 5, 4)).getFallingBehindStreak()).isEqualTo(1);
  }

  @Test
  void startsCountingAnewAfterTheRunHasEnded() {
    map(Events.progress(0, 5, 4));
    map(Events.terminated());

    assertThat(map(Events.progress(1, 5, 4)).getFallingBehindStreak()).isEqualTo(1);
  }

  @Test
  void ratesThatAreNoNumbersAreNullAndTheOthersKept() {
    SourceProgress[] sources = {
      Events.source("bad", null, null, Double.NaN, Double.POSITIVE_INFINITY),
      Events.source("good", null, null, 0.04, 3.0)
    };
    HealthRecord record = map(Events.progress(0, sources, new HashMap<>(), new HashMap<>()));

    assertThat(record.getSources().get(0).getInputRowsPerSecond()).isNull();
    assertThat(record.getSources().get(0).getProcessedRowsPerSecond()).isNull();
    assertThat(record.getSources().get(1).getInputRowsPerSecond()).isEqualTo(0.04);
    assertThat(record.getInputRowsPerSecond()).isNull();
  }

  @Test
  void epochWatermarkMeansNoneYet() {
    Map<String, String> none = new HashMap<>(Map.of("watermark", "1970-01-01T00:00:00.000Z"));
    Map<String, String> some = new HashMap<>(Map.of("watermark", Events.TIME, "avg", "x"));

    assertThat(withEventTime(none).getWatermark()).isNull();
    assertThat(withEventTime(some).getWatermark()).isEqualTo(Instant.parse(Events.TIME));
    assertThat(withEventTime(some).getEventTimeStats()).isEqualTo(some);
    assertThat(withEventTime(new HashMap<>()).getWatermark()).isNull();
    assertThat(withEventTime(null).getWatermark()).isNull();
  }

  @Test
  void unknownNumberOfOutputRowsIsNull() {
    assertThat(map(Events.progress(0, 1, 1)).getSink().getNumOutputRows()).isNull();
  }

  @Test
  void observedMetricsAreTheJsonOfTheirColumns() {
    StructType schema =
        new StructType()
            .add("avg", DataTypes.DoubleType)
            .add("nan", DataTypes.DoubleType)
            .add("max", DataTypes.LongType)
            .add("text", DataTypes.StringType)
            .add("none", DataTypes.StringType);
    Object[] values = {1.5, Double.NaN, 7L, "a\"b\n", null};
    Map<String, Row> observed = new HashMap<>();
    observed.put("latency", new GenericRowWithSchema(values, schema));

    HealthRecord record = map(Events.progress(0, new SourceProgress[0], new HashMap<>(), observed));

    assertThat(record.getObservedMetrics())
        .containsEntry(
            "latency", "{\"avg\":1.5,\"nan\":null,\"max\":7,\"text\":\"a\\\"b\\n\",\"none\":null}");
  }

  @Test
  void tellsAFailureFromACleanEnd() {
    HealthRecord failed = map(Events.failed("org.x.E: no\n\tat y\nCaused by: z", "DIVIDE_BY_ZERO"));
    HealthRecord clean = map(Events.terminated());
    HealthRecord withoutMessage = map(Events.failed("null", null));

    assertThat(failed.getErrorMessage()).isEqualTo("org.x.E: no");
    assertThat(failed.getException()).contains("Caused by: z");
    assertThat(failed.getErrorClass()).isEqualTo("DIVIDE_BY_ZERO");
    assertThat(clean.getErrorMessage()).isNull();
    assertThat(withoutMessage.getErrorMessage()).isNull();
  }

  @Test
  void remembersTheNameForEventsThatCarryNone() {
    map(Events.started());

    assertThat(map(Events.idle()).getQueryName()).isEqualTo("orders");
    assertThat(map(Events.terminated()).getQueryName()).isEqualTo("orders");
  }

  @Test
  void keepsTheJobTagsOfTheStart() {
    scala.collection.immutable.Set<String> tags =
        new scala.collection.immutable.Set.Set1<>("nightly");

    assertThat(
            map(new QueryStartedEvent(Events.QUERY, Events.RUN, "orders", Events.TIME, tags))
                .getJobTags())
        .containsExactly("nightly");
    assertThat(map(Events.started()).getJobTags()).isEmpty();
  }

  @Test
  void namesActiveRunsInItsOwnEvents() {
    map(Events.started());
    HealthRecord heartbeat = mapper.agentEvent(EventType.HEARTBEAT, Instant.EPOCH);
    map(Events.terminated());
    HealthRecord stopped = mapper.agentEvent(EventType.AGENT_STOPPED, Instant.EPOCH);

    assertThat(heartbeat.getActiveRuns())
        .containsExactly(new ActiveRun(Events.QUERY.toString(), Events.RUN.toString(), "orders"));
    assertThat(heartbeat.getQueryId()).isNull();
    assertThat(stopped.getActiveRuns()).isEmpty();
    assertThat(mapper.activeRunCount()).isZero();
  }

  private HealthRecord withEventTime(Map<String, String> eventTime) {
    return map(Events.progress(0, new SourceProgress[0], eventTime, new HashMap<>()));
  }

  private HealthRecord map(StreamingQueryListener.Event event) {
    return mapper.map(new StampedEvent(accounting.nextSequence(), OBSERVED, event));
  }
}
