package io.streampulse.consumer.fleet;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.decode.DecodedMessages;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Rows of the health table made by hand: agents, their queries' runs, and the batches of those. */
final class HealthRows {
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
  Agent agent(String name) {
    return new Agent(name);
  }

  Dataset<Row> in(SparkSession spark) {
    return spark
        .read()
        .schema(DecodedMessages.healthColumns())
        .json(spark.createDataset(rows, Encoders.STRING()));
  }

  /** One agent instance. */
  final class Agent {
    private final String name;
    private final ObjectNode dropped = JSON.createObjectNode();
    private long sequence;
    private Duration ingestDelay = Duration.ofSeconds(2);
    private String version = "0.1.0";
    private final ObjectNode tags = JSON.createObjectNode();

    private Agent(String name) {
      this.name = name;
    }

    Agent heartbeats(Instant from, Instant to, Duration interval) {
      for (Instant time = from; !time.isAfter(to); time = time.plus(interval)) {
        send("HEARTBEAT", time, time, row -> {});
      }
      return this;
    }

    Agent closes(Instant time) {
      return send("AGENT_STOPPED", time, time, row -> {});
    }

    /** Records that never reach the table, counted by the agent. */
    Agent drops(String reason, long records) {
      dropped.put(reason, dropped.path(reason).asLong() + records);
      sequence += records;
      return this;
    }

    /** Records that never reach the table, and nobody counts. */
    Agent loses(long records) {
      sequence += records;
      return this;
    }

    Agent version(String agentVersion) {
      version = agentVersion;
      return this;
    }

    Agent tag(String key, String value) {
      tags.put(key, value);
      return this;
    }

    Agent ingestDelay(Duration delay) {
      ingestDelay = delay;
      return this;
    }

    Run run(String queryId, String runId) {
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
  static final class Run {
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

    Run starts(Instant time) {
      return send("STARTED", time, time, row -> {});
    }

    Run idles(Instant time) {
      return send("IDLE", time, time, row -> {});
    }

    Run stops(Instant time) {
      return send("TERMINATED", time, time, row -> {});
    }

    Run fails(Instant time, String message) {
      return fails(time, "USER_ERROR", message);
    }

    Run fails(Instant time, String errorClass, String message) {
      return send(
          "TERMINATED",
          time,
          time,
          row -> row.put("errorClass", errorClass).put("errorMessage", message));
    }

    Run at(long nextBatchId, long nextOffset) {
      batchId = nextBatchId;
      offset = nextOffset;
      return this;
    }

    /** Batches, the last of which begins so long before the time. */
    Run batches(int count, Duration gap, Instant lastBegins, Consumer<Batch> change) {
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
  static final class Batch {
    final int index;
    final int count;
    long rows = 1000;
    long durationMs = 2000;
    long lag;
    int streak;
    long stateRows = -1;
    long stateRemoved;
    Instant watermark;
    Consumer<ObjectNode> more = row -> {};
    Map<String, Long> phases = Map.of("addBatch", 1500L, "latestOffset", 100L);

    private Batch(int index, int count) {
      this.index = index;
      this.count = count;
    }

    /** How many come after it. */
    int toEnd() {
      return count - 1 - index;
    }
  }
}
