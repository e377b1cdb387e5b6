package io.streampulse.agent.flush;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.DropReason;
import io.streampulse.agent.buffer.Outbox;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import io.streampulse.agent.publish.HealthPublisher;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Clock;
import java.time.Duration;

/**
 * What the flusher thread does, as single steps without a thread: collect what arrived, publish
 * what waits, say that the agent lives, finish.
 *
 * <p>Not thread-safe. No step throws, whatever the mapper or the publisher does.
 */
public final class FlushCycle {
  private final RecordBuffer buffer;
  private final RecordMapper mapper;
  private final RecordLimiter limiter;
  private final Outbox outbox;
  private final HealthPublisher publisher;
  private final Accounting accounting;
  private final RepeatedWarning warning;
  private final Clock clock;
  private final Duration heartbeatInterval;
  private long lastRecordMillis;

  public FlushCycle(
      RecordBuffer buffer,
      RecordMapper mapper,
      RecordLimiter limiter,
      Outbox outbox,
      HealthPublisher publisher,
      Accounting accounting,
      RepeatedWarning warning,
      Clock clock,
      Duration heartbeatInterval) {
    this.buffer = buffer;
    this.mapper = mapper;
    this.limiter = limiter;
    this.outbox = outbox;
    this.publisher = publisher;
    this.accounting = accounting;
    this.warning = warning;
    this.clock = clock;
    this.heartbeatInterval = heartbeatInterval;
    this.lastRecordMillis = clock.millis();
  }

  /** Turns what arrived into records, so that Spark's large objects are let go of soon. */
  public void collect() {
    StampedEvent event;
    // What arrives meanwhile is for the next time, so that this ends.
    for (int left = buffer.size(); left > 0 && (event = buffer.poll()) != null; left--) {
      try {
        add(mapper.map(event));
      } catch (Throwable e) { // a LinkageError in one event must not end the agent
        accounting.dropped(DropReason.ENCODE_FAILED);
        warning.warn("Dropped a query event that could not be read: " + e);
      }
    }
  }

  /** Adds a heartbeat if nothing was recorded for the heartbeat interval, and tells whether. */
  public boolean heartbeat() {
    long silence = clock.millis() - lastRecordMillis;
    boolean due = silence >= heartbeatInterval.toMillis() || silence < 0; // the clock was set back
    if (due) {
      addAgentEvent(EventType.HEARTBEAT);
    }
    return due;
  }

  /** Whether to publish before the interval is over. */
  public boolean isPressing() {
    return outbox.isHalfFull();
  }

  /** Hands what waits to the publisher; what it does not take stays. */
  public void publish() {
    try {
      outbox.removeOldest(publisher.publish(outbox.pending()));
    } catch (Throwable e) { // see collect
      warning.warn("The publisher failed; its records wait: " + e);
    }
  }

  /**
   * The last step: publishes what is left and a closing record, and closes the publisher.
   *
   * @param timeout how long it may wait for acknowledgements
   */
  public void finish(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    collect();
    outbox.makeRoom(); // before the closing record counts what was dropped
    addAgentEvent(EventType.AGENT_STOPPED);
    try {
      outbox.removeOldest(publisher.publishRest(outbox.pending()));
    } catch (Throwable e) { // see collect
      warning.warn("The publisher failed in the end: " + e);
    }
    try {
      publisher.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    } catch (Throwable e) { // see collect
      warning.warn("The publisher failed in the end: " + e);
    }
    outbox.dropAll(DropReason.PUBLISH_FAILED);
  }

  private void addAgentEvent(EventType type) {
    try {
      add(mapper.agentEvent(type, clock.instant()));
    } catch (Throwable e) { // see collect
      accounting.dropped(DropReason.ENCODE_FAILED);
      warning.warn("Dropped a record of the agent's own: " + e);
    }
  }

  private void add(HealthRecord record) {
    lastRecordMillis = clock.millis();
    int bytes = limiter.fit(record);
    if (bytes > limiter.maxBytes()) {
      accounting.dropped(DropReason.TOO_LARGE);
      warning.warn(
          "Dropped a health record of %d bytes: agent.record.max-bytes is %d"
              .formatted(bytes, limiter.maxBytes()));
      return;
    }
    outbox.add(record, bytes);
  }
}
