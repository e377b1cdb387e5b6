package io.streampulse.benchmarks;

import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.table.TableName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Compares what a fleet's agents have counted with the topic, with the rows in the table, and with
 * what the view {@code telemetry_health} makes of them: for each agent produced = in the table +
 * dropped, nothing is missing and nothing is there twice.
 */
final class FleetAccounting {
  private static final String LEDGER = "telemetry_health";
  private static final int MOST_COMPLAINTS = 10;

  private final SparkSession spark;
  private final TableName health;
  private final TableName quarantine;
  private final List<String> complaints = new ArrayList<>();

  /**
   * The tables are there.
   *
   * @param location where the health table is
   */
  FleetAccounting(SparkSession spark, String table, Path location) {
    this.spark = spark;
    health = TableName.parse(table);
    quarantine = TableName.parse(table + "_quarantine");
    new ConsumerTables(health, quarantine, Optional.of(location.toString())).open(spark);
  }

  /** How many messages have become rows. */
  long rows() {
    return spark.table(health.sql()).count() + spark.table(quarantine.sql()).count();
  }

  /**
   * Adds the balance to a report, and tells whether it is even.
   *
   * @param counts what each application's agent has counted
   * @param ends the topic's ends by partition, whose offsets begin with 0
   */
  boolean balances(
      Map<String, SimulatedFleet.Counts> counts, Map<Integer, Long> ends, Report report) {
    long rows = spark.table(health.sql()).count();
    long undecodable = spark.table(quarantine.sql()).count();
    Map<String, Row> agents = agents();
    Map<String, Row> ledger = ledger();
    long missing = 0;
    long twice = 0;
    long closed = 0;
    long agreed = 0;
    for (Map.Entry<String, SimulatedFleet.Counts> entry : counts.entrySet()) {
      String application = entry.getKey();
      SimulatedFleet.Counts count = entry.getValue();
      Row agent = agents.remove(application);
      Row view = ledger.remove(application);
      long sequences = agent == null ? 0 : agent.<Long>getAs("sequences");
      long inTable = agent == null ? 0 : agent.<Long>getAs("inTable");
      missing += count.produced() - sequences - count.droppedTotal();
      twice += inTable - sequences;
      closed += agent != null && agent.<Boolean>getAs("closed") ? 1 : 0;
      boolean isEven =
          agent != null
              && agent.<Boolean>getAs("closed")
              && agent.<Long>getAs("agents") == 1
              && agent.<Long>getAs("produced") == count.produced()
              && count.published() == sequences
              && inTable == sequences
              && count.produced() == sequences + count.droppedTotal();
      boolean isAgreed =
          view != null
              && view.<Boolean>getAs("closed")
              && view.<Long>getAs("produced") == count.produced()
              && view.<Long>getAs("inTable") == sequences
              && view.<Long>getAs("droppedTotal") == count.droppedTotal()
              && view.<Long>getAs("missing") == 0;
      agreed += isAgreed ? 1 : 0;
      if (!isEven || !isAgreed) {
        complaints.add(
            "%s: its agent counts %s; in the table: %s; %s says: %s"
                .formatted(application, count.all(), json(agent), LEDGER, json(view)));
      }
    }
    agents.values().forEach(agent -> complaints.add("rows of no agent: " + json(agent)));
    ledger.values().forEach(view -> complaints.add(LEDGER + " has one too many: " + json(view)));
    long twiceOfTopic = coordinates(ends);
    report.table(
        List.of("what", "figure"),
        List.of(
            List.of("records produced", sum(counts, SimulatedFleet.Counts::produced)),
            List.of("of them acknowledged", sum(counts, SimulatedFleet.Counts::published)),
            List.of("messages in the topic", number(total(ends))),
            List.of("rows in the table", number(rows)),
            List.of("of them", types()),
            List.of("rows in quarantine", number(undecodable)),
            List.of(
                "dropped by an agent",
                sum(counts, SimulatedFleet.Counts::droppedTotal) + " " + reasons(counts)),
            List.of("missing", number(missing)),
            List.of("twice by agent and sequence", number(twice)),
            List.of("twice by partition and offset", number(twiceOfTopic)),
            List.of("agents with a closing record", closed + " of " + counts.size()),
            List.of(
                "agents of which `telemetry_health` says the same",
                agreed + " of " + counts.size()),
            List.of("balances", complaints.isEmpty() ? "yes" : "NO")));
    complaints.stream().limit(MOST_COMPLAINTS).forEach(text -> report.add("%s", text));
    return complaints.isEmpty();
  }

