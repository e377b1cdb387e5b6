package io.streampulse.agent.publish;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How publishing goes, for those who watch the agent. Thread-safe; the numbers are independent of
 * one another.
 */
public final class PublishStatistics {
  /** The publisher's own count, which others only read. */
  final AtomicInteger inFlight = new AtomicInteger();

  private volatile long lastLatencyMillis;
  private volatile String lastError = "";

  void published(long latencyMillis) {
    lastLatencyMillis = latencyMillis;
  }

  void failed(String error) {
    lastError = error;
  }

  /** Records taken over by the publisher and neither acknowledged nor dropped. */
  public int inFlight() {
    return inFlight.get();
  }

  /** From send to acknowledgement of the record acknowledged last, milliseconds. */
  public long lastLatencyMillis() {
    return lastLatencyMillis;
  }

  /** What went wrong last, without secrets; empty if nothing has. */
  public String lastError() {
    return lastError;
  }
}
