package io.streampulse.consumer.append;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * Who a run of the consumer is, for messages of the run that locks it out.
 *
 * @param id random
 * @param host where its driver runs
 * @param process the driver's process id
 * @param start when it started
 */
public record RunInfo(String id, String host, long process, Instant start) {

  /** A run of this process that starts now. */
  public static RunInfo starting() {
    return new RunInfo(
        UUID.randomUUID().toString(),
        hostName(),
        ProcessHandle.current().pid(),
        Instant.now().truncatedTo(ChronoUnit.MILLIS));
  }

  @Override
  public String toString() {
    return "%s (host %s, process %d, started %s)".formatted(id, host, process, start);
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
