package io.streampulse.agent.metrics;

import java.util.Map;

/**
 * How the agent itself is doing, by JMX: {@code io.streampulse:type=Agent,id=...}. Counts are since
 * the agent's start.
 */
public interface AgentMXBean {
  /** Records made. */
  long getProduced();

  /** Records acknowledged by the broker. */
  long getPublished();

  /** Records dropped, by reason. */
  Map<String, Long> getDropped();

  /** Events and records that wait in the agent. */
  long getBuffered();

  /** Bytes of the records that wait, as messages. */
  long getBufferedBytes();

  /** Records handed to the Kafka client and not acknowledged. */
  long getInFlight();

  /** From send to acknowledgement of the last record, milliseconds. */
  long getPublishLatencyMs();

  /** What went wrong last when publishing; empty if nothing has. */
  String getLastError();
}
