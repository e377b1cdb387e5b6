package io.streampulse.agent;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attaches the agent in code, for jobs that can't set Spark conf before their session starts.
 *
 * <pre>{@code
 * try (AutoCloseable health = StreamPulse.attach(spark)) {
 *   query.awaitTermination();
 * }
 * }</pre>
 */
public final class StreamPulse {
  private static final Logger LOG = LoggerFactory.getLogger(HealthListener.class);

  private StreamPulse() {}

  /**
   * Attaches the agent to a session, with the settings of its Spark conf. Where it is attached
   * already, by conf or by code, nothing changes. Never throws: what can't work is a warning.
   *
   * @return closing it removes the listener, after a moment for the last events of queries that
   *     have just ended: Spark delivers them on another thread. The agent publishes what is left
   *     and ends with the last listener. Closing never throws, and a second time does nothing.
   */
  public static synchronized AutoCloseable attach(SparkSession spark) {
    Optional<Agent> agent = Optional.empty();
    try {
      for (StreamingQueryListener listener : spark.streams().listListeners()) {
        if (listener instanceof HealthListener) {
          return () -> {};
        }
      }
      agent = AgentRegistry.acquire(HealthListener.asMap(spark.sparkContext().getConf()));
      if (agent.isPresent()) {
        HealthListener listener = new HealthListener(agent.get());
        spark.streams().addListener(listener);
        for (StreamingQuery query : spark.streams().active()) {
          listener.watch(query.runId());
        }
        return new Attachment(spark, listener);
      }
    } catch (Throwable e) { // as where a stopped context refuses
      AgentRegistry.warnOnce(e.toString());
      agent.ifPresent(AgentRegistry::release);
    }
    return () -> {};
  }

  /** Whoever attaches meanwhile finds the listener, or finds it gone and adds one. */
  private static synchronized void remove(SparkSession spark, HealthListener listener) {
    spark.streams().removeListener(listener);
    listener.agent().stopWatching(listener.runs());
  }

  private static final class Attachment implements AutoCloseable {
    private final SparkSession spark;
    private final HealthListener listener;
    private boolean closed;

    Attachment(SparkSession spark, HealthListener listener) {
      this.spark = spark;
      this.listener = listener;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        try {
          Agent.awaitLastEvents(Agent.LAST_EVENTS, this::expectsEvents);
          remove(spark, listener);
        } catch (Throwable e) { // the context may have stopped before
          LOG.debug("The listener was not removed", e);
        } finally {
          AgentRegistry.release(listener.agent());
        }
      }
    }

    private boolean expectsEvents() {
      Set<UUID> ended = new HashSet<>(listener.runs());
      for (StreamingQuery query : spark.streams().active()) {
        ended.remove(query.runId());
      }
      return !ended.isEmpty();
    }
  }
}
