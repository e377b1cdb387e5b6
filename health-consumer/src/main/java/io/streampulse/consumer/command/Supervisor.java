package io.streampulse.consumer.command;

import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.append.FencedException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a consumer running: one that failed by something that may pass is started again, with
 * pauses that grow from a second to a minute; one that failed by something that another start does
 * not mend is not. After ten minutes without a failure the count begins anew.
 *
 * <p>{@link #run} on one thread, {@link #stop} from any.
 */
final class Supervisor {
  private static final Logger LOG = LoggerFactory.getLogger(Supervisor.class);
  private static final Duration LAST_BATCH = Duration.ofSeconds(10);
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
  private static final Duration RECOVERED = Duration.ofMinutes(10);

  private final Run run;
  private final String topic;
  private final int maxRestarts;
  private final Consumer<String> say;
  private final CountDownLatch stopped = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Running consumer;

  /** The last one that has locked older runs out; only it can ask whether it may go on. */
  private Running lastFencing;

  /**
   * A supervisor that has not started anything.
   *
   * @param run starts the consumer
   * @param topic for messages
   * @param maxRestarts most restarts in a row
   * @param say tells the operator
   */
  Supervisor(Run run, String topic, int maxRestarts, Consumer<String> say) {
    this.run = run;
    this.topic = topic;
    this.maxRestarts = maxRestarts;
    this.say = say;
  }

  /**
   * Runs the consumer until it ends or is stopped.
   *
   * @throws ConsumerFailedException if it failed for good
   */
  void run() throws ConsumerFailedException {
    try {
      int restarts = 0;
      while (true) {
        long start = System.nanoTime();
        try {
          runOnce();
          return;
        } catch (InterruptedException e) {
          if (consumer != null) {
            consumer.stop(LAST_BATCH);
          }
          throw e;
        } catch (Exception | LinkageError e) {
          if (isStopped()) {
            return;
          }
          if (System.nanoTime() - start > RECOVERED.toNanos()) {
            restarts = 0;
          }
          Failure failure = judge(e);
          if (!failure.kind().isRestarted() || restarts == maxRestarts || !run.isPossible()) {
            throw new ConsumerFailedException(failure, e);
          }
          restarts++;
          Duration pause = pause(restarts);
          say.accept(
              "restart %d of %d in %.1f s: %s"
                  .formatted(restarts, maxRestarts, pause.toMillis() / 1000.0, failure.message()));
          if (stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
            return;
          }
          failure = judge(e); // another run may have taken over in the pause
          if (!failure.kind().isRestarted()) {
            throw new ConsumerFailedException(failure, e);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ended.countDown();
    }
  }

  /** Ends the consumer after its running micro-batch, and keeps it from being started again. */
  void stop(Duration timeout) {
    stopped.countDown();
    Running running = consumer;
    if (running != null) {
      running.stop(timeout);
    }
    try {
      if (!ended.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        say.accept("it did not end within " + timeout.toSeconds() + " s");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void runOnce() throws Exception {
    consumer = null;
    Running next = run.next();
    try {
      next.start();
    } finally {
      if (next.isFencing()) { // one that failed after that has locked out the run before it
        lastFencing = next;
      }
    }
    consumer = next;
    if (isStopped()) {
      next.stop(LAST_BATCH);
    }
    next.awaitTermination();
  }

  /** An older run that failed by chance must not start again and lock the newer one out. */
  private Failure judge(Throwable failed) {
    Failure failure = Failure.of(failed, topic);
    if (failure.kind().isRestarted() && lastFencing != null && run.isPossible()) {
      try {
        lastFencing.requireNotFenced();
      } catch (FencedException e) {
        return Failure.of(e, topic);
      } catch (Exception | LinkageError e) {
        LOG.debug("The table does not answer just now", e);
      }
    }
    return failure;
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  private static Duration pause(int restarts) {
    long longest = Math.min(LONGEST_PAUSE.toMillis(), 1000L << Math.min(restarts, 10));
    return Duration.ofMillis(longest / 2 + ThreadLocalRandom.current().nextLong(longest / 2 + 1));
  }

  /** Makes consumers. */
  interface Run {
    /** One that has not started yet. */
    Running next();

    /** Whether another start can do anything at all. */
    default boolean isPossible() {
      return true;
    }
  }

  /** A consumer of one run. */
  interface Running {
    void start() throws Exception;

    /** Whether it has begun to lock older runs out; also of one whose start has failed. */
    boolean isFencing();

    void awaitTermination() throws StreamingQueryException;

    void stop(Duration timeout);

    /**
     * Asks whether another run has taken over, where it {@link #isFencing}.
     *
     * @throws FencedException if so
     */
    void requireNotFenced();

    /**
     * A health consumer.
     *
     * @param started is run when it has started
     */
    static Running of(HealthConsumer consumer, Runnable started) {
      return new Running() {
        @Override
        public void start() {
          consumer.start();
          started.run();
        }

        @Override
        public boolean isFencing() {
          return consumer.isFencing();
        }

        @Override
        public void awaitTermination() throws StreamingQueryException {
          consumer.awaitTermination();
        }

        @Override
        public void stop(Duration timeout) {
          consumer.stop(timeout);
        }

        @Override
        public void requireNotFenced() {
          consumer.requireNotFenced();
        }
      };
    }
  }
}
