package io.streampulse.benchmarks;

import java.util.List;
import java.util.regex.Pattern;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/** Attached to the consumer by Spark conf, prints how long each micro-batch with rows took. */
public final class BatchLog extends StreamingQueryListener {
  private static final Pattern LINE = Pattern.compile("bench: batch of (\\d+) rows took (\\d+) ms");

  /** Used by Spark. */
  public BatchLog() {}

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    StreamingQueryProgress progress = event.progress();
    if (progress.numInputRows() > 0) {
      System.out.println(
          "bench: batch of %d rows took %d ms"
              .formatted(progress.numInputRows(), progress.batchDuration()));
    }
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {}

  /** The batches that a log tells of. */
  static List<Batch> batches(String log) {
    return LINE.matcher(log)
        .results()
        .map(found -> new Batch(Long.parseLong(found.group(1)), Long.parseLong(found.group(2))))
        .toList();
  }

  record Batch(long rows, long millis) {}
}
