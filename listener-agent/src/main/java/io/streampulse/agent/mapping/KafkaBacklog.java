package io.streampulse.agent.mapping;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/**
 * How many records a Kafka source still had before it when its batch ended: the sum over all
 * partitions of latest offset minus end offset.
 */
final class KafkaBacklog {
  private static final ObjectMapper JSON = new ObjectMapper();

  private KafkaBacklog() {}

  /**
   * The backlog, or null where it is not certain: another kind of source, an offset missing or not
   * as Kafka's source writes it, or a partition known on one side only.
   */
  static Long of(String description, String endOffset, String latestOffset) {
    if (description == null
        || !description.startsWith("KafkaV2[")
        || endOffset == null
        || latestOffset == null) {
      return null;
    }
    try {
      return sum(JSON.readTree(endOffset), JSON.readTree(latestOffset));
    } catch (JsonProcessingException e) {
      return null;
    }
  }

  private static Long sum(JsonNode end, JsonNode latest) {
    if (!end.isObject() || !latest.isObject() || end.size() != latest.size()) {
      return null;
    }
    long behind = 0;
    for (Map.Entry<String, JsonNode> topic : latest.properties()) {
      JsonNode ends = end.path(topic.getKey());
      if (ends.size() != topic.getValue().size()) {
        return null;
      }
      for (Map.Entry<String, JsonNode> partition : topic.getValue().properties()) {
        JsonNode until = ends.path(partition.getKey());
        if (!until.canConvertToLong() || !partition.getValue().canConvertToLong()) {
          return null;
        }
        behind += Math.max(0, partition.getValue().longValue() - until.longValue());
      }
    }
    return behind;
  }
}
