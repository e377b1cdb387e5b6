package io.streampulse.agent;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.flush.FlushCycle;
import io.streampulse.agent.publish.ProducerSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.sql.streaming.StreamingQueryListener;

/**
 * An agent that is given events as fast as it takes them without dropping any, from the listener's
 * callback to the broker's acknowledgement. It stands in the package it measures, whose classes are
 * nobody else's business.
 *
 * <p>Not thread-safe.
 */
public final class AgentMeasurement implements AutoCloseable {
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);
  private static final Duration LAST_RECORD = Duration.ofSeconds(10);

  private final Agent agent;
  private final Runnable step;
  private final Runnable end;

  private AgentMeasurement(Agent agent, Runnable step, Runnable end) {
    this.agent = agent;
    this.step = step;
    this.end = end;
  }

  /** An agent as a job has it: its flusher's thread pauses between events and between flushes. */
  public static AgentMeasurement started(Map<String, String> conf) {
    Agent agent = newAgent(conf);
    agent.start();
    return new AgentMeasurement(agent, () -> {}, () -> {});
  }

  /** An agent without the pauses: what its flusher's thread does is done by the caller's. */
  public static AgentMeasurement withoutPauses(Map<String, String> conf) {
    Agent agent = newAgent(conf);
    FlushCycle cycle = agent.cycle();
    return new AgentMeasurement(
        agent,
        () -> {
          cycle.collect();
          cycle.publish();
        },
        () -> cycle.finish(LAST_RECORD));
  }

  /** What an agent with this conf would tell its producer. */
  public static Properties producerSettings(Map<String, String> conf, String clientId) {
    return ProducerSettings.of(AgentConfig.read(conf).kafka(), clientId);
  }

  /**
   * Offers events, over and over from the first, and returns when the last is acknowledged.
   *
   * @param count how many events
   * @param mostOnTheWay how many the agent may have at a time, so that no buffer is full
   * @throws IllegalStateException if the agent drops one, or none gets through for a minute
   */
  public void publish(
      List<? extends StreamingQueryListener.Event> events, int count, int mostOnTheWay) {
    Accounting accounting = agent.accounting();
    int offered = 0;
    long lastMove = System.nanoTime();
    while (true) {
      long onTheWay = accounting.onTheWay();
      if (onTheWay == 0 && offered == count) {
        break;
      }
      int room = (int) Math.min(mostOnTheWay - onTheWay, count - offered);
      for (int i = 0; i < room; i++) {
        agent.offer(events.get(offered++ % events.size()));
      }
      step.run();
      if (room > 0) {
        lastMove = System.nanoTime();
      } else {
        LockSupport.parkNanos(this, TimeUnit.MICROSECONDS.toNanos(50));
        if (System.nanoTime() - lastMove > LONGEST_SILENCE.toNanos()) {
          throw new IllegalStateException(onTheWay + " records do not get through");
        }
      }
    }
    if (accounting.droppedCount() > 0) {
      throw new IllegalStateException("The agent has dropped " + accounting.droppedByReason());
    }
  }

  @Override
  public void close() {
    end.run();
    agent.close();
  }

  private static Agent newAgent(Map<String, String> conf) {
    return new Agent(AgentConfig.read(conf), conf, Clock.systemUTC());
  }
}
