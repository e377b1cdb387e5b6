package io.streampulse.agent;

import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Learns that the application ends, from Spark and from the JVM, whichever comes first: Spark tells
 * nothing when main returns or the process is asked to stop, and the JVM nothing when a notebook
 * stops its context.
 *
 * <p>Scala declares no exceptions: what Spark throws may be a checked one.
 */
final class ApplicationEnd extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(HealthListener.class);

  private final Runnable close;
  private final Thread atJvmExit;
  private SparkContext context;

  private ApplicationEnd(Runnable close, Runnable closeAtJvmExit) {
    this.close = close;
    this.atJvmExit = new Thread(closeAtJvmExit, "streampulse-shutdown");
  }

  /**
   * Registers what to do at the end.
   *
   * @param close for when Spark says that the application ends; may be called from any thread
   * @param closeAtJvmExit for when the JVM shuts down, before or without Spark saying so
   */
  static ApplicationEnd register(Runnable close, Runnable closeAtJvmExit) {
    ApplicationEnd end = new ApplicationEnd(close, closeAtJvmExit);
    try {
      end.context = SparkSession.active().sparkContext();
      end.context.addSparkListener(end);
    } catch (Exception | LinkageError e) {
      LOG.debug("No listener for the end of the application; the shutdown hook remains", e);
    }
    try {
      Runtime.getRuntime().addShutdownHook(end.atJvmExit);
    } catch (IllegalStateException e) {
      LOG.debug("The JVM is shutting down already", e);
    }
    return end;
  }

  /** Lets go of both: a long-lived driver may attach and close many agents. Never throws. */
  void unregister() {
    try {
      Runtime.getRuntime().removeShutdownHook(atJvmExit);
    } catch (IllegalStateException e) {
      LOG.debug("The JVM is shutting down already", e);
    }
    try {
      if (context != null) {
        context.removeSparkListener(this);
      }
    } catch (Exception | LinkageError e) {
      LOG.debug("The listener for the end of the application is gone already", e);
    }
  }

  /** The version of the Spark that runs here, or null if it does not say. */
  static String sparkVersion() {
    try {
      return SparkSession.active().version();
    } catch (Exception | LinkageError e) {
      return null;
    }
  }

  @Override
  public void onApplicationEnd(SparkListenerApplicationEnd end) {
    close.run();
  }
}
