package io.streampulse.consumer.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A report as text: aligned lines, and a table for each list. */
final class ReportText {
  private ReportText() {}

  static String of(Map<String, Object> report) {
    int width = report.keySet().stream().mapToInt(String::length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    report.forEach(
        (name, value) -> {
          if (value instanceof List<?> rows) {
            text.append(table(name, rows));
          } else {
            text.append(("%-" + width + "s  %s%n").formatted(name, shown(value)));
          }
        });
    return text.toString();
  }

  private static String table(String name, List<?> rows) {
    if (rows.isEmpty()) {
      return "";
    }
    List<List<String>> lines = new ArrayList<>();
    for (Object row : rows) {
      Map<?, ?> cells = (Map<?, ?>) row;
      if (lines.isEmpty()) {
        lines.add(cells.keySet().stream().map(Object::toString).toList());
      }
      lines.add(cells.values().stream().map(Object::toString).toList());
    }
    StringBuilder text = new StringBuilder(name).append(System.lineSeparator());
    for (List<String> line : lines) {
      text.append("  ");
      for (int i = 0; i < line.size(); i++) {
        int column = i;
        int width = lines.stream().mapToInt(l -> l.get(column).length()).max().orElse(0);
        text.append(("%-" + width + "s  ").formatted(line.get(i)));
      }
      text.setLength(text.toString().stripTrailing().length());
      text.append(System.lineSeparator());
    }
    return text.toString();
  }

  private static String shown(Object value) {
    return value instanceof Boolean yes ? (yes ? "yes" : "no") : String.valueOf(value);
  }
}
