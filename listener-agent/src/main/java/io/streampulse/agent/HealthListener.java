package io.streampulse.agent;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import scala.Tuple2;

/**
 * Reports the health of every micro-batch of every query of a session. Attach it by conf, in any
 * language:
 *
 * <pre>{@code
 * spark.sql.streaming.streamingQueryListeners=io.streampulse.agent.HealthListener
 * spark.streampulse.kafka.bootstrap.servers=broker:9093
 * }</pre>
 *
 * <p>A callback only stamps its event and leaves it in a bounded buffer; everything else happens on
 * the agent's own thread. No callback waits, does I/O, or throws, whatever goes wrong.
 *
 * <p>Where the agent is switched off or its settings make no sense, the constructor throws {@link
 * UnsupportedOperationException}, on which Spark leaves the listener out and goes on.
 *
 * <p>Thread-safe.
 *
 * @see StreamPulse#attach to attach it in code
 */
public final class HealthListener extends StreamingQueryListener {
  // Spark 4's listener is serializable; this one stays in its driver.
  private static final long serialVersionUID = 1L;

  private final transient Agent agent;

  /** Runs whose start was heard and whose end was not. */
  private final transient Set<UUID> runs = ConcurrentHashMap.newKeySet();

  /** Used by Spark, which passes the application's conf. */
  public HealthListener(SparkConf conf) {
    this(agentOf(conf));
  }

  HealthListener(Agent agent) {
    this.agent = agent;
  }

  @Override
  public void onQueryStarted(QueryStartedEvent event) {
    offer(event);
    watch(event.runId());
  }

  @Override
  public void onQueryProgress(QueryProgressEvent event) {
    offer(event);
  }

  @Override
  public void onQueryIdle(QueryIdleEvent event) {
    offer(event);
  }

  @Override
  public void onQueryTerminated(QueryTerminatedEvent event) {
    offer(event);
    runs.remove(event.runId());
  }

  Agent agent() {
    return agent;
  }

  /** The run's end is to be heard by this listener. */
  void watch(UUID runId) {
    try {
      runs.add(runId);
    } catch (Throwable e) { // see offer
      agent.callbackFailed(e);
    }
  }

  /** Runs whose end this listener has not heard. */
  Set<UUID> runs() {
    return Set.copyOf(runs);
  }

  static Map<String, String> asMap(SparkConf conf) {
    Map<String, String> map = new HashMap<>();
    for (Tuple2<String, String> entry : conf.getAll()) {
      map.put(entry._1(), entry._2());
    }
    return map;
  }

  private void offer(StreamingQueryListener.Event event) {
    try {
      agent.offer(event);
    } catch (Throwable e) { // an Error out of a callback would stop the customer's SparkContext
      agent.callbackFailed(e);
    }
  }

  private static Agent agentOf(SparkConf conf) {
    Optional<Agent> agent = AgentRegistry.acquire(asMap(conf));
    return agent.orElseThrow(() -> new UnsupportedOperationException("Streampulse agent is off"));
  }
}
