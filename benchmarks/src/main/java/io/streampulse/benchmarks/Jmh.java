package io.streampulse.benchmarks;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** JMH's benchmarks as tables of a report: a row for each parameter, a column for each method. */
final class Jmh {
  private Jmh() {}

  /** Runs all methods of a class. */
  static Collection<RunResult> run(Class<?> benchmark, int threads) throws RunnerException {
    return new Runner(
            new OptionsBuilder()
                .include("\\b" + benchmark.getSimpleName() + "\\b")
                .threads(threads)
                .build())
        .run();
  }

  /**
   * Adds a table of figures with their 99.9 % errors.
   *
   * @param methods the columns: the benchmarks' methods and their titles, in order
   */
  static void table(
      Report report, String rows, Map<String, String> methods, Collection<RunResult> results) {
    Map<String, Map<String, String>> figures = new LinkedHashMap<>();
    for (RunResult result : results) {
      BenchmarkParams params = result.getParams();
      Result<?> figure = result.getPrimaryResult();
      String method = params.getBenchmark();
      figures
          .computeIfAbsent(row(params), row -> new LinkedHashMap<>())
          .put(
              method.substring(method.lastIndexOf('.') + 1),
              number(figure.getScore(), 3) + " ± " + number(figure.getScoreError(), 2));
    }
    List<String> head = new ArrayList<>(List.of(rows));
    head.addAll(methods.values());
    report.table(
        head,
        figures.entrySet().stream()
            .map(
                row -> {
                  List<String> cells = new ArrayList<>(List.of(row.getKey()));
                  methods
                      .keySet()
                      .forEach(method -> cells.add(row.getValue().getOrDefault(method, "")));
                  return cells;
                })
            .toList());
  }

  /** The score of a method at a parameter. */
  static double score(Collection<RunResult> results, String method, String row) {
    return results.stream()
        .filter(
            result ->
                result.getParams().getBenchmark().endsWith("." + method)
                    && row(result.getParams()).equals(row))
        .mapToDouble(result -> result.getPrimaryResult().getScore())
        .findFirst()
        .orElseThrow();
  }

  /** With so many digits that count, and never a power of ten. */
  private static String number(double figure, int digits) {
    if (!Double.isFinite(figure) || figure == 0) {
      return String.valueOf(figure);
    }
    BigDecimal rounded = BigDecimal.valueOf(figure).round(new MathContext(digits));
    return String.format(Locale.ROOT, "%,." + Math.max(0, rounded.scale()) + "f", rounded);
  }

  private static String row(BenchmarkParams params) {
    List<String> values = new ArrayList<>();
    params.getParamsKeys().forEach(key -> values.add(params.getParam(key)));
    return String.join(" ", values);
  }
}
