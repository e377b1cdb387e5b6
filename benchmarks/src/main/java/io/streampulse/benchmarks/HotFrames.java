package io.streampulse.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Where a JFR recording's Java threads were when they were sampled. Not thread-safe. */
final class HotFrames {
  private static final List<String> PACKAGES =
      List.of(
          "io.streampulse",
          "org.apache.spark",
          "io.delta",
          "org.apache.parquet",
          "org.apache.avro",
          "org.apache.kafka");
  private static final int SHOWN = 10;

  private final Map<String, Long> top = new HashMap<>();
  private final Map<String, Long> owners = new HashMap<>();
  private final Map<String, Long> packages = new HashMap<>();
  private long samples;

  private HotFrames() {}

  /** Those of a recording. */
  static HotFrames of(Path recording) throws IOException {
    HotFrames frames = new HotFrames();
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        if (event.getEventType().getName().equals("jdk.ExecutionSample")
            && event.getStackTrace() != null
            && !event.getStackTrace().getFrames().isEmpty()) {
          frames.add(event.getStackTrace().getFrames());
        }
      }
    }
    return frames;
  }

  private void add(List<RecordedFrame> stack) {
    samples++;
    top.merge(name(stack.get(0)), 1L, Long::sum);
    Optional<RecordedFrame> owner =
        stack.stream().filter(frame -> packageOf(frame).isPresent()).findFirst();
    owners.merge(owner.map(HotFrames::name).orElse("none of these"), 1L, Long::sum);
    packages.merge(owner.flatMap(HotFrames::packageOf).orElse("none of these"), 1L, Long::sum);
  }

  /** Adds three tables to a report; {@code profiled} names what ran once more for them. */
  void addTo(Report report, String profiled) {
    report.add(
        "Profile of a further run of the %s, which is not among the figures: %,d samples of"
            + " Java frames (jdk.ExecutionSample; time in native code, as in the system's calls, is"
            + " not among them).",
        profiled, samples);
    report.table(List.of("top frame", "share"), hottest(top));
    report.add("By the first frame from the top that is of %s:", String.join(", ", PACKAGES));
    report.table(List.of("frame", "share"), hottest(owners));
    report.table(List.of("package of that frame", "share"), hottest(packages));
  }

  private List<List<String>> hottest(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(SHOWN)
        .map(
            entry ->
                List.of(
                    entry.getKey(),
                    String.format(Locale.ROOT, "%.1f %%", 100.0 * entry.getValue() / samples)))
        .toList();
  }

  private static String name(RecordedFrame frame) {
    String type = frame.getMethod().getType().getName();
    // Classes of lambdas have addresses in their names.
    return type.replaceAll("(\\$\\$Lambda).*", "$1") + "." + frame.getMethod().getName();
  }

  private static Optional<String> packageOf(RecordedFrame frame) {
    String type = frame.getMethod().getType().getName();
    return PACKAGES.stream().filter(name -> type.startsWith(name + ".")).findFirst();
  }
}
