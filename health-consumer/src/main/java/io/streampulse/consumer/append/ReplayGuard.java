package io.streampulse.consumer.append;

import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/**
 * <b>Invariant 4, replay guard.</b> After the fence the run knows the highest offset in the table
 * for each partition, its mark. While a batch can hold offsets at or below it, those rows are
 * anti-joined with the table on {@linkplain RowIdentity identity}; a partition that has passed its
 * mark leaves the guard, and once none is left appends cost nothing extra.
 *
 * <p>A partition has also passed when the run has read all that was in it after the fence: what is
 * produced later can't be in the table. So a topic that was made anew, whose offsets begin below
 * the marks, does not stay in the guard for ever.
 *
 * <p>The table is asked only for the batch's own ranges of offsets and record timestamps, columns
 * for which Delta keeps statistics: it reads the files that overlap with them, however large the
 * table.
 *
 * <p>Not thread-safe.
 */
final class ReplayGuard {
  /** More ranges than this are asked for as one. */
  private static final int MOST_RANGES = 64;

  private final String topic;
  private final Map<Integer, Long> marks;
  private int batches;

  /**
   * A guard over all partitions that have rows in the table.
   *
   * @param marks highest offset in the table by partition
   */
  ReplayGuard(String topic, Map<Integer, Long> marks) {
    this.topic = topic;
    this.marks = new TreeMap<>(marks);
  }

  /** Whether every partition has passed its mark. */
  boolean isDone() {
    return marks.isEmpty();
  }

  /**
   * Lets partitions go that have passed.
   *
   * @param positions where the run stands before the next batch; empty for its first
   */
  void advance(Optional<Positions> positions) {
    boolean plannedAfterTheFence = batches++ >= 2;
    positions.ifPresent(
        at ->
            marks
                .entrySet()
                .removeIf(
                    mark ->
                        at.next().getOrDefault(mark.getKey(), 0L) > mark.getValue()
                            || (plannedAfterTheFence && at.atEnd(mark.getKey()))));
  }

  /**
   * What of a batch can be in the table already.
   *
   * @param rows the batch, which is read once for this
   */
  Suspects suspects(Dataset<Row> rows) {
    List<Range> ranges =
        rows
            .groupBy(functions.col(RowIdentity.PARTITION))
            .agg(
                functions.min(RowIdentity.OFFSET),
                functions.max(RowIdentity.OFFSET),
                functions.min(RowIdentity.TIMESTAMP),
                functions.max(RowIdentity.TIMESTAMP),
                functions.count(functions.lit(1)))
            .collectAsList()
            .stream()
            .map(Range::of)
            .toList();
    return new Suspects(
        ranges.stream().mapToLong(Range::rows).sum(),
        ranges.stream()
            .filter(range -> range.from() <= marks.getOrDefault(range.partition(), -1L))
            .toList());
  }

  /**
   * The rows of a batch, and which of its ranges reach below the marks.
   *
   * @param rows how many rows the batch has
   */
  record Suspects(long rows, List<Range> ranges) {}

  /** The table's rows that the batch's rows can repeat: all that is read of it. */
  Dataset<Row> candidates(Suspects suspects, Dataset<Row> table) {
    return table.where(overlap(suspects.ranges()));
  }

  private Column overlap(List<Range> ranges) {
    Column whole = Range.around(ranges);
    Column each =
        ranges.size() > MOST_RANGES
            ? functions.lit(true)
            : ranges.stream().map(Range::condition).reduce(Column::or).orElseThrow();
    return functions.col(RowIdentity.TOPIC).equalTo(topic).and(whole).and(each);
  }

  /** The rows of one partition in a batch: offsets and record timestamps, both ends included. */
  record Range(int partition, long from, long to, Timestamp first, Timestamp last, long rows) {
    static Range of(Row row) {
      return new Range(
          row.getInt(0),
          row.getLong(1),
          row.getLong(2),
          timestamp(row.get(3)),
          timestamp(row.get(4)),
          row.getLong(5));
    }

    /** A session may have spark.sql.datetime.java8API.enabled. */
    private static Timestamp timestamp(Object value) {
      return value instanceof Instant instant ? Timestamp.from(instant) : (Timestamp) value;
    }

    static Column around(List<Range> ranges) {
      return between(
          ranges.stream().mapToLong(Range::from).min().orElseThrow(),
          ranges.stream().mapToLong(Range::to).max().orElseThrow(),
          ranges.stream().map(Range::first).min(Timestamp::compareTo).orElseThrow(),
          ranges.stream().map(Range::last).max(Timestamp::compareTo).orElseThrow());
    }

    Column condition() {
      return functions
          .col(RowIdentity.PARTITION)
          .equalTo(partition)
          .and(between(from, to, first, last));
    }

    private static Column between(long from, long to, Timestamp first, Timestamp last) {
      return functions
          .col(RowIdentity.OFFSET)
          .between(from, to)
          .and(functions.col(RowIdentity.TIMESTAMP).between(first, last));
    }
  }
}
