package io.streampulse.demo;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A topic's messages beside the rows that should be made of them, by coordinates.
 *
 * @param messages how many are in the topic
 * @param rows how many are in the tables
 * @param missing messages without a row
 * @param doubled rows beyond the first of their message
 * @param foreign rows of no message
 */
record Comparison(long messages, long rows, long missing, long doubled, long foreign) {

  static Comparison of(Set<String> topic, List<String> rows) {
    Map<String, Integer> table = new HashMap<>();
    rows.forEach(row -> table.merge(row, 1, Integer::sum));
    long missing = topic.stream().filter(message -> !table.containsKey(message)).count();
    long foreign =
        table.entrySet().stream()
            .filter(row -> !topic.contains(row.getKey()))
            .mapToLong(Map.Entry::getValue)
            .sum();
    long doubled = table.values().stream().mapToLong(times -> times - 1).sum();
    return new Comparison(topic.size(), rows.size(), missing, doubled, foreign);
  }

  boolean isExact() {
    return missing == 0 && doubled == 0 && foreign == 0;
  }

  @Override
  public String toString() {
    return "%,d messages, %,d rows: %,d missing, %,d twice, %,d of no message"
        .formatted(messages, rows, missing, doubled, foreign);
  }
}
