package io.streampulse.consumer.capacity;

/**
 * What Azure Event Hubs gives, as Microsoft publishes it; no Azure service was reached from here.
 * All but {@link #MOST_MESSAGE_BYTES} is of the Standard tier, which is sold in throughput units
 * (TU).
 *
 * <p>Every record of a produce batch counts as an event: nothing that is published says that a
 * batch of Kafka's counts once.
 *
 * @see <a href="https://learn.microsoft.com/azure/event-hubs/event-hubs-scalability">Scaling with
 *     Event Hubs</a>
 * @see <a href="https://learn.microsoft.com/azure/event-hubs/event-hubs-quotas">Quotas and
 *     limits</a>
 */
final class EventHubs {
  static final int INGRESS_BYTES_PER_TU = 1_000_000;
  static final int INGRESS_EVENTS_PER_TU = 1_000;
  static final int EGRESS_BYTES_PER_TU = 2_000_000;
  static final int EGRESS_EVENTS_PER_TU = 4_096;
  static final long STORED_BYTES_PER_TU = 84_000_000_000L;

  static final int MOST_TU = 40;
  static final int MOST_PARTITIONS = 32;
  static final int MOST_CONNECTIONS = 5_000;
  static final int MOST_RETENTION_DAYS = 7;
  static final int MOST_MESSAGE_BYTES = 1_000_000;

  private EventHubs() {}

  /** The fewest throughput units that take this in and give it out, by bytes and by events. */
  static long throughputUnits(double bytesIn, double eventsIn, double bytesOut, double eventsOut) {
    double units = bytesIn / INGRESS_BYTES_PER_TU;
    units = Math.max(units, eventsIn / INGRESS_EVENTS_PER_TU);
    units = Math.max(units, bytesOut / EGRESS_BYTES_PER_TU);
    units = Math.max(units, eventsOut / EGRESS_EVENTS_PER_TU);
    return Math.max(1, Numbers.up(units));
  }
}
