package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.checkpoint.Condition;
import io.streampulse.consumer.command.CheckpointCommand;
import io.streampulse.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.Test;

/**
 * The states of a checkpoint, made by Spark or by taking files away as a crash does: what Spark
 * makes of them (the controls), what the consumer says before Spark fails, and what a repair makes
 * of them.
 */
class CheckpointIT {
  private static final Duration STOP = Duration.ofSeconds(30);

  @Test
  void aGapIsSaidBeforeSparkFailsAndSettlingClosesIt() throws Exception {
    try (ConsumerFixture it = gapped("settle-it", true)) {
      assertThat(state(it).condition()).isEqualTo(Condition.GAP_COMMITTED);
      assertSparkFails(it, "doesn't exist");
      it.set("async-progress.enabled", "false");
      assertThatThrownBy(it::start)
          .hasMessageContaining("can't be used by sync progress tracking")
          .hasMessageContaining("health-consumer checkpoint settle")
          .hasMessageContaining("checkpoint repair")
          .hasMessageContaining("--state A --apply");

      it.messages.send(50, 60);
      String said = command(it, 0, "settle", "--timeout", "1min");
      assertThat(said.lines().reduce((before, last) -> last).orElse(""))
          .contains("health-consumer: settled");

      it.messages.send(60, 70);
      runToEnd(it);
      it.assertExactlyOnce();
    }
  }

  @Test
  void settlingWithoutMessagesSaysWhatNeedsNone() throws Exception {
    try (ConsumerFixture it = gapped("settle-idle-it", true)) {
      assertThat(command(it, 1, "settle", "--timeout", "5s"))
          .contains("no messages came")
          .contains("--state A --apply");

      repair(it, "A");
      it.set("async-progress.enabled", "false");
      it.messages.send(50, 60);
      runToEnd(it);
      it.assertExactlyOnce();
    }
  }

  @Test
  void aGapBeforeAnUncommittedBatchIsRepairedAndItsRepeatsAreNotAppended() throws Exception {
    try (ConsumerFixture it = gapped("gap-uncommitted-it", false)) {
      assertThat(state(it).condition()).isEqualTo(Condition.GAP_NOT_COMMITTED);
      assertSparkFails(it, "not found in offset log");
      it.set("async-progress.enabled", "false");
      assertThatThrownBy(it::start).hasMessageContaining("--state B --apply");
      String folder = it.checkpoint().toString();
      assertThat(command(it, 7, "repair", folder, "--state", "A", "--apply"))
          .contains("is in state B, not A");
      assertThat(command(it, 7, "repair", folder, "--state", "B", "--idle", "1h", "--apply"))
          .contains("was written to at", "less than 1h ago");
      assertThat(command(it, 0, "repair", folder, "--state", "B"))
          .contains("nothing was changed; add --apply to do it");
      assertThat(state(it).condition()).isEqualTo(Condition.GAP_NOT_COMMITTED);

      repair(it, "B");
      assertThat(command(it, 7, "repair", folder, "--state", "B")).contains("needs no repair");
      it.messages.send(50, 60);
      runToEnd(it);
      it.assertExactlyOnce();
    }
  }

