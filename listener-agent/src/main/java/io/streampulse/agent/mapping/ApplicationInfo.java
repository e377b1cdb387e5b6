package io.streampulse.agent.mapping;

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
        conf.get("spark.databricks.job.id"),
        conf.get("spark.databricks.job.runId"),
        Map.copyOf(tags));
  }
}
