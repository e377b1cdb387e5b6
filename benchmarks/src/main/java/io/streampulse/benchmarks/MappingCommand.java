package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench mapping}. */
@Command(
    name = "mapping",
    description =
        "Microseconds and bytes of a record, four sizes of progress, beside Spark's JSON.")
final class MappingCommand implements Callable<Integer> {
  private static final Map<String, String> METHODS = new LinkedHashMap<>();

  static {
    METHODS.put("mapAndEncode", "map, cut to size, encode");
    METHODS.put("sparksJson", "progress.json()");
  }

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    report.add("Microseconds for a progress; JMH, one fork, five iterations of a second.");
    Jmh.table(report, "progress", METHODS, Jmh.run(MappingBenchmark.class, 1));
    MappingBenchmark benchmark = new MappingBenchmark();
    List<List<String>> bytes = new ArrayList<>();
    for (String size : ProgressSamples.SIZES) {
      bytes.add(
          List.of(
              size,
              "%,d".formatted(benchmark.messageBytes(size)),
              "%,d".formatted(benchmark.jsonBytes(size))));
    }
    report.table(List.of("bytes", "message", "JSON"), bytes);
    report.finish();
    return 0;
  }
}
