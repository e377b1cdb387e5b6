package io.streampulse.consumer;

import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.checkpoint.Condition;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQueryException;

/**
 * Leaves async progress tracking in the documented way: two micro-batches with the checkpoint
 * interval 0, then stop. A micro-batch needs messages; each takes as few as it can, so that a small
 * backlog is enough for two.
 */
public final class CheckpointSettler {
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);
  private static final Duration STOP = Duration.ofSeconds(60);
  private static final Duration REPORT_EVERY = Duration.ofSeconds(10);
  private static final long FEW_MESSAGES = 1;

  private final SparkSession spark;
  private final ConsumerConfig config;
  private final Consumer<String> say;

  /**
   * A settler of the checkpoint that the settings name.
   *
   * @param say tells the operator how far it is
   */
  public CheckpointSettler(SparkSession spark, ConsumerConfig config, Consumer<String> say) {
    this.spark = spark;
    this.config = config;
    this.say = say;
  }

  /**
   * Settles it.
   *
   * @param timeout longest wait for messages
   * @return whether sync progress tracking can start from it now
   * @throws StreamingQueryException if the query fails meanwhile
   */
  public boolean settle(Duration timeout) throws StreamingQueryException, InterruptedException {
    CheckpointState before = state();
    if (before.condition() == Condition.NEW || before.condition().canStart(false)) {
      say.accept("nothing to settle: " + before.condition().words());
      return true;
    }
    say.accept(
        "checkpoint %s: %s. Two micro-batches follow"
            .formatted(config.checkpoint(), before.condition().words()));
    HealthConsumer consumer =
        HealthConsumer.start(
            spark, config.settling(ConsumerTrigger.every(Duration.ofSeconds(1)), FEW_MESSAGES));
    boolean inTime;
    try {
      inTime = awaitTwoBatches(consumer, timeout);
    } finally {
      consumer.stop(STOP);
    }
    CheckpointState after = state();
    if (after.condition().canStart(false)) {
      say.accept("settled: sync progress tracking can start from batch " + next(after));
      return true;
    }
    say.accept(
        (inTime ? "not settled: " : "no messages came in time, so the micro-batches are missing: ")
            + after.condition().words()
            + ". \"health-consumer checkpoint repair "
            + config.checkpoint()
            + " --state "
            + after.condition().letter()
            + " --apply\" needs no messages");
    return false;
  }

  private boolean awaitTwoBatches(HealthConsumer consumer, Duration timeout)
      throws StreamingQueryException, InterruptedException {
    long start = System.nanoTime();
    long reported = start;
    while (System.nanoTime() - start < timeout.toNanos()) {
      if (consumer.query().awaitTermination(LOOK_EVERY.toMillis())) {
        return false;
      }
      long batches =
          Arrays.stream(consumer.query().recentProgress())
              .filter(progress -> progress.numInputRows() > 0) // else it was idle
              .count();
      if (batches >= 2 && state().condition().canStart(false)) {
        return true;
      }
      if (System.nanoTime() - reported > REPORT_EVERY.toNanos()) {
        reported = System.nanoTime();
        say.accept("%d micro-batches done, waiting for messages for the next".formatted(batches));
      }
    }
    return false;
  }

  private static long next(CheckpointState state) {
    long last = state.newestOffsets().orElse(-1);
    return state.condition() == Condition.CLEAN ? last + 1 : last;
  }

  private CheckpointState state() {
    return CheckpointState.of(
        CheckpointDirectory.at(config.checkpoint(), spark.sparkContext().hadoopConfiguration()));
  }
}
