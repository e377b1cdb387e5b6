package io.streampulse.agent.buffer;

import java.time.Clock;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * Where the listener's callbacks leave events for the flusher thread. Bounded by count: when it is
 * full the oldest progress or idle event is dropped, and starts and ends of runs only when nothing
 * else is left.
 *
 * <p>{@link #offer} is safe from any thread, takes no lock, waits for nothing and is O(1). One
 * thread polls.
 */
public final class RecordBuffer {
  private final int capacity;
  private final Accounting accounting;
  private final Clock clock;
  private final Queue<StampedEvent> lifecycle = new ConcurrentLinkedQueue<>();
  private final Queue<StampedEvent> progress = new ConcurrentLinkedQueue<>();
  private final AtomicInteger size = new AtomicInteger();
  private volatile boolean closed;

  /**
   * @param capacity most events held
   */
  public RecordBuffer(int capacity, Accounting accounting, Clock clock) {
    this.capacity = capacity;
    this.accounting = accounting;
    this.clock = clock;
  }

  /** Takes an event; drops an older one if there is no room, and this one if it is closed. */
  public void offer(StreamingQueryListener.Event event) {
    long sequence = accounting.nextSequence();
    try {
      add(new StampedEvent(sequence, clock.millis(), event));
    } catch (Throwable e) { // no memory: it has its number, so it is counted
      accounting.dropped(DropReason.ENCODE_FAILED);
      throw e;
    }
  }

  private void add(StampedEvent stamped) {
    if (closed) {
      accounting.dropped(DropReason.CLOSED);
      return;
    }
    Queue<StampedEvent> lane = stamped.isLifecycle() ? lifecycle : progress;
    lane.add(stamped);
    if (size.incrementAndGet() > capacity) {
      dropOldest();
    }
    // Closed meanwhile: the last poll may have missed it.
    if (closed && lane.remove(stamped)) {
      size.decrementAndGet();
      accounting.dropped(DropReason.CLOSED);
    }
  }

  /** Takes the oldest event out; null where there is none. */
  public StampedEvent poll() {
    boolean progressFirst = sequence(progress.peek()) < sequence(lifecycle.peek());
    StampedEvent event = (progressFirst ? progress : lifecycle).poll();
    if (event == null) { // dropped meanwhile, or none there
      event = (progressFirst ? lifecycle : progress).poll();
    }
    if (event != null) {
      size.decrementAndGet();
    }
    return event;
  }

  /** How many events are held. */
  public int size() {
    return size.get();
  }

  /** From now on events are dropped; what is held can still be polled. */
  public void close() {
    closed = true;
  }

  private static long sequence(StampedEvent event) {
    return event == null ? Long.MAX_VALUE : event.sequence();
  }

  private void dropOldest() {
    StampedEvent victim = progress.poll();
    if (victim == null) {
      victim = lifecycle.poll();
    }
    if (victim != null) {
      size.decrementAndGet();
      accounting.dropped(DropReason.BUFFER_FULL);
    }
  }
}
