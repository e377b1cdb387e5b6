package io.streampulse.consumer.source;

import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Ends the wait for a broker that says nothing. Where Spark looks up offsets by a consumer (see
 * {@link KafkaSource#usesConsumerForOffsets}) it polls without an end, and tells nobody.
 *
 * <p>{@link #check} on one thread, from time to time; Spark's events may come on another.
 */
@SuppressWarnings("serial") // Spark's listener is serializable; this one never is serialized
public final class SourceWatchdog extends StreamingQueryListener {
  private final UUID runId;
  private final Duration patience;
  private final BooleanSupplier mayAskSource;
  private final Runnable look;
  private final LongSupplier nanoTime;
  private volatile long heard;

  /**
   * Watches a run of a query from now on.
   *
   * @param patience the longest silence
   * @param mayAskSource whether the query is at work at something other than its micro-batch
   * @param look asks the broker, and throws if it does not answer
   * @param nanoTime as {@link System#nanoTime}
   */
  public SourceWatchdog(
      UUID runId,
      Duration patience,
      BooleanSupplier mayAskSource,
      Runnable look,
      LongSupplier nanoTime) {
    this.runId = runId;
    this.patience = patience;
    this.mayAskSource = mayAskSource;
    this.look = look;
    this.nanoTime = nanoTime;
    heard = nanoTime.getAsLong();
  }

  /**
   * Looks for itself if nothing was heard of the query for too long.
   *
   * @throws RuntimeException as the look does
   */
  public void check() {
    if (!mayAskSource.getAsBoolean()) {
      hear();
    } else if (nanoTime.getAsLong() - heard > patience.toNanos()) {
      look.run();
      hear();
    }
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {}

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    if (event.progress().runId().equals(runId)) {
      hear();
    }
  }

  @Override
  public void onQueryIdle(QueryIdleEvent event) {
    if (event.runId().equals(runId)) {
      hear();
    }
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {}

  private void hear() {
    heard = nanoTime.getAsLong();
  }
}
