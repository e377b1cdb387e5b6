package io.streampulse.consumer.source;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets as Spark's Kafka source writes them, in progress and in checkpoints: JSON, next offset by
 * topic and partition, {@code {"topic":{"0":12}}}.
 */
public final class KafkaOffsets {
  private static final ObjectMapper JSON = new ObjectMapper();

  private KafkaOffsets() {}

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static Map<String, Map<Integer, Long>> parse(String json) {
    try {
      Map<String, Map<Integer, Long>> topics =
          JSON.readValue(json, new TypeReference<TreeMap<String, Map<Integer, Long>>>() {});
      if (topics == null) {
        throw new IllegalArgumentException("no offsets");
      }
      return topics;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a Kafka source's offsets", e);
    }
  }

  /** Writes them. */
  public static String json(Map<String, Map<Integer, Long>> topics) {
    try {
      return JSON.writeValueAsString(topics);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't write offsets", e);
    }
  }
}
