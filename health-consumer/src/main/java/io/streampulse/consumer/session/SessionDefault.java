package io.streampulse.consumer.session;

import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/**
 * A setting that a session has while some work is done, unless the user has set it: what the user
 * has set counts, and others who work with the session get it back as it was.
 */
public final class SessionDefault {
  private SessionDefault() {}

  /**
   * Does some work while the setting has a value.
   *
   * @throws E what the work throws
   */
  public static <T, E extends Exception> T during(
      SparkSession spark, String name, String value, Work<T, E> work) throws E {
    if (isSet(spark, name)) {
      return work.call();
    }
    RuntimeConfig conf = spark.conf();
    conf.set(name, value);
    try {
      return work.call();
    } finally {
      conf.unset(name);
    }
  }

  /** Whether the user has set it; a look-up would answer with Spark's default too. */
  public static boolean isSet(SparkSession spark, String name) {
    return spark.conf().getAll().contains(name);
  }

  /** What is done meanwhile. */
  @FunctionalInterface
  public interface Work<T, E extends Exception> {
    T call() throws E;
  }
}
