package io.streampulse.benchmarks;

import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;

/** {@code ./streampulse bench mapping}. */
@Command(
    name = "mapping",
    description =
        "Microseconds and bytes of a record, four sizes of progress, beside Spark's JSON.")
final class MappingCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    new Runner(
            new OptionsBuilder().include(MappingBenchmark.class.getSimpleName()).threads(1).build())
        .run();
    MappingBenchmark benchmark = new MappingBenchmark();
    System.out.printf("%n%-10s %14s %12s%n", "size", "message bytes", "JSON bytes");
    for (String size : ProgressSamples.SIZES) {
      System.out.printf(
          "%-10s %14d %12d%n", size, benchmark.messageBytes(size), benchmark.jsonBytes(size));
    }
    return 0;
  }
}
