package io.streampulse.consumer.command;

import org.apache.spark.SparkConf;
import org.apache.spark.sql.SparkSession;

/**
 * The consumer is a streaming job as well: where the agent's jar is on its class path, it carries
 * the agent, and its own health is in the table. The two share nothing but the class name in Spark
 * conf.
 */
final class OwnHealth {
  private static final String LISTENERS = "spark.sql.streaming.streamingQueryListeners";
  private static final String AGENT = "io.streampulse.agent.HealthListener";

  private OwnHealth() {}

  /** Adds the agent's listener to conf where its class can be loaded. */
  static void addTo(SparkConf conf) {
    String listeners = conf.get(LISTENERS, "");
    if (!listeners.contains(AGENT) && isOnClassPath()) {
      conf.set(LISTENERS, listeners.isBlank() ? AGENT : listeners + "," + AGENT);
    }
  }

  static boolean isReported(SparkSession spark) {
    return spark.sparkContext().getConf().get(LISTENERS, "").contains(AGENT) && isOnClassPath();
  }

  private static boolean isOnClassPath() {
    try {
      Class.forName(AGENT, false, Thread.currentThread().getContextClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
