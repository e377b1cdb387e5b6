package io.streampulse.consumer.capacity;

import io.streampulse.config.Durations;
import io.streampulse.consumer.metrics.FleetMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a fleet needs, as figures with their rules, and the limits it passes.
 *
 * @param parts the figures by what they are about
 * @param warnings a sentence for each limit, with the way out
 */
public record CapacityPlan(List<Part> parts, List<String> warnings) {
  private static final double MB = 1e6;
  private static final double GB = 1e9;

  // The agent's default, as docs/configuration.md has it.
  private static final int RECORD_MAX_BYTES = 900_000;

  /** An outage that any agent should outlast: a broker that starts again. */
  private static final double SHORTEST_BUFFER_SECONDS = 60;

  /** A look that takes a core longer than this is no look any more. */
  private static final double LONGEST_LOOK_CORE_SECONDS = 600;

  public CapacityPlan {
    parts = List.copyOf(parts);
    warnings = List.copyOf(warnings);
  }

  /**
   * Figures that belong together.
   *
   * @param title what they are about
   * @param figures the figures
   */
  public record Part(String title, List<Figure> figures) {}

  /** Works it out. */
  public static CapacityPlan of(Load load) {
    Sizing sizing = new Sizing(load);
    return new CapacityPlan(
        List.of(
            new Part("Topic", topic(load, sizing)),
            new Part("Event Hubs, Standard tier", eventHubs(sizing)),
            new Part("Consumer", consumer(load, sizing)),
            new Part("Table", table(load, sizing)),
            new Part("A look at the fleet", look(sizing))),
        warnings(load, sizing));
  }

  /** All figures, part after part. */
  public Stream<Figure> figures() {
    return parts.stream().flatMap(part -> part.figures().stream());
  }

  private static List<Figure> topic(Load load, Sizing sizing) {
    return List.of(
        new Figure(
            "recordsPerSecond",
            "records",
            sizing.records(),
            "/s",
            "one for each query and trigger, and the heartbeats"),
        new Figure(
            "heartbeatsPerSecond",
            "of them heartbeats",
            sizing.heartbeats(),
            "/s",
            Numbers.text(
                "one for each %s between batches, for each application",
                Durations.text(load.heartbeat()))),
        new Figure(
            "batchesPerSecond",
            "produce batches, at least",
            sizing.batches(),
            "/s",
            Numbers.text(
                "a query's records of a flush (%s) together, up to 16 KB",
                Durations.text(load.flush()))),
        new Figure(
            "ingressMegabytesPerSecond",
            "ingress",
            sizing.ingressBytes() / MB,
            "MB/s",
            Numbers.text(
                "%,d B a record, %d around it, %d around a batch; no compression",
                load.recordBytes(), Sizing.BYTES_AROUND_RECORD, Sizing.BYTES_AROUND_BATCH)),
        new Figure(
            "egressMegabytesPerSecond",
            "egress",
            sizing.ingressBytes() / MB,
            "MB/s",
            "one consumer reads each record once"),
        new Figure(
            "catchUpEgressMegabytesPerSecond",
            "egress while it catches up",
            sizing.catchUpEgressBytes() / MB,
            "MB/s",
            Numbers.text("%d x ingress", Sizing.HEADROOM)),
        new Figure(
            "partitions",
            "partitions",
            (double) sizing.partitions(),
            "",
            Numbers.text(
                "1 MB/s or 1,000 records/s each, %d x headroom; at least the cores",
                Sizing.HEADROOM)),
        new Figure(
            "topicGigabytesPerDay",
            "topic in a day",
            sizing.topicBytesPerDay() / GB,
            "GB",
            "one copy; Kafka keeps one on each replica"),
        new Figure(
            "topicGigabytes",
            "topic",
            sizing.topicBytes() / GB,
            "GB",
            Numbers.text("%d days", load.topicDays())),
        new Figure(
            "connections",
            "connections of agents",
            (double) load.agents(),
            "",
            "one for each application, two while it starts"),
        new Figure(
            "agentBufferSeconds",
            "an agent's buffer lasts",
            sizing.bufferSeconds(),
            Figure.SECONDS,
            Numbers.text("without a broker; %,d records", Sizing.BUFFER_CAPACITY)));
  }

  private static List<Figure> eventHubs(Sizing sizing) {
    return List.of(
        new Figure(
            "throughputUnits",
            "throughput units",
            (double) sizing.throughputUnits(),
            "TU",
            "1 MB/s or 1,000 events/s in, 2 MB/s or 4,096 out; a record is an event"),
        new Figure(
            "storageIncludedGigabytes",
            "storage included",
            sizing.storedBytesIncluded() / GB,
            "GB",
            "84 GB for each TU"),
        new Figure(
            "eventHubsCatchUpSeconds",
            "catch-up after 1 h away",
            sizing.eventHubsCatchUpSeconds(),
            Figure.SECONDS,
            "by the egress of these TU, or by the cores' rate if that is less"));
  }

  private static List<Figure> consumer(Load load, Sizing sizing) {
    return List.of(
        new Figure(
            "cores",
            "cores",
            (double) sizing.cores(),
            "",
            Numbers.text(
                "%d x records / %,d records/s a core",
                Sizing.HEADROOM, load.recordsPerSecondPerCore())),
        new Figure(
            "executors",
            "executors",
            (double) sizing.executors(),
            "",
            Numbers.text("%d cores each", Sizing.CORES_PER_EXECUTOR)),
        new Figure(
            "catchUpSeconds",
            "catch-up after 1 h away",
            sizing.catchUpSeconds(),
            Figure.SECONDS,
            "an hour's records / (cores' rate - records)"));
  }

