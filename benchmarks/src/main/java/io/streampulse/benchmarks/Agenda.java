package io.streampulse.benchmarks;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/**
 * What is to be done at which time, one after the other on the thread that runs it. What comes too
 * late because something else took long is done then.
 *
 * <p>Not thread-safe.
 */
final class Agenda {
  private final PriorityQueue<Entry> entries =
      new PriorityQueue<>(Comparator.comparingLong(Entry::nanos));

  /** Adds something that is to be done after a while. */
  void in(Duration wait, Action action) {
    entries.add(new Entry(System.nanoTime() + wait.toNanos(), action));
  }

  /** Does what there is to do, and what that adds, for so long. */
  void run(Duration time) throws Exception {
    long until = System.nanoTime() + time.toNanos();
    while (!entries.isEmpty() && entries.peek().nanos() < until) {
      Entry next = entries.remove();
      TimeUnit.NANOSECONDS.sleep(next.nanos() - System.nanoTime());
      next.action().run();
    }
    TimeUnit.NANOSECONDS.sleep(until - System.nanoTime());
  }

  /** Something to do. */
  interface Action {
    void run() throws Exception;
  }

  private record Entry(long nanos, Action action) {}
}
