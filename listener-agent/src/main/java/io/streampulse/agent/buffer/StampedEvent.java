package io.streampulse.agent.buffer;

import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * A query event as the listener received it, numbered and stamped.
 *
 * @param sequence number within the agent
 * @param observedMillis when the agent saw it, epoch milliseconds
 * @param event Spark's own object, not yet looked at
 */
public record StampedEvent(long sequence, long observedMillis, StreamingQueryListener.Event event) {

  /** Whether it tells of the start or the end of a run: such events are dropped last. */
  public boolean isLifecycle() {
    return event instanceof StreamingQueryListener.QueryStartedEvent
        || event instanceof StreamingQueryListener.QueryTerminatedEvent;
  }
}
