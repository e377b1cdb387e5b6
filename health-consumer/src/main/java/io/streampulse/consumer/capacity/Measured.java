package io.streampulse.consumer.capacity;

/**
 * What one record and one core cost, as measured. Each figure is in {@code docs/performance.md}
 * under the name of its benchmark; {@code docs/capacity.md} says what it stands for.
 */
public final class Measured {
  /**
   * Bytes of a message, without its key: a query that reads one topic of 12 partitions, in Avro
   * single-object encoding. From {@code bench wire}.
   */
  public static final int RECORD_BYTES = 990;

  /**
   * Records that the consumer reads, decodes and appends in a second on one core while it works off
   * a backlog. From {@code bench catch-up}, which found 8,800 and 14,068 on two machines.
   */
  public static final int RECORDS_PER_SECOND_PER_CORE = 8_000;

  /**
   * Bytes of a row in the Delta table after {@code maintain}, at 1,000 records a second in batches
   * of 10 s; 340 to 460 before it. From {@code bench storage}.
   */
  public static final int BYTES_PER_ROW = 330;

  /**
   * Rows that a first look at the fleet gets through in a second on one core: 2,016,000 of the last
   * seven days in 50.5 s on two. From {@code bench fleet}.
   */
  static final int LOOK_ROWS_PER_SECOND_PER_CORE = 20_000;

  /** How long an append of a small batch takes. From {@code bench guard}. */
  static final double APPEND_SECONDS = 1.3;

  private Measured() {}
}
