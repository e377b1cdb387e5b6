package io.streampulse.consumer.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryStatus;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** A snapshot of the fleet as the JSON that the page and scripts read. */
public final class FleetJson {
  /** The version of the format; a name is never given another meaning within it. */
  public static final int VERSION = 1;

  private static final MathContext FOUR_DIGITS = new MathContext(4);

  private FleetJson() {}

  /**
   * The fleet as JSON: the rows as they are, each query with its spark line. The snapshot's rows
   * are not changed.
   *
   * @param sparks the latest points of a query's lag and rates by query id; a query may have none
   */
  public static ObjectNode of(FleetSnapshot fleet, Map<String, ObjectNode> sparks) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("version", VERSION);
    json.put("table", fleet.table());
    json.put("readAt", text(fleet.readAt()));
    fleet.newestEventAt().ifPresent(at -> json.put("newestEventAt", text(at)));
    fleet.newestIngestedAt().ifPresent(at -> json.put("newestIngestedAt", text(at)));
    fleet.outage().ifPresent(why -> json.put("outage", why));
    ArrayNode queries = json.putArray("queries");
    for (QueryStatus query : fleet.queries()) {
      ObjectNode row = queries.addObject().setAll(query.row());
      ObjectNode spark = sparks.get(query.queryId());
      if (spark != null) {
        ObjectNode points = row.putObject("spark");
        spark
            .properties()
            .forEach(
                entry -> {
                  ArrayNode values = points.putArray(entry.getKey());
                  entry.getValue().forEach(value -> values.add(rounded(value)));
                });
      }
    }
    json.putArray("telemetry").addAll(fleet.telemetry());
    json.put("quarantined", fleet.quarantined());
    return json;
  }

  /** A number in four digits: a chart shows no more, and the others are most of the bytes. */
  static JsonNode rounded(JsonNode number) {
    double value = number.asDouble();
    if (!number.isFloatingPointNumber() || !Double.isFinite(value)) {
      return number;
    }
    return Math.abs(value) >= 1000
        ? JsonNodeFactory.instance.numberNode(Math.round(value))
        : JsonNodeFactory.instance.numberNode(
            BigDecimal.valueOf(value).round(FOUR_DIGITS).doubleValue());
  }

  private static String text(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
