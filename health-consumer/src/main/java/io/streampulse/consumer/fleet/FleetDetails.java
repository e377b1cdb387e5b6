package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** What is asked about one query at a time: its history and its latest record. */
public interface FleetDetails {
  /**
   * The history of a query as the page wants it; empty if the query is not known.
   *
   * @throws RuntimeException if the table can't be read
   */
  Optional<ObjectNode> of(String queryId);
}
