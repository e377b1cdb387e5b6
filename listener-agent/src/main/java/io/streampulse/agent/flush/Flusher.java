package io.streampulse.agent.flush;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent's one thread: collects events soon after they arrive, and publishes at the interval or
 * when the outbox is half full.
 *
 * <p>Thread-safe. {@link #close} is idempotent and never waits longer than told.
 */
public final class Flusher {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  /** How soon events are mapped after they arrive, nobody having to wake the thread. */
  private static final long COLLECT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Supplier<FlushCycle> cycleSource;
  private final long flushNanos;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile long deadline;

  /**
   * @param cycleSource builds the cycle, on the flusher's thread
   */
  public Flusher(Supplier<FlushCycle> cycleSource, Duration flushInterval) {
    this.cycleSource = cycleSource;
    this.flushNanos = flushInterval.toNanos();
    this.thread = new Thread(this::run, "streampulse-flusher");
    thread.setDaemon(true);
    thread.setContextClassLoader(Flusher.class.getClassLoader());
    thread.setUncaughtExceptionHandler(
        (t, e) -> LOG.error("The agent has stopped: its flusher thread died", e));
  }

  public void start() {
    thread.start();
  }

  /** Publishes the rest and ends the thread; returns when it has, or at the timeout. */
  public void close(Duration timeout) {
    if (!stopping) {
      deadline = System.nanoTime() + timeout.toNanos();
      stopping = true;
    }
    LockSupport.unpark(thread);
    if (Thread.currentThread() == thread) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    while (thread.isAlive() && System.nanoTime() - deadline < 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1_000_000, deadline - System.nanoTime()));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (thread.isAlive()) {
      thread.interrupt();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void failed(Throwable failure) {
    try {
      LOG.debug("A round of the flusher failed", failure);
    } catch (Throwable e) { // the logger is no reason to stop either
      return;
    }
  }

  private void run() {
    FlushCycle cycle = cycleSource.get();
    long nextFlush = System.nanoTime() + flushNanos;
    while (!stopping) {
      LockSupport.parkNanos(this, Math.min(COLLECT_NANOS, flushNanos));
      try {
        cycle.collect();
        boolean heartbeat = cycle.heartbeat();
        if (System.nanoTime() - nextFlush >= 0) {
          nextFlush = System.nanoTime() + flushNanos;
          cycle.publish();
        } else if (heartbeat || cycle.isPressing()) {
          cycle.publish();
        }
      } catch (Throwable e) {
        failed(e); // as in a driver that is out of memory for a moment; the next round may do
      }
    }
    // Done before close gives up, so that what is lost is in the counts that are said at the end.
    cycle.finish(Duration.ofNanos(Math.max(0, deadline - System.nanoTime()) / 10 * 9));
  }
}
