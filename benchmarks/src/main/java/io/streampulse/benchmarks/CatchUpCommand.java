package io.streampulse.benchmarks;

import io.streampulse.benchmarks.CatchUpRun.Figures;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.Folders;
import io.streampulse.testing.SettingsFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench catch-up}: how fast the consumer gets through a backlog. */
@Command(
    name = "catch-up",
    description =
        "Records per second of the consumer over a backlog, beside Spark jobs that do less, each in"
            + " a JVM of its own on two cores, in turns.")
final class CatchUpCommand implements Callable<Integer> {
  private static final String BACKLOG = "backlog";
  private static final String WARM_UP = "warm-up";
  private static final double AIM_TO_COPY = 0.8;
  private static final double AIM_TO_DECODE = 1.0;

  @Option(
      names = "--records",
      defaultValue = "2000000",
      description = "Size of the backlog (default: ${DEFAULT-VALUE}).")
  private long records;

  @Option(
      names = "--partitions",
      defaultValue = "8",
      description = "Of the topic (default: ${DEFAULT-VALUE}).")
  private int partitions;

  @Option(
      names = "--warm-up",
      paramLabel = "RECORDS",
      defaultValue = "50000",
      description = "Records that each JVM reads before it measures (default: ${DEFAULT-VALUE}).")
  private long warmUp;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "How often each variant is measured (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      defaultValue = "2g",
      description = "Of each of these JVMs (default: ${DEFAULT-VALUE}).")
  private String heap;

  @Option(
      names = "--profile",
      paramLabel = "FILE.jfr",
      description = "Record the consumer once more with JFR, and tell where its time goes.")
  private Path profile;

  @Spec private CommandSpec spec;

  private final Map<CatchUpVariant, List<Figures>> figures = new EnumMap<>(CatchUpVariant.class);
  private Report report;
  private int runs;

  @Override
  public Integer call() throws Exception {
    report = Report.of(spec);
    try (HealthPipeline pipeline = HealthPipeline.start("catch-up")) {
      pipeline.createTopic(BACKLOG, partitions);
      pipeline.createTopic(WARM_UP, partitions);
      pipeline.fill(WARM_UP, warmUp);
      report.progress("sending %,d records", records);
      pipeline.fill(BACKLOG, records);
      report.progress("the backlog is there");
      report.add(
          "%,d records, about %,d bytes each, in %d partitions; SASL_SSL; Spark `local[2]`, heap %s,"
              + " the broker in another JVM on the same cores.",
          records,
          new ProgressMessages(HealthPipeline.QUERIES)
              .message(BACKLOG, records, Instant.EPOCH)
              .value()
              .length,
          partitions,
          heap);
      compare(pipeline);
      if (profile != null) {
        report.progress("profiling the consumer");
        Path recording = profile.toAbsolutePath();
        Files.deleteIfExists(recording);
        run(pipeline, CatchUpVariant.CONSUMER, List.of(recording.toString()));
        HotFrames.of(recording).addTo(report, "consumer");
      }
    }
    report.finish();
    return ExitCode.OK;
  }

  private void compare(HealthPipeline pipeline) throws Exception {
    Comparison comparison = new Comparison(report, "records/s");
    for (CatchUpVariant variant :
        List.of(
            CatchUpVariant.COPY,
            CatchUpVariant.POLL,
            CatchUpVariant.DECODE,
            CatchUpVariant.CONSUMER)) {
      comparison.add(
          variant.title(),
          () -> {
            Figures found = run(pipeline, variant, List.of());
            figures.computeIfAbsent(variant, v -> new ArrayList<>()).add(found);
            return found.perSecond();
          });
    }
    comparison.run(rounds);
    List<List<String>> rows = new ArrayList<>();
    figures.forEach(
        (variant, all) ->
            rows.add(
                List.of(
                    variant.title(),
                    number(comparison.median(variant.title()) / CatchUpVariant.CORES),
                    number(mean(all, Figures::perCpuSecond)),
                    seconds(mean(all, Figures::seconds)),
                    seconds(mean(all, Figures::startSeconds)),
                    seconds(mean(all, Figures::beforeSeconds)))));
    report.add("The same by core; a run's start is part of its seconds, what is before is not:");
    report.table(
        List.of(
            "variant",
            "records/s per core",
            "records per CPU second of the JVM",
            "seconds",
            "of them start of the run",
            "before: JVM, Spark, warm-up"),
        rows);
    aim(comparison, CatchUpVariant.COPY, AIM_TO_COPY);
    aim(comparison, CatchUpVariant.DECODE, AIM_TO_DECODE);
  }

  private void aim(Comparison comparison, CatchUpVariant base, double aim) {
    double ratio = comparison.ratio(CatchUpVariant.CONSUMER.title(), base.title());
    List<Figures> consumer = figures.get(CatchUpVariant.CONSUMER);
    report.add(
        "Consumer to \"%s\": %.2f; the aim is at least %.1f: %s. Without the start of its run %.2f,"
            + " by CPU seconds, start included, %.2f.",
        base.title(),
        ratio,
        aim,
        ratio >= aim ? "met" : "missed",
        mean(consumer, Figures::perSecondOnceStarted)
            / mean(figures.get(base), Figures::perSecondOnceStarted),
        mean(consumer, Figures::perCpuSecond) / mean(figures.get(base), Figures::perCpuSecond));
  }

  private Figures run(HealthPipeline pipeline, CatchUpVariant variant, List<String> recording)
      throws IOException {
    runs++;
    Path home = pipeline.folder().resolve("run-" + runs);
    List<String> arguments = new ArrayList<>();
    arguments.add(CatchUpRun.class.getName());
    arguments.add(variant.name().toLowerCase(Locale.ROOT));
    arguments.add(conf(pipeline, home, WARM_UP));
    arguments.add(conf(pipeline, home, BACKLOG));
    arguments.add(home.toString());
    arguments.addAll(recording);
    try (ChildJvm jvm =
        ChildJvm.start(
            variant.title(),
            home.resolve("output.log"),
            ChildJvm.classPath(file -> !file.startsWith("streampulse-listener-agent")),
            List.of("-Xmx" + heap),
            arguments)) {
      int exit = jvm.awaitExit(Duration.ofMinutes(30));
      Figures found =
          Figures.in(jvm.output())
              .orElseThrow(() -> new IllegalStateException(HealthPipeline.end(jvm)));
      if (exit != 0 || found.records() != records) {
        throw new IllegalStateException(
            "%s ended with %d and %d of %d records:%n%s"
                .formatted(
                    variant.title(), exit, found.records(), records, HealthPipeline.end(jvm)));
      }
      return found;
    } finally {
      Folders.delete(home);
    }
  }

  private static String conf(HealthPipeline pipeline, Path home, String topic) throws IOException {
    Map<String, String> conf =
        new ConsumerProcess(home.resolve(topic), topic, pipeline.client())
            .set("table", "spark_catalog.bench." + topic.replace('-', '_'))
            .set("trigger", "available-now")
            .set("async-progress.enabled", "false")
            .conf();
    Path file = Files.createDirectories(home).resolve(topic + ".conf");
    SettingsFile.write(file, conf);
    return file.toString();
  }

  private static double mean(List<Figures> all, ToDoubleFunction<Figures> figure) {
    return all.stream().mapToDouble(figure).average().orElseThrow();
  }

  private static String number(double figure) {
    return String.format(Locale.ROOT, "%,.0f", figure);
  }

  private static String seconds(double figure) {
    return String.format(Locale.ROOT, "%.1f", figure);
  }
}
