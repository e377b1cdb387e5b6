package io.streampulse.consumer.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each state by its files, as Spark leaves them; what Spark makes of the repair is tested with
 * Spark.
 */
class CheckpointRepairTest {
  private static final String SETTINGS =
      "{\"batchWatermarkMs\":0,\"batchTimestampMs\":1,\"conf\":{}}";

  @TempDir private Path parent;
  private Path folder;
  private CheckpointDirectory directory;

  @BeforeEach
  void newCheckpoint() throws IOException {
    folder = Files.createDirectories(parent.resolve("checkpoint"));
    Files.writeString(folder.resolve("metadata"), "{\"id\":\"q-1\"}");
    Files.createDirectories(folder.resolve("sources/0"));
    Files.writeString(folder.resolve("sources/0/0"), "v1\n{\"t\":{\"0\":3}}");
    directory = CheckpointDirectory.at(folder.toString(), new Configuration());
  }

  @Test
  void aFolderThatIsNotThereIsNew() {
    CheckpointState state =
        CheckpointState.of(
            CheckpointDirectory.at(parent.resolve("none").toString(), new Configuration()));

    assertThat(state.condition()).isEqualTo(Condition.NEW);
    assertThat(state.queryId()).isEmpty();
  }

  @Test
  void cleanAndReplayNeedNoRepair() throws IOException {
    offsets(0, 10);
    assertThat(state().condition()).isEqualTo(Condition.REPLAY);
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 3L)));
    commit(0);
    offsets(1, 20);
    assertThat(state().condition()).isEqualTo(Condition.REPLAY);
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 10L)));
    commit(1);
    assertThat(state().condition()).isEqualTo(Condition.CLEAN);
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 20L)));
    assertThat(state().queryId()).contains("q-1");
    assertThat(CheckpointRepair.plan(directory).steps()).isEmpty();
  }

  @Test
  void stateAGetsTheMissingOffsets() throws IOException {
    offsets(2, 20);
    offsets(7, 70);
    commit(2);
    commit(7);
    assertThat(state().condition()).isEqualTo(Condition.GAP_COMMITTED);
    assertThat(state().missing()).containsExactly(3L, 4L, 5L, 6L);

    repair();

    assertThat(state().condition()).isEqualTo(Condition.CLEAN);
    assertThat(read("offsets/6")).isEqualTo(read("offsets/2"));
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 70L)));
  }

  @Test
  void stateBDoesTheBatchAgainFromThePreviousOneOnDisk() throws IOException {
    offsets(2, 20);
    offsets(7, 70);
    commit(2);
    assertThat(state().condition()).isEqualTo(Condition.GAP_NOT_COMMITTED);
    Map<String, Map<Integer, Long>> before = state().start();

    repair();

    assertThat(state().condition()).isEqualTo(Condition.REPLAY);
    assertThat(state().start()).isEqualTo(before).isEqualTo(Map.of("t", Map.of(0, 20L)));
  }

  @Test
  void stateDLosesTheCommitsAhead() throws IOException {
    offsets(4, 40);
    offsets(5, 50);
    commit(5);
    commit(6);
    commit(9);
    assertThat(state().condition()).isEqualTo(Condition.COMMITS_AHEAD);

    repair();

    assertThat(state().condition()).isEqualTo(Condition.CLEAN);
    assertThat(state().commitIds()).containsExactly(5L);
  }

  @Test
  void stateERefusesAndIsRebuiltFromTheTableOnRequest() throws IOException {
    offsets(8, 80);
    assertThat(state().condition()).isEqualTo(Condition.ONE_NOT_COMMITTED);
    assertThat(CheckpointRepair.plan(directory).steps()).isEmpty();

    CheckpointRepair.planFromTable(directory, "t", Map.of(0, 59L)).apply("b");

    assertThat(state().condition()).isEqualTo(Condition.REPLAY);
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 60L)));
  }

  @Test
  void stateEDoesNotGoPastItsBatchNorBeforeItsFirstOffset() throws IOException {
    offsets(8, 80);
    CheckpointRepair.planFromTable(directory, "t", Map.of(0, 500L)).apply("b");
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 80L)));

    Files.delete(folder.resolve("offsets/7"));
    Files.deleteIfExists(folder.resolve("offsets/.7.crc"));
    CheckpointRepair.planFromTable(directory, "t", Map.of()).apply("c");
    assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 3L)));
  }

  @Test
  void stateFFallsBackToTheBatchBefore() throws IOException {
    offsets(2, 20);
    offsets(3, 30);
    commit(3);
    for (String torn : List.of("", "v1", "v1\n" + SETTINGS + "\n{\"t\":{\"0\":4")) {
      write("offsets/4", torn);
      commit(4);
      assertThat(state().condition()).isEqualTo(Condition.TORN);
      assertThat(state().torn().orElseThrow()).contains("offsets/4");

      CheckpointRepair.plan(directory).apply("b" + torn.length());

      assertThat(state().condition()).isEqualTo(Condition.CLEAN);
      assertThat(state().start()).isEqualTo(Map.of("t", Map.of(0, 30L)));
    }
  }

  @Test
  void stateFOfACommitDoesItsBatchAgain() throws IOException {
    offsets(3, 30);
    commit(3);
    offsets(4, 40);
    write("commits/4", "");
    assertThat(state().torn()).contains("commits/4 is empty or cut");

    repair();

    assertThat(state().condition()).isEqualTo(Condition.REPLAY);
    assertThat(state().offsetIds()).containsExactly(3L, 4L);
  }

  @Test
  void whatWouldReadTheTopicFromItsBeginningIsNotDone() throws IOException {
    write("offsets/8", "");
    assertThatThrownBy(() -> CheckpointRepair.plan(directory))
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining("offsets/8 is the only one")
        .hasMessageContaining("take-over=true");

    write("offsets/7", "");
    offsets(8, 80);
    commit(6);
    assertThatThrownBy(() -> CheckpointRepair.plan(directory))
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining("offsets/7");
  }

  @Test
  void planningChangesNothingAndApplyingCopiesAllBefore() throws IOException {
    offsets(2, 20);
    offsets(7, 70);
    commit(2);
    CheckpointRepair plan = CheckpointRepair.plan(directory);
    assertThat(plan.steps())
        .singleElement()
        .matches(s -> s.what().contains("offsets/2 to offsets/6"));
    assertThat(folder.resolve("offsets/6")).doesNotExist();

    String backup = plan.apply("x").toUri().getPath();

    assertThat(Path.of(backup)).isEqualTo(parent.resolve("checkpoint_backup_x"));
    assertThat(CheckpointState.of(CheckpointDirectory.at(backup, new Configuration())).condition())
        .isEqualTo(Condition.GAP_NOT_COMMITTED);
    assertThat(read("metadata")).isEqualTo("{\"id\":\"q-1\"}");
    assertThat(folder.resolve("offsets/.6.crc")).exists();
  }

  @Test
  void withoutItsMetadataItIsNotUsed() throws IOException {
    write("metadata", "");

    assertThatThrownBy(this::state)
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining("metadata");
  }

  @Test
  void aFolderThatCanNotBeWrittenIsNamed() {
    CheckpointDirectory unwritable =
        CheckpointDirectory.at("/proc/streampulse/checkpoint", new Configuration());

    assertThatThrownBy(unwritable::requireWritable)
        .isInstanceOf(CheckpointException.class)
        .hasMessageContaining("/proc/streampulse/checkpoint is not writable");
  }

  private CheckpointState state() {
    return CheckpointState.of(directory);
  }

  private void repair() {
    CheckpointRepair.plan(directory).apply("b");
  }

  private void offsets(long id, long next) throws IOException {
    write("offsets/" + id, "v1\n" + SETTINGS + "\n{\"t\":{\"0\":" + next + "}}");
  }

  private void commit(long id) throws IOException {
    write("commits/" + id, "v1\n{\"nextBatchWatermarkMs\":0}");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private String read(String name) throws IOException {
    return Files.readString(folder.resolve(name));
  }
}
