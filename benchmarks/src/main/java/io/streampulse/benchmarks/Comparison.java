package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The same figure of several variants, measured in turns within one run: there and back again, so
 * that a machine that gets slower or faster is no variant's advantage. A ratio is the median of the
 * rounds' ratios to the first variant, which is measured twice in each round: how far its second
 * figure is from 1.00 is what chance does here.
 */
final class Comparison {
  private final Report report;
  private final String unit;
  private final Map<String, Callable<Double>> variants = new LinkedHashMap<>();
  private final Map<String, List<Double>> figures = new LinkedHashMap<>();

  /** A comparison of figures of a unit, as "ms" or "records/s". */
  Comparison(Report report, String unit) {
    this.report = report;
    this.unit = unit;
  }

  /** Adds a variant; the first is the one the others are compared with. */
  Comparison add(String name, Callable<Double> figure) {
    variants.put(name, figure);
    return this;
  }

  /** Measures all, and adds a table to the report. */
  Comparison run(int rounds) throws Exception {
    measure(rounds);
    String base = variants.keySet().iterator().next();
    List<List<String>> rows = new ArrayList<>();
    figures.forEach(
        (name, all) ->
            rows.add(
                List.of(
                    name,
                    text(median(all)),
                    text(all.stream().mapToDouble(Double::doubleValue).min().orElseThrow()),
                    text(all.stream().mapToDouble(Double::doubleValue).max().orElseThrow()),
                    String.format(Locale.ROOT, "%.3f", ratio(name, base)))));
    report.table(List.of("variant", unit + ", median", "min", "max", "ratio"), rows);
    return this;
  }

  /** Measures all, for a report that has a table of its own. */
  Comparison measure(int rounds) throws Exception {
    String base = variants.keySet().iterator().next();
    List<String> order = new ArrayList<>(variants.keySet());
    String control = control(base);
    variants.put(control, variants.get(base));
    order.add(control);
    order.forEach(name -> figures.put(name, new ArrayList<>()));
    for (int round = 1; round <= rounds; round++) {
      for (int i = 0; i < order.size(); i++) {
        String name = order.get(round % 2 == 1 ? i : order.size() - 1 - i);
        double figure = variants.get(name).call();
        figures.get(name).add(figure);
        report.progress("round %d of %d  %-40s %s %s", round, rounds, name, text(figure), unit);
      }
    }
    return this;
  }

  /** The name of the first variant's second figure. */
  static String control(String base) {
    return base + " again (control)";
  }

  /** The median of the rounds' ratios of one variant to another. */
  double ratio(String name, String base) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < figures.get(name).size(); i++) {
      ratios.add(figures.get(name).get(i) / figures.get(base).get(i));
    }
    return median(ratios);
  }

  /** The median of a variant's figures. */
  double median(String name) {
    return median(figures.get(name));
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static String text(double figure) {
    return String.format(Locale.ROOT, figure >= 100 ? "%,.0f" : "%.3g", figure);
  }
}
