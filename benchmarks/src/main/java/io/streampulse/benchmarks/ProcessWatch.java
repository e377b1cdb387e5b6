package io.streampulse.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Memory, open files and threads of a JVM, as Linux and its log of collections tell them.
 *
 * <p>Not thread-safe.
 */
final class ProcessWatch {
  private static final Pattern COLLECTION =
      Pattern.compile("Pause (?:Young|Full).* \\d+M->(\\d+)M\\(");

  private final Path folder;
  private final Optional<LogTail> collections;
  private OptionalLong heap = OptionalLong.empty();

  private ProcessWatch(long pid, Optional<LogTail> collections) {
    this.folder = Path.of("/proc", String.valueOf(pid));
    this.collections = collections;
  }

  /** This JVM; to see its heap, it collects. */
  static ProcessWatch self() {
    return new ProcessWatch(ProcessHandle.current().pid(), Optional.empty());
  }

  /** A JVM that was started with {@link #logging} to the file. */
  static ProcessWatch of(long pid, Path log) {
    return new ProcessWatch(pid, Optional.of(new LogTail(log)));
  }

  /** The argument of a JVM that has it log its collections. */
  static String logging(Path log) {
    return "-Xlog:gc:file=" + log;
  }

  /** What it has now; empty when it has ended. */
  Optional<Figures> read() {
    try {
      List<String> status = Files.readAllLines(folder.resolve("status"));
      long files;
      try (Stream<Path> open = Files.list(folder.resolve("fd"))) {
        files = open.count();
      }
      return Optional.of(
          new Figures(
              heapAfterCollection(),
              number(status, "VmRSS") / 1024,
              files,
              number(status, "Threads")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** After the collection, of those since the last call, that left the least. */
  private OptionalLong heapAfterCollection() {
    if (collections.isEmpty()) {
      System.gc();
      return OptionalLong.of(
          ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20);
    }
    Matcher matcher = COLLECTION.matcher(collections.get().next());
    OptionalLong least = matcher.results().mapToLong(found -> Long.parseLong(found.group(1))).min();
    if (least.isPresent()) {
      heap = least;
    }
    return heap;
  }

  private static long number(List<String> status, String name) throws IOException {
    return status.stream()
        .filter(line -> line.startsWith(name + ":"))
        .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow(() -> new IOException("It has ended")); // a zombie has no memory
  }

  /**
   * What a JVM has at one time.
   *
   * @param heap in MiB, after a collection; empty before the first
   * @param rss what is in memory of the whole process, in MiB
   */
  record Figures(OptionalLong heap, long rss, long files, long threads) {
    @Override
    public String toString() {
      return "heap %s, RSS %d MiB, %d files, %d threads"
          .formatted(heap.isPresent() ? heap.getAsLong() : "-", rss, files, threads);
    }
  }
}
