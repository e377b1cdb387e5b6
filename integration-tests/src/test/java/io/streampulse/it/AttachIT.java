package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.HealthTopic;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.management.ObjectName;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;

/** Several sessions, and code on top of conf: one agent, one thread, no record twice. */
class AttachIT {
  @Test
  void oneAgentHoweverOftenItIsAttached() throws Exception {
    SparkSession spark = Environment.spark();
    SparkSession another = spark.newSession();
    AutoCloseable inCode = attach(spark);
    AutoCloseable inCodeToo = attach(another);
    StreamingQuery a = start(spark, "attach-a");
    StreamingQuery b = start(another, "attach-b");
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> a.lastProgress() != null && b.lastProgress() != null);
    a.stop();
    b.stop();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> of(a, EventType.TERMINATED) == 1 && of(b, EventType.TERMINATED) == 1);

    List<HealthRecord> records = HealthTopic.read(Environment.broker(), Environment.TOPIC);
    assertThat(records)
        .extracting(HealthRecord::getAgentId)
        .containsOnly(records.get(0).getAgentId());
    assertThat(records).extracting(HealthRecord::getSequence).doesNotHaveDuplicates();
    assertThat(of(a, EventType.STARTED)).isEqualTo(1);
    assertThat(of(b, EventType.STARTED)).isEqualTo(1);
    assertThat(of(a, EventType.PROGRESS)).isEqualTo(a.recentProgress().length);
    assertThat(of(b, EventType.PROGRESS)).isEqualTo(b.recentProgress().length);
    assertThat(threads("streampulse-flusher")).isEqualTo(1);
    assertThat(healthListeners(spark)).isEqualTo(1);
    assertThat(healthListeners(another)).isEqualTo(1);

    inCode.close();
    inCode.close();
    inCodeToo.close();
    // The one by conf is Spark's, and lives as long as the application.
    assertThat(threads("streampulse-flusher")).isEqualTo(1);
    assertThat(healthListeners(spark)).isEqualTo(1);
  }

  @Test
  void noEventIsLostWhenStopsRaceStarts() throws Exception {
    SparkSession spark = Environment.spark();
    for (int i = 0; i < 100; i++) {
      start(spark, "attach-race").stop();
    }
    assertThat(healthListeners(spark)).isEqualTo(1);
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              List<HealthRecord> records =
                  HealthTopic.read(Environment.broker(), Environment.TOPIC).stream()
                      .filter(r -> "attach-race".equals(r.getQueryName()))
                      .toList();
              assertThat(records)
                  .filteredOn(r -> r.getEventType() == EventType.STARTED)
                  .hasSize(100);
              assertThat(records)
                  .filteredOn(r -> r.getEventType() == EventType.TERMINATED)
                  .hasSize(100);
            });
  }

  @Test
  void agentsOwnNumbersAreVisibleAndBalance() throws Exception {
    SparkSession spark = Environment.spark();
    StreamingQuery query = start(spark, "attach-metrics");
    await().atMost(Duration.ofMinutes(1)).until(() -> query.lastProgress() != null);
    query.stop();

    Set<ObjectName> beans =
        ManagementFactory.getPlatformMBeanServer()
            .queryNames(new ObjectName("io.streampulse:type=Agent,*"), null);
    assertThat(beans).hasSize(1);
    ObjectName bean = beans.iterator().next();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(number(bean, "Produced"))
                    .isPositive()
                    .isEqualTo(
                        number(bean, "Published")
                            + number(bean, "Buffered")
                            + number(bean, "InFlight")));
    assertThat(sparkMetric("published")).isEqualTo(number(bean, "Published"));
  }

  private static Object sparkMetric(String name) {
    var sources =
        org.apache.spark.SparkEnv.get().metricsSystem().getSourcesByName("streampulse.agent");
    assertThat(sources.size()).isEqualTo(1);
    return sources.head().metricRegistry().getGauges().get(name).getValue();
  }

  private static long number(ObjectName bean, String attribute) throws Exception {
    return ((Number) ManagementFactory.getPlatformMBeanServer().getAttribute(bean, attribute))
        .longValue();
  }

  private static long of(StreamingQuery query, EventType type) throws Exception {
    return HealthTopic.read(Environment.broker(), Environment.TOPIC).stream()
        .filter(r -> query.id().toString().equals(r.getQueryId()) && r.getEventType() == type)
        .count();
  }

  private static StreamingQuery start(SparkSession spark, String name) throws Exception {
    return spark
        .readStream()
        .format("rate")
        .load()
        .writeStream()
        .format("noop")
        .queryName(name)
        .option("checkpointLocation", Environment.newFolder(name).toString())
        .trigger(Trigger.ProcessingTime(300))
        .start();
  }

  /** By name: the tests are compiled without the agent's relocated classes. */
  private static AutoCloseable attach(SparkSession spark) throws Exception {
    return (AutoCloseable)
        Class.forName("io.streampulse.agent.StreamPulse")
            .getMethod("attach", SparkSession.class)
            .invoke(null, spark);
  }

  private static long healthListeners(SparkSession spark) {
    long count = 0;
    for (StreamingQueryListener listener : spark.streams().listListeners()) {
      if (listener.getClass().getName().equals("io.streampulse.agent.HealthListener")) {
        count++;
      }
    }
    return count;
  }

  private static long threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.isAlive() && thread.getName().equals(name))
        .count();
  }
}
