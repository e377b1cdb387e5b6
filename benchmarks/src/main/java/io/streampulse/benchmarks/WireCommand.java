package io.streampulse.benchmarks;

import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;

/** {@code ./streampulse bench wire}. */
@Command(
    name = "wire",
    description =
        "Nanoseconds and bytes of a message, four sizes of progress, beside plain Avro and JSON.")
final class WireCommand implements Callable<Integer> {
  @Override
  public Integer call() throws Exception {
    new Runner(new OptionsBuilder().include(WireBenchmark.class.getSimpleName()).threads(1).build())
        .run();
    WireBenchmark benchmark = new WireBenchmark();
    System.out.printf(
        "%n%-10s %14s %14s %14s %14s%n",
        "bytes", "single object", "Confluent", "plain Avro", "JSON");
    for (String size : ProgressSamples.SIZES) {
      System.out.printf("%-10s %s%n", size, benchmark.bytes(size));
    }
    return 0;
  }
}
