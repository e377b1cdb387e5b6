package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.DeployedAlerts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A day of a fleet, looked at every four hours and often after the incidents at noon: each incident
 * is found, and those who have nothing but jitter raise no alarm. An alarm is a row of one of the
 * queries that are deployed as alerts.
 */
@Tag("fleet-replay")
class FleetReplayIT {
  private static final TableName TABLE = TableName.parse("spark_catalog.replay.health");
  private static final TableName QUARANTINE = TableName.parse("spark_catalog.replay.quarantine");
  private static final List<String> VIEWS =
      List.of(
          "run_totals",
          "query_runs",
          "query_baseline",
          "telemetry_health",
          "state_growth",
          "query_status");
  private static final int[] MINUTES_AFTER_NOON = {1, 2, 3, 5, 7, 10, 15, 20};

  private static final List<FleetDay.Incident> INCIDENTS = new ArrayList<>();
  private static final Set<String> CALM = new TreeSet<>();
  private static final Map<Instant, Set<String>> SEEN = new TreeMap<>();
  private static final Map<Instant, Set<String>> ALARMS = new TreeMap<>();

  @BeforeAll
  static void replay() throws IOException {
    FleetDay day = new FleetDay();
    INCIDENTS.addAll(day.incidents());
    CALM.addAll(day.calm());
    SparkSession spark = Environment.spark().newSession();
    spark.sql("CREATE DATABASE IF NOT EXISTS replay");
    write(
        spark
            .read()
            .schema(DecodedMessages.healthColumns())
            .json(spark.createDataset(day.rows().json(), Encoders.STRING())),
        TABLE);
    write(spark.createDataFrame(List.of(), DecodedMessages.quarantineColumns()), QUARANTINE);
    Map<String, String> alerts = alerts();
    for (Instant time : times()) {
      new FleetViews(TABLE, QUARANTINE)
          .at(time)
          .register(
              spark, VIEWS, view -> FleetViews.kept(spark, view).createOrReplaceTempView(view));
      SEEN.put(time, seen(spark));
      ALARMS.put(time, alarms(spark, alerts, time));
    }
  }

  @Test
  void everyIncidentIsFound() {
    List<String> missed = new ArrayList<>();
    for (FleetDay.Incident incident : INCIDENTS) {
      String wanted = incident.query() + " " + incident.expected();
      Instant found =
          SEEN.entrySet().stream()
              .filter(look -> look.getKey().isAfter(incident.from()))
              .filter(look -> look.getValue().contains(wanted))
              .map(Map.Entry::getKey)
              .findFirst()
              .orElse(null);
      if (found == null) {
        missed.add(wanted);
      } else {
        System.out.printf(
            "%-20s %-16s found after %3d min%n",
            incident.query(),
            incident.expected(),
            Duration.between(incident.from(), found).toMinutes());
      }
    }
    assertThat(missed).isEmpty();
  }

  @Test
  void jitterRaisesNoAlarm() {
    Map<String, List<Instant>> falseAlarms = new TreeMap<>();
    ALARMS.forEach(
        (time, alarms) -> {
          for (String alarm : alarms) {
            String query = alarm.substring(0, alarm.indexOf(' '));
            if (CALM.contains(query) || !time.isAfter(FleetDay.NOON)) {
              falseAlarms.computeIfAbsent(alarm, a -> new ArrayList<>()).add(time);
            }
          }
        });
    Map<String, Long> states =
        SEEN.values().stream()
            .flatMap(Set::stream)
            .filter(seen -> CALM.contains(seen.substring(0, seen.indexOf(' '))))
            .collect(Collectors.groupingBy(seen -> seen, TreeMap::new, Collectors.counting()));
    System.out.printf(
        "%d looks at %d queries without incidents: false alarms %s, states and signals %s%n",
        SEEN.size(), CALM.size(), falseAlarms, states);
    assertThat(falseAlarms).isEmpty();
  }

  private static List<Instant> times() {
    Set<Instant> times = new TreeSet<>();
    for (int hour = 4; hour <= 24; hour += 4) {
      times.add(FleetDay.MIDNIGHT.plus(Duration.ofHours(hour)));
    }
    for (int minute : MINUTES_AFTER_NOON) {
      times.add(FleetDay.NOON.plus(Duration.ofMinutes(minute)));
    }
    return List.copyOf(times);
  }

  private static Set<String> seen(SparkSession spark) {
    return strings(
        spark,
        "SELECT concat(queryId, ' ', seen) FROM query_status"
            + " LATERAL VIEW explode(concat(array(state), signals)) AS seen");
  }

  private static Set<String> alarms(SparkSession spark, Map<String, String> alerts, Instant time) {
    return strings(
        spark,
        alerts.entrySet().stream()
            .map(
                alert ->
                    "SELECT concat(queryId, ' %s') AS alarm FROM (%s)"
                        .formatted(alert.getKey(), alert.getValue()))
            .collect(Collectors.joining(" UNION ALL "))
            .replace("current_timestamp()", "TIMESTAMP '%s'".formatted(time)));
  }

  private static Set<String> strings(SparkSession spark, String sql) {
    return Set.copyOf(spark.sql(sql).as(Encoders.STRING()).collectAsList());
  }

  /** The deployed alerts about single queries that ask their status. */
  private static Map<String, String> alerts() throws IOException {
    Map<String, String> alerts = new LinkedHashMap<>();
    DeployedAlerts.queries()
        .forEach(
            (name, sql) -> {
              if (sql.contains("query_status")) {
                // Without the gate against outages, which reads views that are of no use here.
                alerts.put(name, sql.replaceFirst("(?s)WHERE NOT EXISTS.*", ""));
              }
            });
    assertThat(alerts).hasSizeGreaterThan(7);
    return alerts;
  }

  private static void write(Dataset<Row> rows, TableName table) {
    rows.write().mode("overwrite").format("delta").saveAsTable(table.sql());
  }
}