  private static List<Figure> table(Load load, Sizing sizing) {
    return List.of(
        new Figure("rowsPerDay", "rows in a day", sizing.rowsPerDay(), "", "a row for each record"),
        new Figure(
            "tableGigabytesPerDay",
            "table in a day",
            sizing.tableBytesPerDay() / GB,
            "GB",
            Numbers.text("%,d B a row", load.bytesPerRow())),
        new Figure(
            "tableGigabytes",
            "table",
            sizing.tableBytes() / GB,
            "GB",
            Numbers.text("%d days, maintain --retain-days", load.tableDays())),
        new Figure(
            "commitsPerHour",
            "Delta commits in an hour",
            sizing.commitsPerHour(),
            "",
            Numbers.text(
                "one for each trigger (%s) with a record", Durations.text(load.consumerTrigger()))),
        new Figure(
            "filesPerDay",
            "files in a day",
            sizing.filesPerDay(),
            "",
            "20,000 rows to a file; in a commit at most one for each partition"),
        new Figure(
            "filesPerDayMaintained",
            "the same, after maintain",
            sizing.filesPerDayMaintained(),
            "",
            "OPTIMIZE makes files of 1 GB; VACUUM takes the others after a week"));
  }

  private static List<Figure> look(Sizing sizing) {
    return List.of(
        new Figure(
            "firstLookRows",
            "the first reads",
            sizing.firstLookRows(),
            "",
            Numbers.text("rows of %d days, as far back as the views look", Sizing.DAYS_OF_A_LOOK)),
        new Figure(
            "firstLookCoreSeconds",
            "time of one core",
            sizing.firstLookCoreSeconds(),
            Figure.SECONDS,
            Numbers.text("%,d rows/s a core", Measured.LOOK_ROWS_PER_SECOND_PER_CORE)),
        new Figure(
            "laterLookRows",
            "a later one reads",
            sizing.laterLookRows(),
            "",
            Numbers.text(
                "rows of %d hours; the rest is asked every 10 min or less",
                Sizing.HOURS_OF_A_LATER_LOOK)),
        new Figure(
            "laterLookCoreSeconds",
            "time of one core",
            sizing.laterLookCoreSeconds(),
            Figure.SECONDS,
            "by the same rate"));
  }

  private static List<String> warnings(Load load, Sizing sizing) {
    Warnings warnings = new Warnings();
    warnings.whereOver(
        (double) sizing.throughputUnits(),
        EventHubs.MOST_TU,
        "%s throughput units are over the %s of one Event Hubs namespace of the Standard tier: take"
            + " Premium or Dedicated, or a namespace for each part of the fleet");
    warnings.whereOver(
        (double) sizing.partitions(),
        EventHubs.MOST_PARTITIONS,
        "%s partitions are over the %s of an event hub of the Standard tier: take Premium or"
            + " Dedicated, or a topic for each part of the fleet");
    warnings.whereOver(
        (double) Sizing.CONNECTIONS_AT_START * load.agents(),
        EventHubs.MOST_CONNECTIONS,
        "%s connections, while all applications start, are over the %s of an Event Hubs namespace"
            + " of the Standard tier: take a namespace for each part of the fleet");
    warnings.whereOver(
        load.topicDays(),
        EventHubs.MOST_RETENTION_DAYS,
        "%s days in the topic are over the %s of the Standard tier: shorten --topic-retention, or"
            + " take Premium or Dedicated");
    warnings.whereOver(
        sizing.topicBytes() / GB,
        sizing.storedBytesIncluded() / GB,
        "%s GB in the topic are over the %s GB that the throughput units include: Event Hubs bills"
            + " the rest; shorten --topic-retention");
    if (load.recordBytes() > EventHubs.MOST_MESSAGE_BYTES) {
      warnings.whereOver(
          load.recordBytes(),
          EventHubs.MOST_MESSAGE_BYTES,
          "messages of %s bytes are over the %s that agents send and Event Hubs takes: agents cut"
              + " such records and say so");
    } else {
      warnings.whereOver(
          load.recordBytes(),
          RECORD_MAX_BYTES,
          "messages of %s bytes are over agent.record.max-bytes, %s when not set: agents cut such"
              + " records and say so");
    }
    if (sizing.bufferSeconds() < SHORTEST_BUFFER_SECONDS) {
      warnings.add(
          Numbers.text(
              "an agent's buffer lasts for %,.0f s without a broker, then its oldest records are dropped and counted: raise agent.buffer.capacity, %,d when not set",
              sizing.bufferSeconds(), Sizing.BUFFER_CAPACITY));
    }
    warnings.whereOver(
        (double) load.queries(),
        FleetMetrics.MAX_QUERIES,
        "%s queries are over the %s that have series in /metrics: the most urgent ones have them,"
            + " the views have all");
    if (load.consumerTrigger().toMillis() < Measured.APPEND_SECONDS * 1000) {
      warnings.add(
          Numbers.text(
              "a consumer's trigger of %s is shorter than an append, %s s: batches follow each other at once; lengthen --consumer-trigger",
              Durations.text(load.consumerTrigger()), Measured.APPEND_SECONDS));
    }
    if (sizing.laterLookCoreSeconds() > LONGEST_LOOK_CORE_SECONDS) {
      warnings.add(
          Numbers.text(
              "a look at the fleet takes one core %,.0f min: ask from a large cluster or SQL warehouse and seldom (serve --refresh), or send fewer records",
              sizing.laterLookCoreSeconds() / 60));
    }
    return warnings.texts;
  }

  private static final class Warnings {
    private final List<String> texts = new ArrayList<>();

    void whereOver(double value, double limit, String text) {
      if (value > limit) {
        add(Numbers.text(text, whole(value), whole(limit)));
      }
    }

    void add(String text) {
      texts.add(text);
    }

    private static String whole(double number) {
      return Numbers.text("%,.0f", number);
    }
  }
}
