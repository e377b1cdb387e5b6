package io.streampulse.agent.mapping;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.ActiveRun;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryIdleEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterator;

/**
 * Turns events into health records, follows which runs are active, and warns when a query falls
 * behind.
 *
 * <p>Not thread-safe: the flusher thread's own, except {@link #activeRunCount()} and {@link
 * #stopWatching}.
 */
public final class RecordMapper {
  private static final Logger LOG = LoggerFactory.getLogger(RecordMapper.class);
  private static final int LONGEST_EXCEPTION = 32_768;
  private static final int LONGEST_MESSAGE = 4_096;
  private static final int MOST_JOB_TAGS = 100;

  private final ApplicationInfo application;
  private final Redactor redactor;
  private final ProgressMapper progressMapper;
  private final Accounting accounting;
  private final int warnAfter;
  private final FallingBehind fallingBehind = new FallingBehind();
  private final Map<String, ActiveRun> activeRuns = new LinkedHashMap<>();
  private final Queue<String> unwatched = new ConcurrentLinkedQueue<>();
  private volatile int activeRunCount;

  /**
   * @param conf the application's Spark conf, for what it says of secrets and of the platform
   * @param warnAfter warn from this many batches in a row that fell behind
   */
  public RecordMapper(
      ApplicationInfo application, Map<String, String> conf, Accounting accounting, int warnAfter) {
    this.redactor = Redactor.of(conf);
    this.application = application.redacted(redactor);
    this.progressMapper =
        new ProgressMapper(redactor, conf.keySet().stream().anyMatch(RecordMapper::isDatabricks));
    this.accounting = accounting;
    this.warnAfter = warnAfter;
  }

  /**
   * The record of an event.
   *
   * @throws IllegalArgumentException for a kind of event that is not known
   */
  public HealthRecord map(StampedEvent stamped) {
    Instant observed = Instant.ofEpochMilli(stamped.observedMillis());
    HealthRecord record = empty(stamped.sequence(), observed);
    if (stamped.event() instanceof QueryProgressEvent event) {
      progress(event.progress(), record);
    } else if (stamped.event() instanceof QueryStartedEvent event) {
      started(event, record);
    } else if (stamped.event() instanceof QueryIdleEvent event) {
      query(record, EventType.IDLE, event.id(), event.runId(), nameOf(event.runId()));
      record.setEventTime(ProgressMapper.instant(event.timestamp(), observed));
    } else if (stamped.event() instanceof QueryTerminatedEvent event) {
      terminated(event, record);
    } else {
      throw new IllegalArgumentException("Unknown query event " + stamped.event().getClass());
    }
    return record;
  }

  /** A record of the agent's own, naming the runs that are active. */
  public HealthRecord agentEvent(EventType type, Instant now) {
    for (String runId; (runId = unwatched.poll()) != null; ) {
      ended(runId);
    }
    HealthRecord record = empty(accounting.nextSequence(), now);
    record.setEventType(type);
    record.setActiveRuns(new ArrayList<>(activeRuns.values()));
    return record;
  }

  /** Nobody hears of these runs any more, so nobody can say that they are active. Thread-safe. */
  public void stopWatching(Collection<UUID> runs) {
    runs.forEach(run -> unwatched.add(run.toString()));
  }

  /** How many runs have started and not ended, and are watched; safe from any thread. */
  public int activeRunCount() {
    return Math.max(0, activeRunCount - unwatched.size());
  }

  private void progress(StreamingQueryProgress progress, HealthRecord record) {
    query(record, EventType.PROGRESS, progress.id(), progress.runId(), progress.name());
    record.setEventTime(ProgressMapper.instant(progress.timestamp(), record.getEventTime()));
    active(record);
    progressMapper.map(progress, record);
    double input = progress.inputRowsPerSecond();
    double processed = progress.processedRowsPerSecond();
    boolean behind = FallingBehind.test(input, processed);
    int streak = fallingBehind.streakAfter(record.getRunId(), behind);
    record.setFallingBehind(behind);
    record.setFallingBehindStreak(streak);
    if (streak >= warnAfter
        && fallingBehind.mayWarn(record.getRunId(), record.getObservedTime().toEpochMilli())) {
      LOG.warn(
          "Query {} batch {}: falling behind ({} processed/s < {} input/s), {} in a row",
          label(record),
          progress.batchId(),
          oneDecimal(processed),
          oneDecimal(input),
          streak);
    }
  }

