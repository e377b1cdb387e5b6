package io.streampulse.consumer.command;

import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The fleet as lines for a terminal. */
public final class StatusTable {
  private static final List<String> TITLES =
      List.of("STATE", "QUERY", "APPLICATION", "AGE", "IN/S", "OUT/S", "LAG", "LAG TIME", "WHY");
  private static final int WIDEST_NAME = 40;
  private static final int WIDEST_REASON = 200;

  private StatusTable() {}

  /** What the command {@code status} prints. */
  public static List<String> lines(FleetSnapshot fleet) {
    List<String> lines = new ArrayList<>();
    lines.add(
        fleet
            .newestIngestedAt()
            .map(
                time ->
                    "%s, newest row %s old"
                        .formatted(
                            fleet.table(),
                            text(Duration.between(time, fleet.readAt()).toSeconds())))
            .orElse(fleet.table() + " has no rows of the last 7 days"));
    fleet.outage().ifPresent(lines::add);
    if (fleet.quarantined() > 0) {
      lines.add(
          "%,d messages of the last day can't be decoded: they are in the quarantine table"
              .formatted(fleet.quarantined()));
    }
    lines.add(counts(fleet));
    if (!fleet.queries().isEmpty()) {
      lines.add("");
      lines.addAll(aligned(fleet.queries().stream().map(StatusTable::row).toList()));
    }
    return lines;
  }

  private static String counts(FleetSnapshot fleet) {
    return fleet.queries().size()
        + " queries"
        + fleet.queries().stream()
            .collect(Collectors.groupingBy(QueryStatus::state, Collectors.counting()))
            .entrySet()
            .stream()
            .sorted(Map.Entry.comparingByKey())
            .map(entry -> entry.getValue() + " " + entry.getKey())
            .collect(
                Collectors.collectingAndThen(
                    Collectors.joining(", "), s -> s.isEmpty() ? "" : ": " + s));
  }

  private static List<String> row(QueryStatus query) {
    String signals =
        query.signals().stream().map(Enum::name).collect(Collectors.joining(" ", " [", "]"));
    return List.of(
        query.state().name(),
        cut(query.name()),
        cut(query.text("applicationName").orElse("-")),
        text(query.number("lastEventAgeSeconds")),
        number(query.number("inputRowsPerSecond")),
        number(query.number("processedRowsPerSecond")),
        number(query.number("lagRecords")),
        text(query.number("lagSeconds")),
        shortened(query.reason()) + (query.signals().isEmpty() ? "" : signals));
  }

  private static List<String> aligned(List<List<String>> rows) {
    List<List<String>> all = new ArrayList<>();
    all.add(TITLES);
    all.addAll(rows);
    int last = TITLES.size() - 1;
    List<Integer> widths =
        IntStream.range(0, last)
            .mapToObj(i -> all.stream().mapToInt(row -> row.get(i).length()).max().orElse(0))
            .toList();
    return all.stream()
        .map(
            row ->
                IntStream.range(0, last)
                    .mapToObj(i -> padded(row.get(i), widths.get(i), i >= 3))
                    .collect(Collectors.joining("  ", "", "  " + row.get(last))))
        .toList();
  }

  private static String padded(String text, int width, boolean right) {
    return ("%" + (right ? "" : "-") + width + "s").formatted(text);
  }

  private static String cut(String text) {
    String line = oneLine(text);
    return line.length() <= WIDEST_NAME ? line : line.substring(0, WIDEST_NAME - 1) + "…";
  }

  /** Without its middle: a failure begins with its kind and ends with what happened. */
  private static String shortened(String text) {
    String line = oneLine(text);
    if (line.length() <= WIDEST_REASON) {
      return line;
    }
    int half = WIDEST_REASON / 2 - 1;
    return line.substring(0, half) + " … " + line.substring(line.length() - half + 1);
  }

  /** What a job calls itself or its errors must not steer the terminal. */
  private static String oneLine(String text) {
    return text.replaceAll("\\p{Cc}", " ");
  }

  private static String number(OptionalDouble number) {
    return number.isEmpty() ? "-" : String.format(Locale.ROOT, "%,.0f", number.getAsDouble());
  }

  private static String text(OptionalDouble seconds) {
    return seconds.isEmpty() ? "-" : text(Math.round(seconds.getAsDouble()));
  }

  private static String text(long seconds) {
    if (seconds < 120) {
      return seconds + " s";
    }
    if (seconds < 120 * 60) {
      return seconds / 60 + " min";
    }
    return seconds < 48 * 3600 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
  }
}
