package io.streampulse.consumer;

import java.time.Duration;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's async progress tracking: offsets and commits of the checkpoint are written beside the
 * micro-batch, at an interval.
 *
 * <p>Spark admits only a few sinks with it, foreachBatch not among them, because after a stop it
 * runs batch ids again with other offsets. What is appended here is told apart by Kafka
 * coordinates, never by batch id, so the check is overridden.
 */
final class AsyncProgress {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncProgress.class);

  private AsyncProgress() {}

  static void enable(DataStreamWriter<Row> writer, Duration interval) {
    LOG.info(
        "Async progress tracking, every {} ms; Spark's check of the sink is overridden"
            + " (_asyncProgressTrackingOverrideSinkSupportCheck)",
        interval.toMillis());
    writer
        .option("asyncProgressTrackingEnabled", "true")
        .option("asyncProgressTrackingCheckpointIntervalMs", String.valueOf(interval.toMillis()))
        .option("_asyncProgressTrackingOverrideSinkSupportCheck", "true");
  }
}