  private void started(QueryStartedEvent event, HealthRecord record) {
    query(record, EventType.STARTED, event.id(), event.runId(), event.name());
    record.setEventTime(ProgressMapper.instant(event.timestamp(), record.getEventTime()));
    List<String> tags = jobTags(event);
    if (tags.size() > MOST_JOB_TAGS) {
      tags = tags.subList(0, MOST_JOB_TAGS);
      RecordLimiter.addTruncated(record, "jobTags");
    }
    record.setJobTags(tags);
    active(record);
  }

  private List<String> jobTags(QueryStartedEvent event) {
    List<String> tags = new ArrayList<>();
    try {
      for (Iterator<String> all = event.jobTags().iterator(); all.hasNext(); ) {
        tags.add(redactor.text(all.next()));
      }
    } catch (LinkageError e) {
      return List.of(); // Spark 3.5 has none
    }
    return tags;
  }

  private void ended(String runId) {
    activeRuns.remove(runId);
    activeRunCount = activeRuns.size();
    fallingBehind.forget(runId);
  }

  /** Also learnt from progress: an agent attached in code may have missed the start. */
  private void active(HealthRecord record) {
    activeRuns.putIfAbsent(
        record.getRunId(),
        new ActiveRun(record.getQueryId(), record.getRunId(), record.getQueryName()));
    activeRunCount = activeRuns.size();
  }

  private void terminated(QueryTerminatedEvent event, HealthRecord record) {
    query(record, EventType.TERMINATED, event.id(), event.runId(), nameOf(event.runId()));
    // First, so that the run has ended whatever is wrong with the rest.
    ended(record.getRunId());
    // Spark writes the text "null" for an exception without message.
    text(event.exception())
        .filter(exception -> !exception.equals("null"))
        .ifPresent(
            exception -> {
              // Cut before and after: patterns need not look at megabytes.
              String redacted = redactor.text(Texts.capped(exception, 2 * LONGEST_EXCEPTION));
              record.setException(Texts.capped(redacted, LONGEST_EXCEPTION));
              String message = redacted.lines().findFirst().orElse("");
              record.setErrorMessage(Texts.capped(message, LONGEST_MESSAGE));
              if (message.length() > LONGEST_MESSAGE) {
                RecordLimiter.addTruncated(record, "errorMessage");
              }
              if (exception.length() > LONGEST_EXCEPTION) {
                RecordLimiter.addTruncated(record, "exception");
              }
            });
    record.setErrorClass(text(event.errorClassOnException()).orElse(null));
  }

  private HealthRecord empty(long sequence, Instant observed) {
    return HealthRecord.newBuilder()
        .setAgentId(application.agentId())
        .setSequence(sequence)
        .setEventType(EventType.UNKNOWN)
        .setEventTime(observed)
        .setObservedTime(observed)
        .setAgentVersion(application.agentVersion())
        .setDropped(accounting.droppedByReason())
        .setApplicationId(application.applicationId())
        .setApplicationName(application.applicationName())
        .setSparkVersion(application.sparkVersion())
        .setHost(application.host())
        .setClusterId(application.clusterId())
        .setJobId(application.jobId())
        .setJobRunId(application.jobRunId())
        .setTags(application.tags())
        .build();
  }

  private static void query(
      HealthRecord record, EventType type, UUID queryId, UUID runId, String name) {
    record.setEventType(type);
    record.setQueryId(queryId.toString());
    record.setRunId(runId.toString());
    record.setQueryName(name);
  }

  /** Idle and terminated events carry no name: the started event's is remembered. */
  private String nameOf(UUID runId) {
    ActiveRun run = activeRuns.get(runId.toString());
    return run == null ? null : run.getQueryName();
  }

  /** Only Databricks adds real-time metrics, and the JSON of a large progress is costly. */
  private static boolean isDatabricks(String setting) {
    return setting.startsWith("spark.databricks.clusterUsageTags.");
  }

  private static Optional<String> text(Option<String> option) {
    return option.isDefined() ? Optional.ofNullable(option.get()) : Optional.empty();
  }

  private static String label(HealthRecord record) {
    return record.getQueryName() == null ? record.getQueryId() : record.getQueryName();
  }

  private static double oneDecimal(double rate) {
    return Math.round(rate * 10) / 10.0;
  }
}
