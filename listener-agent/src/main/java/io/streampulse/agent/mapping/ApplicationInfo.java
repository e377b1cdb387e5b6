package io.streampulse.agent.mapping;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Map;

/**
 * What identifies the agent and the application it lives in; the same on every record.
 *
 * <p>Values that the platform does not state are null.
 */
public record ApplicationInfo(
    String agentId,
    String agentVersion,
    String applicationId,
    String applicationName,
    String sparkVersion,
    String host,
    String clusterId,
    String jobId,
    String jobRunId,
    Map<String, String> tags) {

  /**
   * Reads the application's identity from its Spark conf, where open-source Spark and Databricks
   * put it.
   */
  public static ApplicationInfo of(
      String agentId,
      String agentVersion,
      String sparkVersion,
      Map<String, String> conf,
      Map<String, String> tags) {
    return new ApplicationInfo(
        agentId,
        agentVersion,
        conf.get("spark.app.id"),
        conf.get("spark.app.name"),
        sparkVersion,
        conf.get("spark.driver.host"),
        conf.get("spark.databricks.clusterUsageTags.clusterId"),
        conf.getOrDefault("spark.databricks.job.id", usageTag(conf, "JobId")),
        conf.getOrDefault("spark.databricks.job.runId", usageTag(conf, "RunId")),
        CappedMap.of(tags).map());
  }

  /** The same, its labels without secrets. */
  ApplicationInfo redacted(Redactor redactor) {
    return new ApplicationInfo(
        agentId,
        agentVersion,
        applicationId,
        applicationName,
        sparkVersion,
        host,
        clusterId,
        jobId,
        jobRunId,
        redactor.labels(tags));
  }

  /** Databricks' usage tags are one JSON array of key and value. */
  private static String usageTag(Map<String, String> conf, String key) {
    String tags = conf.get("spark.databricks.clusterUsageTags.clusterAllTags");
    if (tags == null) {
      return null;
    }
    try {
      for (JsonNode tag : new ObjectMapper().readTree(tags)) {
        if (tag.path("key").asText().equals(key)) {
          return tag.path("value").asText();
        }
      }
    } catch (JsonProcessingException e) {
      return null;
    }
    return null;
  }
}
