package io.streampulse.benchmarks;

import io.streampulse.testing.HealthMessages;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Sends numbered records at a steady rate, on a thread of its own, until it is closed. */
final class SteadyLoad implements AutoCloseable {
  private static final Duration TICK = Duration.ofMillis(20);

  private final HealthMessages messages;
  private final double perTick;
  private final ScheduledExecutorService thread;
  private final Future<?> ticks;
  private double sent;

  /** Starts to send; closes the writer at the end. */
  SteadyLoad(HealthMessages messages, int recordsPerSecond) {
    this.messages = messages;
    this.perTick = recordsPerSecond * TICK.toMillis() / 1000.0;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            work -> {
              Thread thread = new Thread(work, "steady-load");
              thread.setDaemon(true);
              return thread;
            });
    this.ticks = thread.scheduleAtFixedRate(this::tick, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long from = (long) sent;
    sent += perTick;
    messages.send(from, (long) sent);
  }

  /**
   * Checks that it still sends.
   *
   * @throws IllegalStateException if the broker refused a record
   */
  void requireRunning() {
    if (ticks.isDone()) {
      throw new IllegalStateException("The load on the topic ended before the measurement");
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.shutdown();
    if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
      thread.shutdownNow();
    }
    messages.close();
  }
}
