package io.streampulse.consumer;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a query be stopped between two micro-batches instead of in the middle of one.
 *
 * <p>Thread-safe: batches run on the query's thread, the stop comes from another.
 */
final class BatchGate {
  private static final Logger LOG = LoggerFactory.getLogger(BatchGate.class);

  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Runs a micro-batch's work.
   *
   * @throws InterruptedException if the query is stopped while the work waits to begin: Spark stops
   *     a query by interrupting its thread and waiting for it, so the wait must give way
   */
  void run(Runnable batch) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      batch.run();
    } finally {
      lock.unlock();
    }
  }

  /** Whether a micro-batch's work is under way. */
  boolean isBusy() {
    return lock.isLocked();
  }

  /**
   * Stops the query when no batch runs, and keeps new ones from beginning meanwhile. After the
   * timeout, or an interrupt, it is stopped all the same.
   */
  void stopWhenIdle(Duration timeout, Runnable stop) {
    boolean idle = false;
    boolean interrupted = false;
    try {
      idle = lock.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (!idle) {
        LOG.warn(
            "The running micro-batch did not end in {} s: it is interrupted", timeout.toSeconds());
      }
    } catch (InterruptedException e) {
      interrupted = true;
    }
    try {
      stop.run();
    } finally {
      if (idle) {
        lock.unlock();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
