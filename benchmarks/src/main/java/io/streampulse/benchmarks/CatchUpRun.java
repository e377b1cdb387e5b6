package io.streampulse.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import io.streampulse.benchmarks.CatchUpVariant.Outcome;
import io.streampulse.benchmarks.CatchUpVariant.Settings;
import io.streampulse.testing.SettingsFile;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.apache.spark.sql.SparkSession;

/**
 * One variant of {@code bench catch-up} in a JVM of its own, so that no other is compiled or
 * collected with it: once over a small backlog to warm up, then over the whole.
 */
public final class CatchUpRun {
  private static final Pattern RESULT =
      Pattern.compile(
          "measured (\\d+) records, ([\\d.]+) s, ([\\d.]+) s of CPU, ([\\d.]+) s to start the run,"
              + " ([\\d.]+) s before");

  private CatchUpRun() {}

  /** Arguments: variant, conf for the warm-up, conf, folder, and a file for a JFR recording. */
  public static void main(String... arguments) throws Exception {
    CatchUpVariant variant = CatchUpVariant.parse(arguments[0]);
    Path folder = Path.of(arguments[3]);
    SparkSession spark =
        variant == CatchUpVariant.POLL ? null : LocalSpark.session("bench-catch-up", folder);
    variant.run(spark, read(arguments[1]));
    double before = ManagementFactory.getRuntimeMXBean().getUptime() / 1e3;
    Settings settings = read(arguments[2]);
    if (arguments.length > 4) {
      try (Recording recording = new Recording(Configuration.getConfiguration("profile"))) {
        recording.start();
        measure(variant, spark, settings, before);
        recording.dump(Path.of(arguments[4]));
      }
    } else {
      measure(variant, spark, settings, before);
    }
    if (spark != null) {
      spark.stop();
    }
  }

  private static void measure(
      CatchUpVariant variant, SparkSession spark, Settings settings, double before)
      throws Exception {
    long cpu = cpuNanos();
    long start = System.nanoTime();
    Outcome outcome = variant.run(spark, settings);
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "measured %d records, %.3f s, %.3f s of CPU, %.3f s to start the run, %.3f s before%n",
        outcome.records(),
        seconds,
        (cpuNanos() - cpu) / 1e9,
        outcome.startSeconds(),
        before);
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static Settings read(String file) throws IOException {
    return new Settings(SettingsFile.read(Path.of(file)));
  }

  /**
   * What a run has printed.
   *
   * @param seconds from the first call to the last row, the start of the consumer's run included
   * @param cpuSeconds of the whole JVM meanwhile
   * @param startSeconds of {@code seconds}, what the consumer's run took to start
   * @param beforeSeconds before {@code seconds}: JVM, Spark and warm-up
   */
  record Figures(
      long records, double seconds, double cpuSeconds, double startSeconds, double beforeSeconds) {

    static Optional<Figures> in(String output) {
      Matcher matcher = RESULT.matcher(output);
      return matcher.find()
          ? Optional.of(
              new Figures(
                  Long.parseLong(matcher.group(1)),
                  Double.parseDouble(matcher.group(2)),
                  Double.parseDouble(matcher.group(3)),
                  Double.parseDouble(matcher.group(4)),
                  Double.parseDouble(matcher.group(5))))
          : Optional.empty();
    }

    double perSecond() {
      return records / seconds;
    }

    double perSecondOnceStarted() {
      return records / (seconds - startSeconds);
    }

    double perCpuSecond() {
      return records / cpuSeconds;
    }
  }
}
