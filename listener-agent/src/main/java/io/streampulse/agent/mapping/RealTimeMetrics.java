package io.streampulse.agent.mapping;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The latencies and task metrics of Databricks' real-time mode. Only the progress's JSON has them,
 * under {@code latencies} or {@code rtmMetrics}; percentiles are written P50 or p50.
 *
 * @param latencies latency's name to percentile, in upper case, to milliseconds
 * @param taskMetrics task to metric to value
 */
record RealTimeMetrics(
    Map<String, Map<String, Double>> latencies, Map<String, Map<String, Double>> taskMetrics) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TASK_METRICS = "_taskMetrics";
  static final RealTimeMetrics NONE = new RealTimeMetrics(Map.of(), Map.of());

  /** What the JSON has of them; nothing where it is not JSON, or has another shape. */
  static RealTimeMetrics of(String progressJson) {
    JsonNode progress;
    try {
      progress = JSON.readTree(progressJson);
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return NONE;
    }
    Map<String, Map<String, Double>> latencies = new HashMap<>();
    Map<String, Map<String, Double>> tasks = new HashMap<>();
    for (String block : new String[] {"latencies", "rtmMetrics"}) {
      for (Map.Entry<String, JsonNode> entry : progress.path(block).properties()) {
        if (entry.getKey().equals(TASK_METRICS)) {
          for (Map.Entry<String, JsonNode> task : entry.getValue().properties()) {
            tasks.put(task.getKey(), numbers(task.getValue(), false));
          }
        } else if (entry.getValue().isObject()) {
          latencies.put(entry.getKey(), numbers(entry.getValue(), true));
        }
      }
    }
    return new RealTimeMetrics(latencies, tasks);
  }

  private static Map<String, Double> numbers(JsonNode object, boolean percentiles) {
    Map<String, Double> numbers = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (entry.getValue().isNumber()) {
        String name = percentiles ? entry.getKey().toUpperCase(Locale.ROOT) : entry.getKey();
        numbers.put(name, entry.getValue().doubleValue());
      }
    }
    return numbers;
  }
}
