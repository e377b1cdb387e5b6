package io.streampulse.testing;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Rows of the health table made by hand: agents, their queries' runs, and the batches of those. */
public final class HealthRows {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> LISTS =
      List.of("jobTags", "sources", "stateOperators", "activeRuns", "truncated");
  private static final List<String> MAPS =
      List.of(
          "dropped",
          "tags",
          "durationMs",
          "eventTimeStats",
          "observedMetrics",
          "latencies",
          "taskMetrics");

  private final List<String> rows = new ArrayList<>();

  /** An agent of an application of its own, which has sent nothing yet. */
  public Agent agent(String name) {
    return new Agent(name);
  }

  /** All rows as JSON, one for each; the columns of the health table except kafka. */
  public List<String> json() {
    return Collections.unmodifiableList(rows);
  }

  /** One agent instance. */
  public final class Agent {
    private final String name;
    private final ObjectNode dropped = JSON.createObjectNode();
    private long sequence;
    private Duration ingestDelay = Duration.ofSeconds(2);
    private String version = "0.1.0";
    private final ObjectNode tags = JSON.createObjectNode();

    private Agent(String name) {
      this.name = name;
    }

    public Agent heartbeats(Instant from, Instant to, Duration interval) {
      for (Instant time = from; !time.isAfter(to); time = time.plus(interval)) {
        send("HEARTBEAT", time, time, row -> {});
      }
      return this;
    }

    public Agent closes(Instant time) {
      return send("AGENT_STOPPED", time, time, row -> {});
    }

    /** Records that never reach the table, counted by the agent. */
    public Agent drops(String reason, long records) {
      dropped.put(reason, dropped.path(reason).asLong() + records);
      sequence += records;
      return this;
    }

    /** Records that never reach the table, and nobody counts. */
    public Agent loses(long records) {
      sequence += records;
      return this;
    }

    public Agent version(String agentVersion) {
      version = agentVersion;
      return this;
    }

    public Agent tag(String key, String value) {
      tags.put(key, value);
      return this;
    }

    public Agent ingestDelay(Duration delay) {
      ingestDelay = delay;
      return this;
    }

    public Run run(String queryId, String runId) {
      return new Run(this, queryId, runId);
    }

    private Agent send(
        String eventType, Instant eventTime, Instant observedTime, Consumer<ObjectNode> more) {
      ObjectNode row = JSON.createObjectNode();
      LISTS.forEach(row::putArray);
      MAPS.forEach(row::putObject);
      row.put("agentId", name)
          .put("sequence", sequence++)
          .put("eventType", eventType)
          .put("eventTime", eventTime.toString())
          .put("observedTime", observedTime.toString())
          .put("ingestedAt", observedTime.plus(ingestDelay).toString())
          .put("agentVersion", version)
          .put("applicationId", "app-" + name)
          .put("applicationName", name);
      row.set("dropped", dropped.deepCopy());
      row.set("tags", tags.deepCopy());
      more.accept(row);
      rows.add(row.toString());
      return this;
    }
  }

  /** One run of a query. */
  public static final class Run {
    private final Agent agent;
    private final String queryId;
    private final String runId;
    private long batchId;
    private long offset;

    private Run(Agent agent, String queryId, String runId) {
      this.agent = agent;
      this.queryId = queryId;
      this.runId = runId;
    }

    public Run starts(Instant time) {
      return send("STARTED", time, time, row -> {});
    }

    public Run idles(Instant time) {
      return send("IDLE", time, time, row -> {});
    }

    public Run stops(Instant time) {
      return send("TERMINATED", time, time, row -> {});
    }

    public Run fails(Instant time, String message) {
      return fails(time, "USER_ERROR", message);
    }

    public Run fails(Instant time, String errorClass, String message) {
      return send(
          "TERMINATED",
          time,
          time,
          row -> row.put("errorClass", errorClass).put("errorMessage", message));
    }

    public Run at(long nextBatchId, long nextOffset) {
      batchId = nextBatchId;
      offset = nextOffset;
      return this;
    }

    /** Batches, the last of which begins so long before the time. */
    public Run batches(int count, Duration gap, Instant lastBegins, Consumer<Batch> change) {
      for (int i = 0; i < count; i++) {
        Batch batch = new Batch(i, count);
        change.accept(batch);
        Instant begins = lastBegins.minus(gap.multipliedBy(count - 1L - i));
        offset += batch.rows;
        send("PROGRESS", begins, begins.plusMillis(batch.durationMs), row -> write(batch, row));
        batchId++;
      }
      return this;
    }

    private void write(Batch batch, ObjectNode row) {
      row.put("batchId", batchId)
          .put("numInputRows", batch.rows)
          .put("batchDurationMs", batch.durationMs)
          .put("fallingBehind", batch.streak > 0)
          .put("fallingBehindStreak", batch.streak);
      if (batch.watermark != null) {
        row.put("watermark", batch.watermark.toString());
      }
      batch.more.accept(row);
      batch.phases.forEach((phase, ms) -> ((ObjectNode) row.get("durationMs")).put(phase, ms));
      ObjectNode source = ((ArrayNode) row.get("sources")).addObject();
      source.put("endOffset", "{\"topic\":{\"0\":%d,\"1\":7}}".formatted(offset));
      if (batch.lag >= 0) {
        source.put("backlog", batch.lag);
      }
      if (batch.stateRows >= 0) {
        ((ArrayNode) row.get("stateOperators"))
            .addObject()
            .put("numRowsTotal", batch.stateRows)
            .put("numRowsRemoved", batch.stateRemoved)
            .put("memoryUsedBytes", 100 * batch.stateRows);
      }
    }

    private Run send(
        String eventType, Instant eventTime, Instant observedTime, Consumer<ObjectNode> more) {
      agent.send(
          eventType,
          eventTime,
          observedTime,
          row -> {
            row.put("queryId", queryId).put("runId", runId).put("queryName", queryId);
            more.accept(row);
          });
      return this;
    }
  }

  /** One batch: as a query has it that keeps up, unless changed. */
  public static final class Batch {
    public final int index;
    public final int count;
    public long rows = 1000;
    public long durationMs = 2000;
    public long lag;
    public int streak;
    public long stateRows = -1;
    public long stateRemoved;
    public Instant watermark;
    public Consumer<ObjectNode> more = row -> {};
    public Map<String, Long> phases = Map.of("addBatch", 1500L, "latestOffset", 100L);

    private Batch(int index, int count) {
      this.index = index;
      this.count = count;
    }

    /** How many come after it. */
    public int toEnd() {
      return count - 1 - index;
    }
  }
}
