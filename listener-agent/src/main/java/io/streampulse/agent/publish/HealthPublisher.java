package io.streampulse.agent.publish;

import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.List;

/**
 * The only way by which health records leave the process.
 *
 * <p>One thread, the flusher's, calls it. Every record it takes over it counts exactly once in the
 * agent's accounting: as published when it is acknowledged, or as dropped with the reason.
 */
public interface HealthPublisher {
  /**
   * Takes over records from the head of the list, in order, and sends them.
   *
   * @return how many it took over; the rest stay with the caller, who offers them again later
   */
  int publish(List<HealthRecord> records);

  /**
   * The same for the last time before the close: without regard to how much is on its way already,
   * or to a wait after a failure.
   */
  default int publishRest(List<HealthRecord> records) {
    return publish(records);
  }

  /**
   * Waits for what is on its way, at most so long, and lets go of all resources. What is not
   * acknowledged by then is counted as dropped. Never throws; a second call does nothing.
   */
  void close(Duration timeout);
}