  @Test
  void commitsAheadAreMendedAtStartWhereSparkWouldNeverGetOver() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("commits-ahead-it", 1)) {
      it.set("async-progress.checkpoint-interval", "0s");
      batches(it, 0, 4);
      long last = state(it).newestOffsets().orElseThrow();
      deleteFile(it, "offsets", last);
      assertThat(state(it).condition()).isEqualTo(Condition.COMMITS_AHEAD);
      it.messages.send(40, 50);
      assertSparkFails(it, "CONCURRENT_STREAM_LOG_UPDATE");
      try (Warnings warnings = Warnings.keep()) {
        it.runUntilCaughtUp();
        assertThat(warnings.texts())
            .anyMatch(text -> text.contains("has commits whose offsets were not written"));
      }
      it.assertExactlyOnce();
    }
  }

  @Test
  void oneUncommittedFileIsRebuiltFromTheTable() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("one-file-it", 1)) {
      it.set("async-progress.checkpoint-interval", "0s");
      batches(it, 0, 4);
      long last = state(it).newestOffsets().orElseThrow();
      for (long id : state(it).offsetIds()) {
        if (id < last) {
          deleteFile(it, "offsets", id);
        }
      }
      for (long id : state(it).commitIds()) {
        deleteFile(it, "commits", id);
      }
      assertThat(state(it).condition()).isEqualTo(Condition.ONE_NOT_COMMITTED);
      assertThatThrownBy(it::start).hasMessageContaining("--state E --from-table");

      String folder = it.checkpoint().toString();
      assertThat(command(it, 7, "repair", folder, "--state", "E")).contains("add --from-table");
      repair(it, "E", "--from-table");
      assertThat(state(it).condition()).isEqualTo(Condition.REPLAY);
      it.messages.send(40, 50);
      it.runUntilCaughtUp();
      it.assertExactlyOnce();
    }
  }

  @Test
  void aTornFileIsSaidAndRepaired() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("torn-it", 1)) {
      it.set("async-progress.checkpoint-interval", "0s");
      batches(it, 0, 3);
      long last = state(it).newestOffsets().orElseThrow();
      Path torn = it.checkpoint().resolve("offsets/" + last);
      deleteFile(it, "offsets", last);
      Files.writeString(torn, "v1\n{\"batchWa");
      assertThat(state(it).condition()).isEqualTo(Condition.TORN);
      assertThatThrownBy(it::start)
          .hasMessageContaining("offsets/" + last)
          .hasMessageContaining("--state F --apply");

      repair(it, "F");
      it.messages.send(30, 40);
      it.runUntilCaughtUp();
      it.assertExactlyOnce();
    }
  }

  /**
   * A checkpoint as async progress tracking leaves it: its two newest batches are not neighbours.
   */
  private static ConsumerFixture gapped(String name, boolean committed)
      throws StreamingQueryException, IOException {
    ConsumerFixture it = new ConsumerFixture(name, 1);
    it.set("async-progress.checkpoint-interval", "0s");
    batches(it, 0, 5);
    CheckpointState before = state(it);
    long last = before.newestOffsets().orElseThrow();
    // What an interval of a few batches does not write.
    for (long id : Set.of(last - 1, last - 2)) {
      deleteFile(it, "offsets", id);
      deleteFile(it, "commits", id);
    }
    if (!committed) {
      deleteFile(it, "commits", last);
    }
    return it;
  }

  /** Batches of ten records each. */
  private static void batches(ConsumerFixture it, int from, int to) {
    it.run(
        consumer -> {
          for (int batch = from; batch < to; batch++) {
            it.messages.send(batch * 10L, batch * 10L + 10);
            it.awaitCaughtUp(consumer);
          }
        });
  }

  /** A scheduled ingestion: all that is there, by sync progress tracking, then the end. */
  private static void runToEnd(ConsumerFixture it) throws StreamingQueryException {
    it.set("trigger", "available-now");
    HealthConsumer consumer = it.start();
    try {
      consumer.awaitTermination();
    } finally {
      consumer.stop(STOP);
    }
  }

  /** The control: a query of Spark alone on a copy of the checkpoint. */
  private static void assertSparkFails(ConsumerFixture it, String message) throws Exception {
    Path copy = it.folder.resolve("control");
    Folders.copy(it.checkpoint(), copy);
    it.messages.send(1000, 1001);
    boolean async = message.equals("CONCURRENT_STREAM_LOG_UPDATE");
    StreamingQuery control = naive(it, copy, async);
    try {
      assertThatThrownBy(() -> control.awaitTermination(60_000)).hasStackTraceContaining(message);
    } finally {
      control.stop();
    }
  }

  private static StreamingQuery naive(ConsumerFixture it, Path checkpoint, boolean async)
      throws TimeoutException {
    Dataset<Row> source =
        Environment.spark()
            .readStream()
            .format("kafka")
            .options(kafkaOptions())
            .option("subscribe", it.topic)
            .option("startingOffsets", "earliest")
            .load();
    DataStreamWriter<Row> writer =
        source
            .writeStream()
            .format("noop")
            .option("checkpointLocation", checkpoint.toString())
            .trigger(Trigger.ProcessingTime(100));
    if (async) {
      writer
          .option("asyncProgressTrackingEnabled", "true")
          .option("asyncProgressTrackingCheckpointIntervalMs", "0");
    }
    return writer.start();
  }

  private static Map<String, String> kafkaOptions() {
    Map<String, String> options = new HashMap<>();
    Environment.broker()
        .plainClient()
        .forEach((name, value) -> options.put("kafka." + name, value));
    return options;
  }

  private static void repair(ConsumerFixture it, String state, String... more) {
    List<String> arguments = new ArrayList<>(List.of("repair", it.checkpoint().toString()));
    arguments.addAll(List.of("--state", state, "--idle", "0s", "--apply"));
    arguments.addAll(List.of(more));
    assertThat(command(it, 0, arguments.toArray(String[]::new)))
        .containsPattern("state +" + state + ": ")
        .containsPattern("backup +\\S+_backup_\\d{8}T");
  }

  private static String command(ConsumerFixture it, int exitCode, String... arguments) {
    return it.command(exitCode, new CheckpointCommand(), arguments);
  }

  private static void deleteFile(ConsumerFixture it, String log, long id) throws IOException {
    Files.delete(it.checkpoint().resolve(log + "/" + id));
    Files.deleteIfExists(it.checkpoint().resolve(log + "/." + id + ".crc"));
  }

  private static CheckpointState state(ConsumerFixture it) {
    return CheckpointState.of(directory(it));
  }

  private static CheckpointDirectory directory(ConsumerFixture it) {
    return CheckpointDirectory.at(
        it.checkpoint().toString(), Environment.spark().sparkContext().hadoopConfiguration());
  }
}
