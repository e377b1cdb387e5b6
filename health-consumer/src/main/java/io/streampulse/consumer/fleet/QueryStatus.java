package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * One row of the view {@code query_status}: columns by their names, null ones absent.
 *
 * <p>Thread-safe as long as nobody changes the row.
 *
 * @param row the row as JSON; timestamps as ISO 8601 in UTC
 */
public record QueryStatus(ObjectNode row) {
  public String queryId() {
    return row.path("queryId").asText();
  }

  /** Its name, or else its id. */
  public String name() {
    return text("queryName").orElseGet(this::queryId);
  }

  public QueryState state() {
    return QueryState.valueOf(row.path("state").asText());
  }

  public Set<QuerySignal> signals() {
    Set<QuerySignal> signals = EnumSet.noneOf(QuerySignal.class);
    row.path("signals").forEach(signal -> signals.add(QuerySignal.valueOf(signal.asText())));
    return signals;
  }

  /** Why it has its state, in words. */
  public String reason() {
    return row.path("reason").asText();
  }

  /** A column with text; empty where it is null. */
  public Optional<String> text(String column) {
    JsonNode value = row.path(column);
    return value.isMissingNode() || value.isNull() ? Optional.empty() : Optional.of(value.asText());
  }

  /** A column with a number; empty where it is null. */
  public OptionalDouble number(String column) {
    JsonNode value = row.path(column);
    return value.isNumber() ? OptionalDouble.of(value.asDouble()) : OptionalDouble.empty();
  }

  /** A column with a time; empty where it is null. */
  public Optional<Instant> time(String column) {
    return text(column).map(Instant::parse);
  }
}
