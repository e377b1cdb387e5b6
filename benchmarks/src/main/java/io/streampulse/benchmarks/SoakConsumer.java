package io.streampulse.benchmarks;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.Submission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The consumer in a process of its own, from its jar and as spark-submit starts it, that is killed
 * and started again with the same checkpoint.
 *
 * <p>Not thread-safe.
 */
final class SoakConsumer implements AutoCloseable {
  private static final Duration EXIT = Duration.ofMinutes(5);
  private static final int LAST_LINES = 10;
  private static final int LONGEST_LINE = 300;

  private final Path folder;
  private final Path table;
  private final Map<String, String> conf;
  private final String heap;
  private ChildJvm process;
  private LogTail log;
  private ProcessWatch watch;
  private long startNanos;
  private int starts;

  /**
   * A consumer that has not started.
   *
   * @param consumer its conf
   * @param heap its most, as {@code 1g}
   */
  SoakConsumer(Path folder, ConsumerProcess consumer, String heap) {
    this.folder = folder;
    this.heap = heap;
    this.table = consumer.table();
    this.conf = new TreeMap<>(consumer.conf());
    this.conf.put("spark.sql.streaming.streamingQueryListeners", BatchLog.class.getName());
  }

  /** Where the table is. */
  Path table() {
    return table;
  }

  void start() throws IOException {
    String name = "consumer-" + ++starts;
    Path collections = folder.resolve(name + ".gc");
    // What a killed JVM leaves behind there goes with the folder.
    Path scratch = Files.createDirectories(folder.resolve("tmp"));
    process =
        Submission.start(
            name,
            folder,
            conf,
            List.of(
                "-Xmx" + heap, "-Djava.io.tmpdir=" + scratch, ProcessWatch.logging(collections)),
            List.of(
                "--jars",
                ChildJvm.jarOnClassPath("streampulse-benchmarks").toString(),
                "--class",
                "io.streampulse.consumer.Main",
                ChildJvm.jarOnClassPath("streampulse-health-consumer").toString(),
                "run"));
    startNanos = System.nanoTime();
    log = new LogTail(folder.resolve(name + ".log"));
    watch = ProcessWatch.of(process.pid(), collections);
  }

  /** SIGKILL. */
  void kill() {
    process.kill();
    process.awaitExit(EXIT);
  }

  /** SIGTERM; tells its exit code. */
  int terminate() {
    process.terminate();
    return process.awaitExit(EXIT);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Its log's last lines. */
  String lastWords() {
    List<String> lines = process.output().lines().toList();
    return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()).stream()
        .map(line -> line.substring(0, Math.min(line.length(), LONGEST_LINE)))
        .collect(Collectors.joining("\n"));
  }

  /** How long ago it was started. */
  Duration age() {
    return Duration.ofNanos(System.nanoTime() - startNanos);
  }

  /** How often it was started. */
  int starts() {
    return starts;
  }

  ProcessWatch watch() {
    return watch;
  }

  /** What it has logged since it was asked last, or was started. */
  String newLog() {
    return log.next();
  }

  /** SIGKILL, if it runs. */
  @Override
  public void close() {
    if (process != null) {
      process.kill();
    }
  }
}
