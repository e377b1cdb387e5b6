package io.streampulse.agent.mapping;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import org.apache.spark.sql.Row;

/** Writes a row of observed metrics as a JSON object. NaN and infinite numbers become null. */
final class RowJson {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private RowJson() {}

  static String of(Row row) {
    return object(row).toString();
  }

  private static ObjectNode object(Row row) {
    ObjectNode object = NODES.objectNode();
    String[] names = row.schema().fieldNames();
    for (int i = 0; i < names.length; i++) {
      object.set(names[i], node(row.get(i)));
    }
    return object;
  }

  private static JsonNode node(Object value) {
    if (value == null) {
      return NODES.nullNode();
    }
    if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number) ? NODES.numberNode(number) : NODES.nullNode();
    }
    if (value instanceof BigDecimal decimal) {
      return NODES.numberNode(decimal);
    }
    if (value instanceof Number number) {
      return NODES.numberNode(number.longValue());
    }
    if (value instanceof Boolean bool) {
      return NODES.booleanNode(bool);
    }
    if (value instanceof byte[] bytes) {
      return NODES.binaryNode(bytes);
    }
    return value instanceof Row row ? object(row) : NODES.textNode(value.toString());
  }
}
