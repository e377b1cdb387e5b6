package io.streampulse.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In code alone: with the listener by conf, which lives for ever, nothing that is here matters. */
@Timeout(120)
class StreamPulseTest {
  private static SparkSession spark;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.streampulse.agent.publisher", "log")
            .getOrCreate();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @Test
  void aSessionThatLetsGoLosesNoEventOfAQueryThatHasEnded() throws Exception {
    SparkSession mine = spark.newSession();
    SlowCounter heard = new SlowCounter();
    mine.streams().addListener(heard);
    try (AutoCloseable other = StreamPulse.attach(spark.newSession())) {
      AutoCloseable attached = StreamPulse.attach(mine);
      Agent agent = agentOf(mine);
      StreamingQuery query = query(mine);
      await().until(() -> query.lastProgress() != null);
      query.stop();
      attached.close();
      long produced = agent.accounting().producedCount();

      await().untilTrue(heard.ended);
      assertThat(produced).isEqualTo(heard.events.get());
      assertThat(listeners(mine)).isEqualTo(1);
      assertThat(agent.isClosing()).as("the other session has it").isFalse();
      assertThat(other).isNotNull();
    }
  }

  @Test
  void aQueryThatGoesOnIsNotWaitedFor() throws Exception {
    SparkSession mine = spark.newSession();
    StreamingQuery query = query(mine);
    try (AutoCloseable other = StreamPulse.attach(spark.newSession())) {
      AutoCloseable attached = StreamPulse.attach(mine);
      long begin = System.nanoTime();
      attached.close();
      assertThat(System.nanoTime() - begin).isLessThan(Agent.LAST_EVENTS.toNanos());
      assertThat(other).isNotNull();
    } finally {
      query.stop();
    }
  }

  @Test
  void whoAttachesWhileTheLastOneClosesIsWatched() throws Exception {
    SparkSession mine = spark.newSession();
    AutoCloseable first = StreamPulse.attach(mine);
    first.close();
    assertThat(listeners(mine)).isZero();
    try (AutoCloseable second = StreamPulse.attach(mine)) {
      assertThat(second).isNotNull();
      assertThat(agentOf(mine).isClosing()).isFalse();
    }
    assertThat(listeners(mine)).isZero();
  }

  private StreamingQuery query(SparkSession session) throws Exception {
    return session
        .readStream()
        .format("rate-micro-batch")
        .option("rowsPerBatch", 1)
        .load()
        .writeStream()
        .format("noop")
        .option("checkpointLocation", folder.toString())
        .trigger(Trigger.ProcessingTime(100))
        .start();
  }

  private static Agent agentOf(SparkSession session) {
    return Arrays.stream(session.streams().listListeners())
        .filter(HealthListener.class::isInstance)
        .map(listener -> ((HealthListener) listener).agent())
        .findFirst()
        .orElseThrow();
  }

  private static int listeners(SparkSession session) {
    return session.streams().listListeners().length;
  }

  /** Counts events, and is slow to pass on that a query has ended. */
  private static final class SlowCounter extends StreamingQueryListener {
    private static final long serialVersionUID = 1L;

    private final transient AtomicLong events = new AtomicLong();
    private final transient AtomicBoolean ended = new AtomicBoolean();

    @Override
    public void onQueryStarted(QueryStartedEvent event) {
      events.incrementAndGet();
    }

    @Override
    public void onQueryProgress(QueryProgressEvent event) {
      events.incrementAndGet();
    }

    @Override
    public void onQueryIdle(QueryIdleEvent event) {
      events.incrementAndGet();
    }

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
      events.incrementAndGet();
      ended.set(true);
    }
  }
}
