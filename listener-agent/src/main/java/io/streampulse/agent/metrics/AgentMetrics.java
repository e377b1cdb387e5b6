package io.streampulse.agent.metrics;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.DropReason;
import io.streampulse.agent.buffer.Outbox;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.publish.PublishStatistics;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.function.Supplier;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.spark.SparkEnv;
import org.apache.spark.metrics.source.Source;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the agent's own numbers where people look for them: as a JMX bean, and as a source of
 * Spark's metrics system, so that the sinks a cluster has (Prometheus, Graphite, ...) carry them as
 * {@code streampulse.agent.*}.
 *
 * <p>Thread-safe. Where the platform refuses, the agent runs without.
 */
public final class AgentMetrics implements AgentMXBean {
  private static final Logger LOG = LoggerFactory.getLogger(AgentMetrics.class);

  private final String agentId;
  private final Accounting accounting;
  private final RecordBuffer buffer;
  private final Outbox outbox;
  private final PublishStatistics statistics;
  private volatile Source source;

  public AgentMetrics(
      String agentId,
      Accounting accounting,
      RecordBuffer buffer,
      Outbox outbox,
      PublishStatistics statistics) {
    this.agentId = agentId;
    this.accounting = accounting;
    this.buffer = buffer;
    this.outbox = outbox;
    this.statistics = statistics;
  }

  /** Makes the numbers visible. Never throws. */
  public void register() {
    try {
      ManagementFactory.getPlatformMBeanServer().registerMBean(this, name());
    } catch (JMException | RuntimeException e) {
      LOG.debug("No JMX bean for the agent", e);
    }
    try {
      source = new SparkSource();
      SparkEnv.get().metricsSystem().registerSource(source);
    } catch (Exception | LinkageError e) {
      LOG.debug("No metrics source for the agent", e);
    }
  }

  /** Takes them away. Never throws. */
  public void unregister() {
    try {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name());
    } catch (JMException | RuntimeException e) {
      LOG.debug("The agent's JMX bean was not registered", e);
    }
    try {
      if (source != null && SparkEnv.get() != null) {
        SparkEnv.get().metricsSystem().removeSource(source);
      }
    } catch (Exception | LinkageError e) {
      LOG.debug("The agent's metrics source was not registered", e);
    }
  }

  @Override
  public long getProduced() {
    return accounting.producedCount();
  }

  @Override
  public long getPublished() {
    return accounting.publishedCount();
  }

  @Override
  public Map<String, Long> getDropped() {
    return accounting.droppedByReason();
  }

  @Override
  public long getBuffered() {
    return (long) buffer.size() + outbox.size();
  }

  @Override
  public long getBufferedBytes() {
    return outbox.bytes();
  }

  @Override
  public long getInFlight() {
    return statistics.inFlight();
  }

  @Override
  public long getPublishLatencyMs() {
    return statistics.lastLatencyMillis();
  }

  @Override
  public String getLastError() {
    return statistics.lastError();
  }

  private ObjectName name() throws JMException {
    return new ObjectName("io.streampulse:type=Agent,id=" + agentId);
  }

  private final class SparkSource implements Source {
    private final MetricRegistry registry = new MetricRegistry();

    SparkSource() {
      gauge("produced", AgentMetrics.this::getProduced);
      gauge("published", AgentMetrics.this::getPublished);
      gauge("buffered", AgentMetrics.this::getBuffered);
      gauge("bufferedBytes", AgentMetrics.this::getBufferedBytes);
      gauge("inFlight", AgentMetrics.this::getInFlight);
      gauge("publishLatencyMs", AgentMetrics.this::getPublishLatencyMs);
      gauge("lastError", AgentMetrics.this::getLastError);
      for (DropReason reason : DropReason.values()) {
        gauge("dropped." + reason.key(), () -> accounting.droppedCount(reason));
      }
    }

    @Override
    public String sourceName() {
      return "streampulse.agent";
    }

    @Override
    public MetricRegistry metricRegistry() {
      return registry;
    }

    private <T> void gauge(String name, Supplier<T> value) {
      registry.register(name, (Gauge<T>) value::get);
    }
  }
}
