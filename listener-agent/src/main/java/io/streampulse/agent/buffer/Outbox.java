package io.streampulse.agent.buffer;

import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * Records that wait for the publisher. Bounded by count and by bytes, with the same rule as {@link
 * RecordBuffer}: the oldest PROGRESS, IDLE or HEARTBEAT goes first, starts and ends of runs last.
 *
 * <p>Not thread-safe: the flusher thread's own. {@link #size()} and {@link #bytes()} may be read
 * from any thread.
 */
public final class Outbox {
  /** More than the messages of nearly all records have. */
  private static final int USUAL_BYTES = 10_000;

  private final int capacity;
  private final long maxBytes;
  private final Accounting accounting;
  private final Deque<Waiting> records = new ArrayDeque<>();
  private volatile int size;
  private volatile long bytes;

  /**
   * @param capacity most records held
   * @param maxBytes most bytes held, as messages
   */
  public Outbox(int capacity, long maxBytes, Accounting accounting) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
    this.accounting = accounting;
  }

  /**
   * Takes a record, and drops older ones if there is no room.
   *
   * @param recordBytes its size as a message
   */
  public void add(HealthRecord record, int recordBytes) {
    records.addLast(new Waiting(record, recordBytes));
    update(1, recordBytes);
    while (isTooFullFor(0, 0)) {
      dropOldest();
    }
  }

  /** Drops older records until one more of usual size needs none to be dropped. */
  public void makeRoom() {
    while (isTooFullFor(1, USUAL_BYTES)) {
      dropOldest();
    }
  }

  /** A copy of what waits, oldest first. */
  public List<HealthRecord> pending() {
    List<HealthRecord> pending = new ArrayList<>(records.size());
    records.forEach(waiting -> pending.add(waiting.record));
    return pending;
  }

  /** Forgets the oldest records: someone else has taken them over. */
  public void removeOldest(int count) {
    for (int i = 0; i < count; i++) {
      update(-1, -records.removeFirst().bytes);
    }
  }

  /** Whether half of the room is taken: time to publish, so that nothing has to be dropped. */
  public boolean isHalfFull() {
    return size >= (capacity + 1) / 2 || bytes >= maxBytes / 2;
  }

  /** Drops all that waits. */
  public void dropAll(DropReason reason) {
    while (!records.isEmpty()) {
      removeOldest(1);
      accounting.dropped(reason);
    }
  }

  public int size() {
    return size;
  }

  public long bytes() {
    return bytes;
  }

  private boolean isTooFullFor(int moreRecords, long moreBytes) {
    return records.size() + moreRecords > capacity
        || (bytes + moreBytes > maxBytes && records.size() > 1);
  }

  private void dropOldest() {
    for (Iterator<Waiting> oldestFirst = records.iterator(); oldestFirst.hasNext(); ) {
      Waiting waiting = oldestFirst.next();
      if (!isLifecycle(waiting.record.getEventType())) {
        oldestFirst.remove();
        update(-1, -waiting.bytes);
        accounting.dropped(DropReason.BUFFER_FULL);
        return;
      }
    }
    removeOldest(1);
    accounting.dropped(DropReason.BUFFER_FULL);
  }

  private static boolean isLifecycle(EventType type) {
    return type == EventType.STARTED
        || type == EventType.TERMINATED
        || type == EventType.AGENT_STOPPED;
  }

  // One thread writes; the fields are volatile for those who read.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  private void update(int records, long recordBytes) {
    size += records;
    bytes += recordBytes;
  }

  private record Waiting(HealthRecord record, int bytes) {}
}