  /** What the rows say themselves, by application. */
  private Map<String, Row> agents() {
    return byApplication(
        """
        SELECT applicationId, count(DISTINCT agentId) AS agents, count(*) AS inTable,
          count(DISTINCT sequence) AS sequences, max(sequence) + 1 AS produced,
          bool_or(eventType = 'AGENT_STOPPED') AS closed
        FROM %s GROUP BY applicationId"""
            .formatted(health.sql()));
  }

  private Map<String, Row> ledger() {
    new FleetViews(health, quarantine).register(spark, List.of("run_totals", LEDGER), view -> {});
    return byApplication(
        "SELECT applicationId, closed, produced, inTable, droppedTotal, missing FROM " + LEDGER);
  }

  /** Each message has one row, in one of the tables; tells how many rows are too many. */
  private long coordinates(Map<Integer, Long> ends) {
    Map<Integer, Long> left = new HashMap<>(ends);
    long twice = 0;
    for (Row partition :
        spark
            .sql(
                """
                SELECT kafka.partition, count(*) AS rows, count(DISTINCT kafka.offset) AS offsets,
                  max(kafka.offset) + 1 AS next
                FROM (SELECT kafka FROM %s UNION ALL SELECT kafka FROM %s)
                GROUP BY kafka.partition"""
                    .formatted(health.sql(), quarantine.sql()))
            .collectAsList()) {
      Long end = left.remove(partition.<Integer>getAs("partition"));
      long offsets = partition.<Long>getAs("offsets");
      twice += partition.<Long>getAs("rows") - offsets;
      if (end == null
          || offsets != end
          || partition.<Long>getAs("next") > end
          || partition.<Long>getAs("rows") != offsets) {
        complaints.add("a partition that ends at %s has %s".formatted(end, json(partition)));
      }
    }
    left.values().removeIf(end -> end == 0);
    left.forEach((partition, end) -> complaints.add("no row of partition " + partition));
    return twice;
  }

  private String types() {
    return spark
        .sql(
            "SELECT eventType, count(*) AS rows FROM %s GROUP BY ALL ORDER BY ALL"
                .formatted(health.sql()))
        .collectAsList()
        .stream()
        .map(row -> number(row.getLong(1)) + " " + row.getString(0))
        .collect(Collectors.joining(", "));
  }

  private Map<String, Row> byApplication(String sql) {
    Map<String, Row> rows = new TreeMap<>();
    for (Row row : spark.sql(sql).collectAsList()) {
      Row other = rows.put(row.getAs("applicationId"), row);
      if (other != null) {
        complaints.add("two agents of one application: %s, %s".formatted(json(row), json(other)));
      }
    }
    return rows;
  }

  private static String json(Row row) {
    return row == null ? "nothing" : row.json();
  }

  private static String sum(
      Map<String, SimulatedFleet.Counts> counts, ToLongFunction<SimulatedFleet.Counts> figure) {
    return number(counts.values().stream().mapToLong(figure).sum());
  }

  private static Map<String, Long> reasons(Map<String, SimulatedFleet.Counts> counts) {
    Map<String, Long> reasons = new TreeMap<>();
    counts
        .values()
        .forEach(
            count -> count.dropped().forEach((reason, n) -> reasons.merge(reason, n, Long::sum)));
    return reasons;
  }

  private static long total(Map<Integer, Long> ends) {
    return ends.values().stream().mapToLong(Long::longValue).sum();
  }

  private static String number(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
