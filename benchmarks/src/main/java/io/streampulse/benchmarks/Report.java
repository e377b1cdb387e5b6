package io.streampulse.benchmarks;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a benchmark finds: progress while it runs, and at the end a section of Markdown with date,
 * command and machine, which {@code --write} puts into {@code docs/performance.md}, where comments
 * mark its place.
 *
 * <p>Not thread-safe.
 */
final class Report {
  static final Path FILE = Path.of("docs/performance.md");

  private final String name;
  private final String command;
  private final boolean isWritten;
  private final PrintWriter out;
  private final long start = System.nanoTime();
  private final StringBuilder text = new StringBuilder();

  private Report(String name, String command, boolean isWritten, PrintWriter out) {
    this.name = name;
    this.command = command;
    this.isWritten = isWritten;
    this.out = out;
    text.append(LocalDate.now()).append(", `").append(command).append("`; ").append(machine());
    text.append(".\n");
  }

  /** The report of a command that runs. */
  static Report of(CommandSpec spec) {
    Main main = (Main) spec.root().userObject();
    List<String> words = new ArrayList<>(List.of("./streampulse", "bench"));
    spec.root().commandLine().getParseResult().originalArgs().stream()
        .filter(word -> !word.equals(Main.WRITE))
        .forEach(words::add);
    return new Report(
        spec.name(), String.join(" ", words), main.isWritten(), spec.commandLine().getOut());
  }

  /** Says what is being done. */
  void progress(String format, Object... arguments) {
    out.printf(
        Locale.ROOT,
        "%7.1f s  %s%n",
        (System.nanoTime() - start) / 1e9,
        String.format(Locale.ROOT, format, arguments));
    out.flush();
  }

  /** A paragraph. */
  void add(String format, Object... arguments) {
    text.append('\n').append(String.format(Locale.ROOT, format, arguments)).append('\n');
  }

  /** A table whose columns are aligned for people who read it as text. */
  void table(List<String> head, List<List<String>> rows) {
    int[] widths = new int[head.size()];
    Stream.concat(Stream.of(head), rows.stream())
        .forEach(
            row -> {
              for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], Math.max(3, row.get(i).length()));
              }
            });
    text.append('\n');
    line(head, widths);
    List<String> rule = new ArrayList<>();
    for (int width : widths) {
      rule.add("-".repeat(width));
    }
    line(rule, widths);
    rows.forEach(row -> line(row, widths));
  }

  private void line(List<String> cells, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      text.append("| ").append(cells.get(i));
      text.append(" ".repeat(widths[i] - cells.get(i).length() + 1));
    }
    text.append("|\n");
  }

  /** Prints the section, and writes it where that was asked for. */
  void finish() {
    out.println();
    out.print(text);
    out.flush();
    if (isWritten) {
      write();
    }
  }

  private void write() {
    String begin = "<!-- bench " + name + " -->\n";
    String end = "<!-- end -->\n";
    try {
      String file = Files.readString(FILE);
      int from = file.indexOf(begin);
      int to = file.indexOf(end, from);
      if (from < 0 || to < 0) {
        throw new IllegalStateException(
            "%s has no place for this: add the lines %s and %s where it should stand"
                .formatted(FILE, begin.strip(), end.strip()));
      }
      Files.writeString(FILE, file.substring(0, from) + begin + text + file.substring(to));
      out.printf("written to %s%n", FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(command + " could not write its report", e);
    }
  }

  private static String machine() {
    return String.format(
        Locale.ROOT,
        "%d cores (%s), JDK %s, heap %d MB, load %.1f",
        Runtime.getRuntime().availableProcessors(),
        processor(),
        Runtime.version().feature(),
        Runtime.getRuntime().maxMemory() / 1_000_000,
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  private static String processor() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException | UncheckedIOException e) {
      return System.getProperty("os.arch"); // not Linux
    }
  }
}
