package io.streampulse.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowFileSystemTest {
  private static final Duration DELAY = Duration.ofMillis(20);

  @TempDir private java.nio.file.Path folder;

  private final Configuration hadoop = new Configuration(false);
  private Path root;

  @BeforeEach
  void configure() {
    SlowFileSystem.configure(hadoop, DELAY);
    root = new Path("slow://" + folder);
  }

  @Test
  void everyOperationWaitsAndIsCounted() throws IOException {
    FileSystem files = root.getFileSystem(hadoop);
    Path file = new Path(root, "a/0");
    Path renamed = new Path(root, "a/1");

    assertOperations(Map.of("mkdirs", 1L), () -> files.mkdirs(file.getParent()));
    assertOperations(Map.of("create", 1L), () -> files.create(file, true).close());
    assertOperations(Map.of("rename", 1L), () -> files.rename(file, renamed));
    assertOperations(Map.of("open", 1L), () -> files.open(renamed).close());
    assertOperations(Map.of("getFileStatus", 1L), () -> files.exists(renamed));
    assertOperations(Map.of("listStatus", 1L), () -> files.listStatus(file.getParent()));
    assertOperations(Map.of("delete", 1L), () -> files.delete(renamed, false));
  }

  @Test
  void filesAreThoseOfTheMachine() throws IOException {
    FileSystem files = root.getFileSystem(hadoop);
    Files.writeString(folder.resolve("0"), "v1");

    assertThat(files.listStatus(root)[0].getPath()).isEqualTo(new Path(root, "0"));
    try (FSDataInputStream in = files.open(new Path(root, "0"))) {
      assertThat(in.readAllBytes()).asString().isEqualTo("v1");
    }
  }

  @Test
  void aFileContextUsesIt() throws IOException {
    // The way of Spark's checkpoint: a temporary file that is renamed.
    FileContext files = FileContext.getFileContext(root.toUri(), hadoop);
    Path temporary = new Path(root, ".0.tmp");
    Map<String, Long> before = SlowFileSystem.operations();

    files
        .create(
            temporary,
            EnumSet.of(CreateFlag.CREATE),
            Options.CreateOpts.checksumParam(Options.ChecksumOpt.createDisabled()))
        .close();
    files.rename(temporary, new Path(root, "0"), Options.Rename.NONE);

    assertThat(folder.resolve("0")).exists();
    assertThat(since(before)).containsEntry("create", 1L).containsEntry("rename", 1L);
  }

  @Test
  void aLaterDelayIsThatOfLaterFileSystems() throws IOException {
    FileSystem slow = root.getFileSystem(hadoop);
    SlowFileSystem.configure(hadoop, Duration.ZERO);
    FileSystem fast = root.getFileSystem(hadoop);

    assertThat(fast).isNotSameAs(slow);
    assertOperations(Map.of("getFileStatus", 1L), () -> slow.exists(root));
  }

  private static void assertOperations(Map<String, Long> expected, Work work) throws IOException {
    Map<String, Long> before = SlowFileSystem.operations();
    long start = System.nanoTime();
    work.run();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(DELAY);
    assertThat(since(before)).isEqualTo(expected);
  }

  private static Map<String, Long> since(Map<String, Long> before) {
    Map<String, Long> since = new TreeMap<>();
    SlowFileSystem.operations()
        .forEach((name, count) -> since.put(name, count - before.getOrDefault(name, 0L)));
    since.values().removeIf(count -> count == 0);
    return since;
  }

  private interface Work {
    void run() throws IOException;
  }
}
