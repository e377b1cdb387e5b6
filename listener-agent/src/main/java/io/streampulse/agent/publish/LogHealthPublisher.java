package io.streampulse.agent.publish;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.schema.HealthRecord;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes records as JSON to the driver's log: a first run that needs no broker. */
public final class LogHealthPublisher implements HealthPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(LogHealthPublisher.class);

  private final Accounting accounting;
  private final Logger log;

  public LogHealthPublisher(Accounting accounting) {
    this(accounting, LOG);
  }

  LogHealthPublisher(Accounting accounting, Logger log) {
    this.accounting = accounting;
    this.log = log;
    if (!log.isInfoEnabled()) {
      log.warn(
          "Health records go to the log at level INFO, which is switched off for {}: set it to INFO",
          log.getName());
    }
  }

  @Override
  public int publish(List<HealthRecord> records) {
    int taken = 0;
    try {
      for (HealthRecord record : records) {
        log.info("{}", record);
        accounting.published();
        taken++;
      }
    } catch (RuntimeException | Error e) { // those before it must not be written again
      log.debug("A record could not be logged and waits", e);
    }
    return taken;
  }

  @Override
  public void close(Duration timeout) {
    // Nothing is on its way.
  }
}
