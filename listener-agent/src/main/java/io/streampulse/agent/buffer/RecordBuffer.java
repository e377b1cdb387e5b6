package io.streampulse.agent.buffer;

import java.time.Clock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
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
 * thread drains.
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
    // Closed meanwhile: the last drain may have missed it.
    if (closed && lane.remove(stamped)) {
      size.decrementAndGet();
      accounting.dropped(DropReason.CLOSED);
    }
  }

  /** Takes all events out, oldest first. */
  public List<StampedEvent> drain() {
    List<StampedEvent> drained = new ArrayList<>();
    take(lifecycle, drained);
    take(progress, drained);
    drained.sort(Comparator.comparingLong(StampedEvent::sequence));
    return drained;
  }

  /** How many events are held. */
  public int size() {
    return size.get();
  }

  /** From now on events are dropped; what is held can still be drained. */
  public void close() {
    closed = true;
  }

  private void take(Queue<StampedEvent> lane, List<StampedEvent> into) {
    StampedEvent event;
    // What arrives while we drain is for the next time, so that the drain ends.
    for (int left = capacity; left > 0 && (event = lane.poll()) != null; left--) {
      size.decrementAndGet();
      into.add(event);
    }
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
