package io.streampulse.agent.buffer;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts every record of one agent from its making to its end, so that at rest
 *
 * <pre>produced = published + dropped (by reason) + still on the way</pre>
 *
 * <p>The produced count is also where sequence numbers come from. Thread-safe; never blocks.
 */
public final class Accounting {
  private final AtomicLong produced = new AtomicLong();
  private final AtomicLong published = new AtomicLong();
  private final Map<DropReason, AtomicLong> dropped = new EnumMap<>(DropReason.class);

  public Accounting() {
    for (DropReason reason : DropReason.values()) {
      dropped.put(reason, new AtomicLong());
    }
  }

  /** Counts a new record and gives it its number, from 0. */
  public long nextSequence() {
    return produced.getAndIncrement();
  }

  /** The broker has acknowledged a record. */
  public void published() {
    published.incrementAndGet();
  }

  /** A record is lost. */
  public void dropped(DropReason reason) {
    dropped.get(reason).incrementAndGet();
  }

  public long producedCount() {
    return produced.get();
  }

  public long publishedCount() {
    return published.get();
  }

  /**
   * Records that are neither published nor dropped. Read while others go on it may be a little
   * high, by what is produced during the call, and is never negative: ends are read before
   * beginnings.
   */
  public long onTheWay() {
    long ended = published.get() + droppedCount();
    return produced.get() - ended;
  }

  public long droppedCount() {
    return dropped.values().stream().mapToLong(AtomicLong::get).sum();
  }

  public long droppedCount(DropReason reason) {
    return dropped.get(reason).get();
  }

  /** Drop counts by the reason's key; reasons that never happened are left out. */
  public Map<String, Long> droppedByReason() {
    Map<String, Long> counts = new TreeMap<>();
    dropped.forEach(
        (reason, count) -> {
          if (count.get() > 0) {
            counts.put(reason.key(), count.get());
          }
        });
    return counts;
  }
}
