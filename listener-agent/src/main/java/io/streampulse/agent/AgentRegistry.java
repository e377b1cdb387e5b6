package io.streampulse.agent;

import io.streampulse.config.ConfigException;
import io.streampulse.connection.SaslClients;
import java.time.Clock;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the one agent of this JVM. Spark builds a listener for each session that streams, so
 * listeners come and go; they share the agent, which closes when the last one that can let go of it
 * has, or when the application ends.
 *
 * <p>Thread-safe. Never throws into the job: what can't work is warned about once.
 */
final class AgentRegistry {
  private static final Logger LOG = LoggerFactory.getLogger(HealthListener.class);
  private static final Set<String> WARNED = new HashSet<>();

  private static Agent current;
  private static int users;

  private AgentRegistry() {}

  /**
   * The agent, started if need be; empty where the settings say no, or make no sense.
   *
   * @param conf the application's Spark conf
   */
  static synchronized Optional<Agent> acquire(Map<String, String> conf) {
    try {
      if (current == null || current.isClosing()) {
        if (!AgentConfig.enabled(conf)) {
          return Optional.empty();
        }
        Agent agent = new Agent(AgentConfig.read(conf), conf, Clock.systemUTC());
        agent.start();
        current = agent;
        users = 0;
      }
      users++;
      return Optional.of(current);
    } catch (ConfigException e) {
      warnOnce(String.join("; ", e.problems()));
    } catch (Throwable e) { // no memory for a thread is no reason for the job to fail
      warnOnce(e.toString());
    }
    return Optional.empty();
  }

  /** Gives back what {@link #acquire} gave. */
  static void release(Agent agent) {
    synchronized (AgentRegistry.class) {
      if (agent != current || --users > 0) {
        return;
      }
      current = null;
    }
    agent.close();
  }

  /** An agent has ended: where no other has begun meanwhile, the JVM is left as it was. */
  static synchronized void ended(Agent agent) {
    if (current == agent) {
      current = null;
    }
    if (current == null) {
      SaslClients.unregister();
    }
  }

  /** Says, the first time, why there is no agent. */
  static synchronized void warnOnce(String problem) {
    if (WARNED.add(problem)) {
      LOG.warn("The Streampulse agent is off, the job is not affected: {}", problem);
    }
  }
}
