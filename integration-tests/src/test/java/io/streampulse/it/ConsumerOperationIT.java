package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The consumer's commands as operators give them, each in a process of its own. */
@Tag("fault-injection")
class ConsumerOperationIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);

  @Test
  void scheduledIngestionThenInspectThenMaintain() {
    try (ConsumerFixture it = new ConsumerFixture("scheduled-it", 2)) {
      it.set("trigger", "available-now").set("async-progress.enabled", "false");
      it.set("table-properties.delta.appendOnly", "true");
      for (int run = 0; run < 2; run++) {
        it.messages.send(run * 20L, run * 20L + 20);
        assertThat(run(it, "run")).contains("sync progress");
      }
      it.register();
      it.assertExactlyOnce();

      String checkpoint = it.checkpoint().toString();
      assertThat(run(it, "checkpoint", "inspect", checkpoint, "--from-table"))
          .containsPattern("state +batch L is committed")
          .containsPattern("sync can start +yes")
          .containsPattern("partition +next offset +highest in table +read again +in no table");
      assertThat(run(it, "checkpoint", "inspect", checkpoint, "--json"))
          .contains("\"topic\" : \"scheduled-it\"", "\"next offset\" :");

      assertThat(run(it, "maintain", "--retain-days", "30"))
          .containsPattern("streaming_health +DELETE +skipped, not allowed here: .*APPEND_ONLY")
          .containsPattern("streaming_health +OPTIMIZE +1 files made of \\d+")
          .containsPattern("streaming_health_quarantine +VACUUM +done");
    }
  }

  @Test
  void ofTwoProcessesOnOneCheckpointTheOlderExitsAndNamesTheNewer() {
    try (ConsumerFixture it = new ConsumerFixture("two-processes-it", 1)) {
      it.messages.send(0, 10);
      try (ChildJvm older = Environment.submitConsumer("older", it.conf)) {
        ConsumerFixture.awaitBanner(older);
        try (ChildJvm newer = Environment.submitConsumer("newer", it.conf)) {
          ConsumerFixture.awaitBanner(newer);
          it.messages.send(10, 20);
          assertThat(older.awaitExit(LONGEST)).as(older.output()).isEqualTo(3);
          assertThat(older.output()).contains("health-consumer: fenced by run ");
          it.awaitFilesRows(newer, 20);
          newer.terminate();
          assertThat(newer.awaitExit(LONGEST)).as(newer.output()).isEqualTo(143);
        }
      }
      it.register();
      it.assertExactlyOnce();
    }
  }

  @Test
  void ofTwoThatTakeOverAtOnceAtMostOneGoesOnAndNothingIsTwice() {
    try (ConsumerFixture it = new ConsumerFixture("take-over-it", 1)) {
      it.messages.send(0, 30);
      it.runUntilCaughtUp();
      AtomicLong next = new AtomicLong(30);
      it.set("take-over", "true");
      it.set("checkpoint", it.folder.resolve("left").toString());
      try (ChildJvm left = Environment.submitConsumer("left", it.conf)) {
        it.set("checkpoint", it.folder.resolve("right").toString());
        try (ChildJvm right = Environment.submitConsumer("right", it.conf)) {
          await()
              .atMost(LONGEST)
              .pollInterval(Duration.ofMillis(500))
              .until(
                  () -> {
                    long number = next.getAndIncrement();
                    it.messages.send(number, number + 1);
                    return !(left.isAlive() && right.isAlive());
                  });
          ChildJvm loser = left.isAlive() ? right : left;
          assertThat(loser.awaitExit(LONGEST)).as(loser.output()).isEqualTo(3);
        }
      }
      it.set("checkpoint", it.folder.resolve("last").toString());
      it.runUntilCaughtUp();
      it.assertExactlyOnce();
    }
  }

  @Test
  void itsOwnHealthAndTheLatencyOfItsMessagesAreInTheTable() {
    try (ConsumerFixture it = new ConsumerFixture("own-health-it", 1)) {
      it.conf.put("spark.streampulse.agent.flush-interval", "500ms");
      it.set("trigger", "1s");
      it.messages.send(0, 10);
      String own = "queryName = 'streampulse-health' AND observedMetrics['endToEnd'] IS NOT NULL";
      try (ChildJvm consumer = Environment.submitConsumerWithAgent("own-health", it.conf)) {
        await()
            .atMost(LONGEST)
            .pollInterval(Duration.ofSeconds(1))
            .ignoreExceptions()
            .until(() -> it.files().where(own).count() > 0);
        assertThat(consumer.output()).contains("its own health is reported by the agent");
      }
      List<Row> rows =
          it.files().where(own).selectExpr("observedMetrics['endToEnd']").collectAsList();
      assertThat(rows.get(0).getString(0))
          .contains("\"messages\":", "\"undecodable\":", "\"latencyP95Ms\":", "\"latencyMaxMs\":");
    }
  }

  @Test
  void aCheckpointFolderThatCanNotBeWrittenEndsItAtOnce() {
    try (ConsumerFixture it = new ConsumerFixture("unwritable-it", 1)) {
      it.set("checkpoint", "/proc/streampulse/checkpoint");
      try (ChildJvm consumer = Environment.submitConsumer("unwritable", it.conf)) {
        assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(7);
        assertThat(consumer.output())
            .contains("spark.streampulse.consumer.checkpoint: ")
            .contains("/proc/streampulse/checkpoint is not writable");
      }
    }
  }

  @Test
  void aFullDiskIsSaidAndNothingIsLostAfterThereIsRoom() throws Exception {
    Path small = Environment.newFolder("small-disk");
    assumeThat(mount(small)).as("a tmpfs can be mounted here").isTrue();
    try (ConsumerFixture it = new ConsumerFixture("full-disk-it", 1)) {
      it.set("table-location", small.resolve("table").toString());
      it.set("max-restarts", "0");
      it.location = small.resolve("table");
      Path filler = small.resolve("filler");
      it.messages.send(0, 10);
      try (ChildJvm consumer = Environment.submitConsumer("full-disk", it.conf)) {
        it.awaitFilesRows(consumer, 10);
        fill(filler);
        it.messages.send(10, 500);
        assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isEqualTo(1);
        assertThat(consumer.output()).contains("health-consumer: no space is left where the table");
      }
      Files.delete(filler);
      try (ChildJvm consumer = Environment.submitConsumer("room-again", it.conf)) {
        it.awaitFilesRows(consumer, 500);
      }
      it.register();
      it.assertExactlyOnce();
      Environment.spark().sql("DROP TABLE " + it.table);
    } finally {
      new ProcessBuilder("umount", "-l", small.toString()).inheritIO().start().waitFor();
    }
  }

  private static boolean mount(Path folder) throws IOException, InterruptedException {
    return new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor()
        == 0;
  }

  private static void fill(Path filler) {
    try (var out = Files.newOutputStream(filler)) {
      byte[] block = new byte[4096];
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  private static String run(ConsumerFixture it, String... command) {
    try (ChildJvm consumer = Environment.submitConsumer("consumer-command", it.conf, command)) {
      assertThat(consumer.awaitExit(LONGEST)).as(consumer.output()).isZero();
      return consumer.output();
    }
  }
}
