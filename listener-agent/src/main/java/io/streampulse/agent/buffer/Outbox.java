package io.streampulse.agent.buffer;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Records that wait for the publisher. Bounded by count with the same rule as {@link RecordBuffer}:
 * the oldest PROGRESS or IDLE goes first.
 *
 * <p>Not thread-safe: the flusher thread's own. {@link #size()} may be read from any thread.
 */
public final class Outbox {
  private final int capacity;
  private final Accounting accounting;
  private final Deque<HealthRecord> records = new ArrayDeque<>();
  private volatile int size;

  /**
   * @param capacity most records held
   */
  public Outbox(int capacity, Accounting accounting) {
    this.capacity = capacity;
    this.accounting = accounting;
  }

  public void add(HealthRecord record) {
    records.addLast(record);
    if (records.size() > capacity) {
      dropOldest();
    }
    size = records.size();
  }

  /** A copy of what waits, oldest first. */
  public List<HealthRecord> pending() {
    return new ArrayList<>(records);
  }

  /** Forgets the oldest records: someone else has taken them over. */
  public void removeOldest(int count) {
    for (int i = 0; i < count; i++) {
      records.removeFirst();
    }
    size = records.size();
  }

  /** Drops all that waits. */
  public void dropAll(DropReason reason) {
    records.forEach(record -> accounting.dropped(reason));
    records.clear();
    size = 0;
  }

  public int size() {
    return size;
  }

  private void dropOldest() {
    for (Iterator<HealthRecord> oldestFirst = records.iterator(); oldestFirst.hasNext(); ) {
      EventType type = oldestFirst.next().getEventType();
      if (type == EventType.PROGRESS || type == EventType.IDLE) {
        oldestFirst.remove();
        accounting.dropped(DropReason.BUFFER_FULL);
        return;
      }
    }
    records.removeFirst();
    accounting.dropped(DropReason.BUFFER_FULL);
  }
}
