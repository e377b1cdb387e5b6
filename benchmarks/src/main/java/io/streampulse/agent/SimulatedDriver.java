package io.streampulse.agent;

import java.time.Clock;
import java.util.Map;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * The agent of one driver, of which a JVM may have many here: in a job the agent's registry sees to
 * it that there is one. All else is as in a job, from the listener's callbacks to the topic. It
 * stands in the agent's package, whose classes are nobody else's business.
 *
 * <p>Thread-safe.
 */
public final class SimulatedDriver {
  private final Agent agent;
  private final HealthListener listener;

  /**
   * A driver whose agent has not started.
   *
   * @param conf the application's Spark conf
   */
  public SimulatedDriver(Map<String, String> conf) {
    agent = new Agent(AgentConfig.read(conf), conf, Clock.systemUTC());
    listener = new HealthListener(agent);
  }

  public void start() {
    agent.start();
  }

  /** Whom Spark would tell what its queries do. */
  public StreamingQueryListener listener() {
    return listener;
  }

  /** The application ends: publishes what is left, and a closing record. */
  public void close() {
    agent.close();
  }

  /** Records that the agent has made. */
  public long produced() {
    return agent.accounting().producedCount();
  }

  /** Records that the broker has acknowledged. */
  public long published() {
    return agent.accounting().publishedCount();
  }

  /** Records that the agent has lost, by reason. */
  public Map<String, Long> dropped() {
    return agent.accounting().droppedByReason();
  }
}
