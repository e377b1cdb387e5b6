package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.HealthConsumer;
import io.streampulse.testing.Folders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.junit.jupiter.api.Test;

/** Whatever the checkpoint replays, each record is in the table once. */
class ExactlyOnceIT {
  private static final Duration STOP = Duration.ofSeconds(30);

  @Test
  void aCleanStopUnderAsyncProgressReplaysAndNothingIsTwiceOrLost() {
    try (ConsumerFixture it = new ConsumerFixture("clean-stop-it", 3)) {
      it.set("async-progress.checkpoint-interval", "1h");
      it.messages.send(0, 100);
      it.runUntilCaughtUp();
      it.messages.send(100, 150);
      // One batch is on disk, the others were only in memory: a restart reads them again.
      it.run(
          consumer -> {
            it.awaitCaughtUp(consumer);
            it.messages.send(150, 200);
            it.awaitCaughtUp(consumer);
          });
      it.messages.send(200, 250);
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.numbers()).isEqualTo(LongStream.range(0, 250).boxed().toList());
    }
  }

  @Test
  void aCheckpointRolledBackReplaysAllOfItIntoNothing() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("rolled-back-it", 2)) {
      it.set("async-progress.enabled", "false");
      it.messages.send(0, 10);
      it.runUntilCaughtUp();
      Path old = it.folder.resolve("old-checkpoint");
      Folders.copy(it.checkpoint(), old);
      for (int batch = 1; batch < 3; batch++) {
        it.messages.send(batch * 10L, batch * 10L + 10);
        it.runUntilCaughtUp();
      }
      Folders.delete(it.checkpoint());
      Folders.copy(old, it.checkpoint());
      it.messages.send(30, 40);
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.numbers()).hasSize(40);
    }
  }

  @Test
  void aBatchThatIsComparedWithTheTableIsReadFromTheTopicOnce() {
    try (ConsumerFixture it = new ConsumerFixture("read-once-it", 2)) {
      it.messages.send(0, 40);
      it.messages.sendRaw(0, "no record".getBytes(StandardCharsets.UTF_8));
      it.runUntilCaughtUp();
      it.set("checkpoint", it.folder.resolve("second").toString()).set("take-over", "true");
      it.messages.send(40, 60);
      it.run(
          consumer -> {
            it.awaitCaughtUp(consumer);
            // Spark counts what the source gave, as often as it gave it.
            assertThat(
                    Arrays.stream(consumer.query().recentProgress())
                        .mapToLong(StreamingQueryProgress::numInputRows)
                        .sum())
                .isEqualTo(61);
          });

      it.assertExactlyOnce();
    }
  }

  @Test
  void aFreshCheckpointOverAnOldTableIsRefusedUnlessAskedForAndThenAppendsNothingTwice() {
    try (ConsumerFixture it = new ConsumerFixture("fresh-checkpoint-it", 2)) {
      it.messages.send(0, 40);
      it.messages.sendRaw(0, "no record".getBytes(StandardCharsets.UTF_8));
      it.runUntilCaughtUp();
      it.set("checkpoint", it.folder.resolve("second").toString());
      assertThatThrownBy(it::start)
          .hasMessageContaining("is fed from topic fresh-checkpoint-it by another checkpoint")
          .hasMessageContaining("for ever")
          .hasMessageContaining("spark.streampulse.consumer.take-over=true");
      assertThat(it.folder.resolve("second/metadata")).doesNotExist();

      it.set("take-over", "true").set("max-offsets-per-trigger", "10");
      it.messages.send(40, 60);
      it.runUntilCaughtUp();
      it.set("take-over", "false");
      it.messages.send(60, 70);
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
    }
  }

  @Test
  void aTopicMadeAnewBeginsAtOffsetZeroAndIsNotTakenForTheOld() {
    try (ConsumerFixture it = new ConsumerFixture("made-anew-it", 1)) {
      it.messages.send(0, 30);
      it.runUntilCaughtUp();
      Map<String, Integer> expected = new TreeMap<>(it.coordinates());
      it.makeTopicAnew(30, 50);
      it.set("checkpoint", it.folder.resolve("second").toString()).set("take-over", "true");
      it.runUntilCaughtUp();

      expected.putAll(it.topicCoordinates());
      assertThat(expected).hasSize(50);
      assertThat(it.coordinates()).isEqualTo(expected);
    }
  }

  @Test
  void ofTwoRunsOnOneCheckpointTheOlderStopsAndNamesTheNewer() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("two-runs-it", 1)) {
      it.set("async-progress.checkpoint-interval", "1h");
      it.messages.send(0, 10);
      HealthConsumer older = it.start();
      try {
        it.awaitCaughtUp(older);
        // Spark refuses two runs of a query in one session; so the newer one is its fence alone.
        fenceAsANewerRunWould(it);
        it.messages.send(10, 20);
        assertThatThrownBy(older::awaitTermination)
            .rootCause()
            .hasMessageContaining("fenced by run ")
            .hasMessageContaining("two consumers can't share a checkpoint");
      } finally {
        older.stop(STOP);
      }
      it.runUntilCaughtUp();
      it.assertExactlyOnce();
    }
  }

  /** The fence of a run whose clock is an hour ahead. */
  private static void fenceAsANewerRunWould(ConsumerFixture it) throws Exception {
    String metadata = Files.readString(it.checkpoint().resolve("metadata"));
    String queryId = metadata.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1").strip();
    Environment.spark()
        .createDataFrame(List.of(), it.rows(it.table).schema())
        .writeTo(it.table)
        .option("txnAppId", "streampulse-" + queryId)
        .option(
            "txnVersion",
            String.valueOf((System.currentTimeMillis() + Duration.ofHours(1).toMillis()) << 20))
        .append();
  }

  @Test
  void commitsTellWhoMadeThemAndSmallBatchesMakeOneFile() {
    try (ConsumerFixture it = new ConsumerFixture("commits-it", 3)) {
      it.run(
          consumer -> {
            for (int batch = 0; batch < 4; batch++) {
              it.messages.send(batch * 30L, batch * 30L + 30);
              it.awaitCaughtUp(consumer);
            }
          });

      List<Row> history = it.history();
      assertThat(history.stream().map(row -> row.<String>getAs("userMetadata")))
          .filteredOn(note -> note != null && note.contains("\"kind\":\"fence\""))
          .hasSize(1);
      List<Row> appends =
          history.stream()
              .filter(
                  row -> String.valueOf(row.<String>getAs("userMetadata")).contains("\"append\""))
              .toList();
      assertThat(appends).hasSizeGreaterThanOrEqualTo(4);
      // The first batch of a run is written as it was read: nothing tells its size beforehand.
      assertThat(appends.subList(0, appends.size() - 1))
          .allMatch(
              row ->
                  row.<scala.collection.Map<String, String>>getAs("operationMetrics")
                      .apply("numFiles")
                      .equals("1"));
    }
  }

  @Test
  void afterAnIdleWhileACommitStillTellsWhatIsBelowIt() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("idle-it", 1)) {
      String interval = "spark.sql.streaming.noDataProgressEventInterval";
      Environment.spark().conf().set(interval, "300ms");
      IdleEvents idle = new IdleEvents();
      Environment.spark().streams().addListener(idle);
      try {
        it.messages.send(0, 10);
        it.run(
            consumer -> {
              it.awaitCaughtUp(consumer);
              for (int batch = 1; batch < 4; batch++) {
                idle.awaitNext();
                it.messages.send(batch * 10L, batch * 10L + 10);
                it.awaitCaughtUp(consumer);
              }
            });
      } finally {
        Environment.spark().streams().removeListener(idle);
        Environment.spark().conf().unset(interval);
      }

      it.assertExactlyOnce();
      assertThat(it.history().stream().map(row -> row.<String>getAs("userMetadata")))
          .filteredOn(note -> note != null && note.contains("\"kind\":\"append\""))
          .hasSizeGreaterThanOrEqualTo(4)
          .allMatch(note -> note.contains("\"below\":{"));
    }
  }

  private static final class IdleEvents extends StreamingQueryListener {
    private static final long serialVersionUID = 1L;

    private final Semaphore events = new Semaphore(0);

    void awaitNext() throws InterruptedException {
      events.drainPermits();
      assertThat(events.tryAcquire(1, TimeUnit.MINUTES)).isTrue();
    }

    @Override
    public void onQueryIdle(QueryIdleEvent event) {
      events.release();
    }

    @Override
    public void onQueryStarted(QueryStartedEvent event) {}

    @Override
    public void onQueryProgress(QueryProgressEvent event) {}

    @Override
    public void onQueryTerminated(QueryTerminatedEvent event) {}
  }
}
