package io.streampulse.consumer.capacity;

import io.streampulse.consumer.append.FileShape;
import java.time.Duration;

/**
 * The arithmetic: what a load asks of topic, consumer and table. Rates are in a second, sizes in
 * bytes, times in seconds.
 *
 * @param load the load
 */
record Sizing(Load load) {
  /** The consumer can work off twice what arrives, so that it catches up after it was away. */
  static final int HEADROOM = 2;

  static final int CORES_PER_EXECUTOR = 4;

  /** How long the consumer is away for the time that it takes to catch up. */
  static final Duration OUTAGE = Duration.ofHours(1);

  /** The key, a query's id of 36 characters, and at most 12 bytes around key and value. */
  static final int BYTES_AROUND_RECORD = 48;

  /** The head of a record batch in Kafka's format. */
  static final int BYTES_AROUND_BATCH = 61;

  /** The producer's default batch.size. */
  static final int BATCH_BYTES = 16_384;

  /** Most records that wait in an agent: {@code agent.buffer.capacity} where it is not set. */
  static final int BUFFER_CAPACITY = 1_000;

  /** As far back as the views look. */
  static final int DAYS_OF_A_LOOK = 7;

  /** As far back as a look reads that is not the first of its process. */
  static final int HOURS_OF_A_LATER_LOOK = 24;

  /** OPTIMIZE fills files up to this size, by Delta's default. */
  static final long OPTIMIZED_FILE_BYTES = 1L << 30;

  /** The connections of an agent's client while it starts: bootstrap and broker. */
  static final int CONNECTIONS_AT_START = 2;

  private static final double SECONDS_PER_DAY = Duration.ofDays(1).toSeconds();
  private static final double SECONDS_PER_HOUR = Duration.ofHours(1).toSeconds();

  /** Spark starts batches at multiples of the trigger, so an application's come together. */
  double heartbeats() {
    long inEachGap = load.trigger().dividedBy(load.heartbeat());
    return load.agents() * inEachGap / seconds(load.trigger());
  }

  double records() {
    return load.queries() / seconds(load.trigger()) + heartbeats();
  }

  /** A flush's records of one query have one key, and so one partition. */
  double batches() {
    double together = seconds(load.flush()) / seconds(load.trigger());
    double fit = BATCH_BYTES / (double) (load.recordBytes() + BYTES_AROUND_RECORD);
    return records() / Math.max(1, Math.floor(Math.min(together, fit)));
  }

  double ingressBytes() {
    return records() * (load.recordBytes() + BYTES_AROUND_RECORD) + batches() * BYTES_AROUND_BATCH;
  }

  double catchUpEgressBytes() {
    return HEADROOM * ingressBytes();
  }

  /** Of one agent, in a second. */
  double recordsOfAnAgent() {
    return Math.ceil(load.queries() / (double) load.agents()) / seconds(load.trigger());
  }

  /** How long the broker may be away until an agent has to drop its oldest records. */
  double bufferSeconds() {
    return BUFFER_CAPACITY / recordsOfAnAgent();
  }

  long partitions() {
    long byBytes = Numbers.up(HEADROOM * ingressBytes() / EventHubs.INGRESS_BYTES_PER_TU);
    long byRecords = Numbers.up(HEADROOM * records() / EventHubs.INGRESS_EVENTS_PER_TU);
    return Math.max(cores(), Math.max(byBytes, byRecords));
  }

  double topicBytesPerDay() {
    return ingressBytes() * SECONDS_PER_DAY;
  }

  double topicBytes() {
    return topicBytesPerDay() * load.topicDays();
  }

  long throughputUnits() {
    return EventHubs.throughputUnits(
        ingressBytes(), records(), catchUpEgressBytes(), HEADROOM * records());
  }

  double storedBytesIncluded() {
    return (double) throughputUnits() * EventHubs.STORED_BYTES_PER_TU;
  }

  long cores() {
    return Math.max(1, Numbers.up(HEADROOM * records() / load.recordsPerSecondPerCore()));
  }

  long executors() {
    return Numbers.up(cores() / (double) CORES_PER_EXECUTOR);
  }

  double catchUpSeconds() {
    return catchUpSeconds(coresRecords());
  }

  /** The same where the topic is an event hub, which gives no more than its throughput units. */
  double eventHubsCatchUpSeconds() {
    double bytes = ingressBytes() / records();
    double given =
        throughputUnits()
            * Math.min(
                EventHubs.EGRESS_BYTES_PER_TU / bytes, (double) EventHubs.EGRESS_EVENTS_PER_TU);
    return catchUpSeconds(Math.min(given, coresRecords()));
  }

  private double coresRecords() {
    return (double) cores() * load.recordsPerSecondPerCore();
  }

  private double catchUpSeconds(double recordsPerSecond) {
    return OUTAGE.toSeconds() * records() / (recordsPerSecond - records());
  }

  double rowsPerDay() {
    return records() * SECONDS_PER_DAY;
  }

  double tableBytesPerDay() {
    return rowsPerDay() * load.bytesPerRow();
  }

  double tableBytes() {
    return tableBytesPerDay() * load.tableDays();
  }

  /** Batches without a message are not written. */
  double commitsPerHour() {
    return SECONDS_PER_HOUR * Math.min(1 / seconds(load.consumerTrigger()), records());
  }

  double filesPerDay() {
    double rowsOfABatch = records() * seconds(load.consumerTrigger());
    long files = Math.max(1, Numbers.up(rowsOfABatch / FileShape.ROWS_PER_FILE));
    return commitsPerHour() * 24 * Math.min(files, partitions());
  }

  double filesPerDayMaintained() {
    double full = (double) Math.max(1, Numbers.up(tableBytesPerDay() / OPTIMIZED_FILE_BYTES));
    return Math.min(filesPerDay(), full);
  }

  double firstLookRows() {
    return rowsPerDay() * Math.min(DAYS_OF_A_LOOK, load.tableDays());
  }

  double firstLookCoreSeconds() {
    return firstLookRows() / Measured.LOOK_ROWS_PER_SECOND_PER_CORE;
  }

  double laterLookRows() {
    return rowsPerDay() / 24 * HOURS_OF_A_LATER_LOOK;
  }

  double laterLookCoreSeconds() {
    return laterLookRows() / Measured.LOOK_ROWS_PER_SECOND_PER_CORE;
  }

  private static double seconds(Duration duration) {
    return duration.toMillis() / 1000.0;
  }
}
