package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The fleet as the views gave it at one time.
 *
 * @param table the health table
 * @param readAt when the views were asked
 * @param newestEventAt when the newest record was made that the table has
 * @param newestIngestedAt when the newest row was appended
 * @param outage why nothing that is said of queries can be trusted; empty where it can
 * @param queries the rows of {@code query_status}, most urgent first
 * @param telemetry the rows of {@code telemetry_health}, one for each agent
 * @param quarantined messages of the last day that can't be decoded
 */
public record FleetSnapshot(
    String table,
    Instant readAt,
    Optional<Instant> newestEventAt,
    Optional<Instant> newestIngestedAt,
    Optional<String> outage,
    List<QueryStatus> queries,
    List<ObjectNode> telemetry,
    long quarantined) {
  public FleetSnapshot {
    queries = List.copyOf(queries);
    telemetry = List.copyOf(telemetry);
  }
}
