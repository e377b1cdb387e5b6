package io.streampulse.consumer.command;

import io.streampulse.consumer.capacity.CapacityPlan;
import io.streampulse.consumer.capacity.CapacityPlan.Part;
import io.streampulse.consumer.capacity.Figure;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** A capacity plan as lines for a terminal. */
final class CapacityTable {
  private static final int WIDEST_WARNING = 100;
  private static final int SIGNIFICANT_DIGITS = 3;

  private CapacityTable() {}

  static List<String> lines(CapacityPlan plan) {
    List<Cells> cells = plan.figures().map(Cells::of).toList();
    int label = width(cells.stream().map(Cells::label));
    int number = width(cells.stream().map(Cells::number));
    int unit = width(cells.stream().map(Cells::unit));
    String format = "  %-" + label + "s  %" + number + "s %-" + unit + "s  %s";
    List<String> lines = new ArrayList<>();
    for (Part part : plan.parts()) {
      if (!lines.isEmpty()) {
        lines.add("");
      }
      lines.add(part.title());
      for (Figure figure : part.figures()) {
        Cells row = Cells.of(figure);
        lines.add(format.formatted(row.label(), row.number(), row.unit(), row.rule()));
      }
    }
    if (!plan.warnings().isEmpty()) {
      lines.add("");
      lines.add("Limits passed");
      plan.warnings().forEach(warning -> lines.addAll(wrapped(warning)));
    }
    return lines;
  }

  private static int width(Stream<String> texts) {
    return texts.mapToInt(String::length).max().orElse(1);
  }

  private static List<String> wrapped(String warning) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder("  -");
    for (String word : warning.split(" ", -1)) {
      if (line.length() + 1 + word.length() > WIDEST_WARNING) {
        lines.add(line.toString());
        line.setLength(0);
        line.append("   ");
      }
      line.append(' ').append(word);
    }
    lines.add(line.toString());
    return lines;
  }

  private record Cells(String label, String number, String unit, String rule) {
    static Cells of(Figure figure) {
      return figure.unit().equals(Figure.SECONDS)
          ? time(figure)
          : new Cells(figure.label(), shown(figure.value()), figure.unit(), figure.rule());
    }

    private static Cells time(Figure figure) {
      double seconds = figure.value();
      if (seconds < 120) {
        return new Cells(figure.label(), shown(seconds), "s", figure.rule());
      }
      if (seconds < 120 * 60) {
        return new Cells(figure.label(), shown(seconds / 60), "min", figure.rule());
      }
      return new Cells(figure.label(), shown(seconds / 3600), "h", figure.rule());
    }

    /** Small numbers by three digits, the others whole. */
    private static String shown(double number) {
      return number >= 100
          ? String.format(Locale.ROOT, "%,.0f", number)
          : new BigDecimal(number)
              .round(new MathContext(SIGNIFICANT_DIGITS))
              .stripTrailingZeros()
              .toPlainString();
    }
  }
}
