package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Takes times of the parts of an exactly-once append. It stands in the package it measures, whose
 * classes are nobody else's business.
 */
public final class GuardMeasurement {
  private final SparkSession spark;
  private final TableName table;
  private final String topic;

  public GuardMeasurement(SparkSession spark, TableName table, String topic) {
    this.spark = spark;
    this.table = table;
    this.topic = topic;
  }

  /** A new run's appender: fence and highest offsets. */
  public TableAppender open() {
    TableAppender appender =
        new TableAppender(
            table, topic, RunInfo.starting(), "benchmark", new FileShape(OptionalInt.empty()));
    appender.open(spark);
    return appender;
  }

  /** How many files a comparison of the batch with the table reads. */
  public int filesRead(Dataset<Row> batch, Map<Integer, Long> marks) {
    ReplayGuard guard = new ReplayGuard(topic, marks);
    return guard.candidates(guard.suspects(batch), spark.table(table.sql())).inputFiles().length;
  }

  /** Nanoseconds of all that is not the append itself, once the guard is done. */
  public long idleOverheadNanos() {
    ReplayGuard guard = new ReplayGuard(topic, Map.of());
    Optional<Positions> at = Optional.of(new Positions(Map.of(0, 1L), Map.of(0, 1L)));
    long start = System.nanoTime();
    guard.advance(at);
    OptionalLong commit = SkipDetection.commitOf(spark, () -> {});
    long nanos = System.nanoTime() - start;
    if (!guard.isDone() || commit.isPresent()) {
      throw new IllegalStateException("not idle");
    }
    return nanos;
  }
}
