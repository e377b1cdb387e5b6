package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Figures that should stay as they are, seen again and again.
 *
 * <p>Not thread-safe.
 */
final class Trends {
  private static final int WINDOW = 5;

  private final Map<String, List<Long>> figures = new LinkedHashMap<>();

  void add(String name, long figure) {
    figures.computeIfAbsent(name, n -> new ArrayList<>()).add(figure);
  }

  /** Adds what a JVM has, each figure under its name. */
  void add(String process, ProcessWatch.Figures seen) {
    seen.heap().ifPresent(heap -> add(process + ": heap after collections, MiB", heap));
    add(process + ": RSS, MiB", seen.rss());
    add(process + ": open files", seen.files());
    add(process + ": threads", seen.threads());
  }

  /** Adds a table to a report: medians of five samples at the start, in the middle, at the end. */
  void addTo(Report report) {
    List<List<String>> rows = new ArrayList<>();
    figures.forEach(
        (name, all) -> {
          int window = Math.max(1, Math.min(WINDOW, all.size() / 3));
          int middle = (all.size() - window) / 2;
          rows.add(
              List.of(
                  name,
                  text(median(all.subList(0, window))),
                  text(median(all.subList(middle, middle + window))),
                  text(median(all.subList(all.size() - window, all.size()))),
                  text(all.stream().mapToLong(Long::longValue).max().orElseThrow()),
                  text(all.size())));
        });
    report.table(List.of("", "start", "middle", "end", "highest", "samples"), rows);
  }

  static long median(List<Long> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  private static String text(long figure) {
    return String.format(Locale.ROOT, "%,d", figure);
  }
}
