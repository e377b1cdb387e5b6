package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.Events;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.HealthRecord;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class RecordLimiterTest {
  private static final int MAX = 900_000;

  private final RecordLimiter limiter = new RecordLimiter(MAX);
  private final RecordMapper mapper =
      new RecordMapper(
          ApplicationInfo.of("a", "1", "4", Map.of(), Map.of()), Map.of(), new Accounting(), 1);

  @Test
  void leavesASmallRecordWhole() {
    HealthRecord record = map(Events.progress(0, 1, 1));

    assertThat(limiter.fit(record)).isLessThan(2_000);
    assertThat(record.getTruncated()).isEmpty();
  }

  @Test
  void cutsHugeOffsetsAndKeepsTheLag() {
    String end = offsets(1000);
    SourceProgress kafka = Events.source("KafkaV2[Subscribe[t]]", end, offsets(1003), 1, 1);
    assertThat(end.length()).isGreaterThan(1_000_000);
    HealthRecord record =
        map(Events.progress(0, new SourceProgress[] {kafka}, new HashMap<>(), new HashMap<>()));

    int size = limiter.fit(record);

    assertThat(size).isLessThanOrEqualTo(MAX);
    assertThat(record.getTruncated()).containsExactly("sources.latestOffset", "sources.endOffset");
    assertThat(record.getSources().get(0).getEndOffset()).isNull();
    assertThat(record.getSources().get(0).getBacklog()).isEqualTo(3L * 200 * 500);
    assertThat(record.getSources().get(0).getNumInputRows()).isEqualTo(10);
  }

  @Test
  void cutsNoMoreThanItMust() {
    SourceProgress source = Events.source("s", "e".repeat(500_000), "l".repeat(500_000), 1, 1);
    HealthRecord record =
        map(Events.progress(0, new SourceProgress[] {source}, new HashMap<>(), new HashMap<>()));
    limiter.fit(record);

    assertThat(record.getTruncated()).containsExactly("sources.latestOffset");
    assertThat(record.getSources().get(0).getEndOffset()).hasSize(500_000);
  }

  @Test
  void keepsSmallObservedMetricsBesideAHugeOne() {
    Map<String, Row> observed = new HashMap<>();
    observed.put("huge", row("x".repeat(MAX)));
    observed.put("small", row("x"));
    HealthRecord record = map(Events.progress(0, new SourceProgress[0], new HashMap<>(), observed));

    assertThat(limiter.fit(record)).isLessThanOrEqualTo(MAX);
    assertThat(record.getObservedMetrics()).containsOnlyKeys("small");
    assertThat(record.getTruncated()).containsExactly("observedMetrics");
  }

  @Test
  void fitsEvenThousandsOfSources() {
    SourceProgress[] sources = new SourceProgress[3_000];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = Events.source("source " + "x".repeat(2_000), null, null, 1, 1);
    }
    HealthRecord record = map(Events.progress(0, sources, new HashMap<>(), new HashMap<>()));

    assertThat(limiter.fit(record)).isLessThanOrEqualTo(MAX);
    assertThat(record.getTruncated()).contains("sources.description", "sources");
  }

  @Test
  void sizeIsThatOfTheMessage() {
    HealthRecord record = map(Events.progress(0, 1, 1));

    assertThat(limiter.fit(record))
        .isEqualTo(io.streampulse.wire.RecordEncoder.singleObject().encode(record).length);
  }

  private HealthRecord map(StreamingQueryListener.Event event) {
    return mapper.map(new StampedEvent(0, 0, event));
  }

  private static Row row(String value) {
    return new GenericRowWithSchema(
        new Object[] {value}, new StructType().add("v", DataTypes.StringType));
  }

  /** Offsets of 200 topics with 500 partitions each. */
  private static String offsets(int offset) {
    StringBuilder json = new StringBuilder("{");
    for (int t = 0; t < 200; t++) {
      json.append(t == 0 ? "" : ",").append("\"topic-").append(t).append("\":{");
      for (int p = 0; p < 500; p++) {
        json.append(p == 0 ? "" : ",").append('"').append(p).append("\":").append(offset);
      }
      json.append('}');
    }
    return json.append('}').toString();
  }
}
