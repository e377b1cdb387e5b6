package io.streampulse.demo;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** Rows as aligned text, numbers to the right; absent values are a dash. */
final class TextTable {
  private static final String GAP = "  ";

  private TextTable() {}

  static String of(Dataset<Row> rows) {
    return of(List.of(rows.columns()), rows.collectAsList());
  }

  static String of(List<String> header, List<Row> rows) {
    int columns = header.size();
    List<List<String>> lines = new ArrayList<>(List.of(header));
    boolean[] right = new boolean[columns];
    int[] width = new int[columns];
    for (Row row : rows) {
      List<String> line = new ArrayList<>();
      for (int i = 0; i < columns; i++) {
        right[i] |= row.get(i) instanceof Number;
        line.add(row.get(i) == null ? "-" : row.get(i).toString());
      }
      lines.add(line);
    }
    for (List<String> line : lines) {
      for (int i = 0; i < columns; i++) {
        width[i] = Math.max(width[i], line.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < columns; i++) {
        String blanks = " ".repeat(width[i] - line.get(i).length());
        padded.append(right[i] ? blanks + line.get(i) : line.get(i) + blanks).append(GAP);
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
