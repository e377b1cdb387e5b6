package io.streampulse.agent;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.Outbox;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.flush.FlushCycle;
import io.streampulse.agent.flush.Flusher;
import io.streampulse.agent.log.RepeatedWarning;
import io.streampulse.agent.mapping.ApplicationInfo;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import io.streampulse.agent.metrics.AgentMetrics;
import io.streampulse.agent.publish.HealthPublisher;
import io.streampulse.agent.publish.KafkaHealthPublisher;
import io.streampulse.agent.publish.KafkaProducers;
import io.streampulse.agent.publish.LogHealthPublisher;
import io.streampulse.agent.publish.PublishStatistics;
import io.streampulse.config.Durations;
import io.streampulse.wire.RecordEncoder;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent of one driver JVM: the pipeline from the listener's callbacks to the topic, and its
 * life. All listeners of the JVM share it; {@link AgentRegistry} sees to that.
 *
 * <p>Thread-safe.
 */
final class Agent {
  private static final Logger LOG = LoggerFactory.getLogger(HealthListener.class);

  /** How long the end of the application, or of an attachment, waits for queries' last events. */
  static final Duration LAST_EVENTS = Duration.ofSeconds(1);

  private final AgentConfig config;
  private final Map<String, String> conf;
  private final String agentId = UUID.randomUUID().toString();
  private final Clock clock;
  private final Accounting accounting = new Accounting();
  private final RecordBuffer buffer;
  private final Flusher flusher;
  private final RepeatedWarning warning;
  private final PublishStatistics statistics = new PublishStatistics();
  private volatile RecordMapper mapper;
  private volatile AgentMetrics metrics;
  private volatile ApplicationEnd applicationEnd;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);

  /**
   * @param conf the application's Spark conf
   */
  Agent(AgentConfig config, Map<String, String> conf, Clock clock) {
    this.config = config;
    this.conf = Map.copyOf(conf);
    this.clock = clock;
    this.warning = new RepeatedWarning(LOG, clock);
    this.buffer = new RecordBuffer(config.bufferCapacity(), accounting, clock);
    this.flusher = new Flusher(this::cycle, config.flushInterval());
  }

  void start() {
    config.warnings().forEach(warning -> LOG.warn("Streampulse agent: {}", warning));
    LOG.info(
        "Streampulse agent {} started: publishing to {} every {}, buffer {} records and {} bytes,"
            + " heartbeat {}, agent id {}",
        AgentVersion.CURRENT,
        config.toKafka()
            ? "topic %s at %s (%s)"
                    .formatted(
                        config.topic(),
                        config.kafka().bootstrapServers(),
                        config.kafka().securityProtocol())
                + config
                    .registry()
                    .map(registry -> ", schema registry " + registry.urls())
                    .orElse("")
            : "the log",
        Durations.text(config.flushInterval()),
        config.bufferCapacity(),
        config.bufferMaxBytes(),
        Durations.text(config.heartbeatInterval()),
        agentId);
    flusher.start();
  }

  /** Takes an event and returns at once. What goes wrong is counted and thrown. */
  void offer(StreamingQueryListener.Event event) {
    buffer.offer(event);
  }

  /** No listener hears of these runs any more: heartbeats stop to say that they are active. */
  void stopWatching(Set<UUID> runs) {
    RecordMapper current = mapper;
    if (current != null) {
      current.stopWatching(runs);
    }
  }

  /** A callback went wrong, which it never should: said at most once a minute. */
  void callbackFailed(Throwable failure) {
    try {
      warning.warn("A query event was lost in the listener: " + failure);
    } catch (Throwable e) { // nothing may leave a callback, not even an Error out of the logger
      return;
    }
  }

  /**
   * Publishes what is left with a closing record and says how many records there were. Waits a
   * moment first for the last events of queries that have just been stopped: Spark delivers them on
   * another thread. Takes at most the shutdown timeout; a second call does nothing.
   */
  void close() {
    closeWithin(config.shutdownTimeout());
  }

  /**
   * The JVM ends. Spark's own hook, or the job's, is about to stop queries and context, whose last
   * events are worth waiting for: so the close is theirs, unless it has not begun after half the
   * shutdown timeout. Takes at most the shutdown timeout.
   */
  void closeAtJvmExit() {
    long deadline = System.nanoTime() + config.shutdownTimeout().toNanos();
    try {
      if (closing.await(config.shutdownTimeout().toNanos() / 2, TimeUnit.NANOSECONDS)
          && closed.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closeWithin(Duration.ofNanos(deadline - System.nanoTime()));
  }

  Accounting accounting() {
    return accounting;
  }

  boolean isClosing() {
    return closing.getCount() == 0;
  }

  private void closeWithin(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    synchronized (closing) {
      if (isClosing()) {
        return;
      }
      closing.countDown();
    }
    awaitLastEvents();
    buffer.close();
    flusher.close(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
    AgentRegistry.ended(this);
    if (metrics != null) {
      metrics.unregister();
    }
    if (applicationEnd != null) {
      applicationEnd.unregister();
    }
    LOG.info(
        "Streampulse agent stopped: {} records produced, {} published, {} dropped {}{}",
        accounting.producedCount(),
        accounting.publishedCount(),
        accounting.droppedCount(),
        accounting.droppedByReason(),
        accounting.onTheWay() == 0
            ? ""
            : ", " + accounting.onTheWay() + " not through within the shutdown timeout");
    closed.countDown();
  }

  private void awaitLastEvents() {
    long longest = Math.min(LAST_EVENTS.toNanos(), config.shutdownTimeout().toNanos() / 4);
    awaitLastEvents(Duration.ofNanos(longest), this::expectsEvents);
  }

  /** Waits while events are expected, which Spark delivers on another thread. */
  static void awaitLastEvents(Duration longest, BooleanSupplier expected) {
    long until = System.nanoTime() + longest.toNanos();
    while (expected.getAsBoolean() && System.nanoTime() - until < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private boolean expectsEvents() {
    RecordMapper current = mapper;
    return buffer.size() > 0 || (current != null && current.activeRunCount() > 0);
  }

  /** Built on the flusher's thread, where time is no one's but ours. */
  FlushCycle cycle() {
    applicationEnd = ApplicationEnd.register(this::close, this::closeAtJvmExit);
    ApplicationInfo application =
        ApplicationInfo.of(
            agentId, AgentVersion.CURRENT, ApplicationEnd.sparkVersion(), conf, config.tags());
    mapper = new RecordMapper(application, conf, accounting, config.warnAfter());
    Outbox outbox = new Outbox(config.bufferCapacity(), config.bufferMaxBytes(), accounting);
    metrics = new AgentMetrics(agentId, accounting, buffer, outbox, statistics);
    metrics.register();
    return new FlushCycle(
        buffer,
        mapper,
        new RecordLimiter(config.recordMaxBytes()),
        outbox,
        publisher(),
        accounting,
        warning,
        clock,
        config.heartbeatInterval());
  }

  private HealthPublisher publisher() {
    return config.toKafka()
        ? new KafkaHealthPublisher(
            config.topic(),
            config.kafka()::blotted,
            encoders(),
            KafkaProducers.of(config.kafka(), "streampulse-agent-" + agentId),
            accounting,
            statistics,
            warning,
            clock)
        : new LogHealthPublisher(accounting);
  }

  private Supplier<RecordEncoder> encoders() {
    return config
        .registry()
        .map(registry -> config.subject().encoders(registry.withoutRetries()))
        .orElse(RecordEncoder::singleObject);
  }
}
