package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF0;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends one run's micro-batches to one table, each Kafka record exactly once, whatever the
 * checkpoint replays: {@linkplain Fence fence}, read, then write under a {@linkplain RunVersion
 * rising version}, behind the {@linkplain ReplayGuard replay guard}, with every {@linkplain
 * SkipDetection skip} an error.
 *
 * <p>Not thread-safe: batches come one after the other.
 */
public final class TableAppender {
  private static final Logger LOG = LoggerFactory.getLogger(TableAppender.class);

  private final TableName table;
  private final String topic;
  private final RunInfo run;
  private final RunVersion version;
  private final FileShape files;

  /** What no row in the table is above, by partition; null where that is not known any more. */
  private Map<Integer, Long> highest;

  /** By which other checkpoints' consumers are locked out; each lock has a higher one. */
  private final Map<String, RunVersion> othersVersions = new HashMap<>();

  private ReplayGuard guard;
  private volatile boolean fencing;
  private boolean appended;

  /**
   * An appender that has touched nothing yet.
   *
   * @param queryId the id in the checkpoint
   * @param files how many files an append makes
   */
  public TableAppender(
      TableName table, String topic, RunInfo run, String queryId, FileShape files) {
    this.table = table;
    this.topic = topic;
    this.run = run;
    this.version = RunVersion.of(queryId, run.start().toEpochMilli());
    this.files = files;
  }

  /**
   * Fences older runs of the checkpoint and reads where the table stands; once, before the first
   * append.
   */
  public void open(SparkSession spark) {
    Fence.raise(spark, table, version, run, topic);
    fencing = true;
    highest = HighestOffsets.read(spark, table, topic);
    guard = new ReplayGuard(topic, highest);
    LOG.info("Run {} appends to {}, which has {} of {}", run, table, highest, topic);
  }

  /** Whether older runs of the checkpoint are locked out by this one. */
  public boolean isFencing() {
    return fencing;
  }

  /** By partition, an offset that no row was above when this was opened. */
  public Map<Integer, Long> highestOffsets() {
    return Map.copyOf(highest);
  }

  /**
   * Locks all other checkpoints' consumers out of the table, as a newer run of theirs would: the
   * one that feeds it, and all that the table's history knows of.
   */
  public void fenceOthers(SparkSession spark, Optional<TableOwner> owner) {
    Set<String> others = new TreeSet<>(CommitNotes.appIds(spark, table, topic));
    owner.ifPresent(other -> others.add(RunVersion.of(other.queryId(), 0).appId()));
    others.remove(version.appId());
    for (String other : others) {
      RunVersion versions =
          othersVersions.computeIfAbsent(
              other, id -> RunVersion.ofAppId(id, run.start().toEpochMilli()));
      Fence.raise(spark, table, versions, run, topic);
    }
  }

  /**
   * Asks whether this run still may append, by a commit without rows.
   *
   * @throws FencedException if another run has taken over
   */
  public void requireNotFenced(SparkSession spark) {
    commit(DeltaAppend.nothing(spark, table), CommitNote.fence(run, version, topic));
  }

  /** Whether batches are still compared with the table. */
  public boolean isGuarding() {
    return !guard.isDone();
  }

  /**
   * Appends a batch's rows that are not in the table yet.
   *
   * @param rows the table's columns without {@code ingestedAt}; read several times while {@link
   *     #isGuarding}, so what they come from should be kept by then
   * @param before where the run stood before this batch; empty for a run's first batch
   * @param expectedRows about how many there are
   * @throws FencedException if another run has taken over
   */
  public void append(Dataset<Row> rows, Optional<Positions> before, OptionalLong expectedRows) {
    guard.advance(before);
    if (before.isPresent()) {
      raiseHighest(before.get());
    } else if (appended) {
      highest = null;
    }
    if (guard.isDone()) {
      write(rows, expectedRows);
    } else {
      appendUnseen(rows);
    }
    appended = true;
  }

  private void appendUnseen(Dataset<Row> rows) {
    ReplayGuard.Suspects suspects = guard.suspects(rows);
    if (suspects.ranges().isEmpty()) {
      if (suspects.rows() > 0) {
        write(rows, OptionalLong.of(suspects.rows()));
      }
      return;
    }
    Dataset<Row> candidates = guard.candidates(suspects, rows.sparkSession().table(table.sql()));
    Dataset<Row> unseen = RowIdentity.without(rows, candidates);
    long left = unseen.count();
    LOG.info(
        "Replay: {} of the batch's {} rows are in {} already ({} of its files were read)",
        suspects.rows() - left,
        suspects.rows(),
        table,
        candidates.inputFiles().length);
    if (left > 0) {
      write(left == suspects.rows() ? rows : unseen, OptionalLong.of(left));
    }
  }

  private void write(Dataset<Row> rows, OptionalLong expectedRows) {
    Instant ingestedAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
    CommitNote note =
        CommitNote.append(run, version, topic, ingestedAt, Optional.ofNullable(highest));
    Dataset<Row> shaped =
        files.shape(rows, expectedRows).withColumn("ingestedAt", constant(ingestedAt));
    commit(shaped, note);
  }

  /**
   * The same time in each row. A literal would stand in the code that Spark generates, so that each
   * batch had code of its own to be generated and compiled, and none was ever warm.
   */
  private static Column constant(Instant time) {
    UDF0<Instant> always = () -> time;
    return functions.udf(always, DataTypes.TimestampType).asNondeterministic().apply();
  }

  /** Appends under the run's next version, or tells who has taken over. */
  private void commit(Dataset<Row> rows, CommitNote note) {
    OptionalLong commit;
    try {
      commit = DeltaAppend.append(table, rows, version.appId(), version.next(), note);
    } catch (DeltaAppend.FencedConcurrently e) {
      throw fenced(rows.sparkSession(), e);
    }
    if (commit.isEmpty()) {
      throw fenced(rows.sparkSession(), null);
    }
    LOG.debug("Appended to {} as version {}", table, commit.getAsLong());
  }

  private void raiseHighest(Positions at) {
    if (highest != null) {
      Map<Integer, Long> raised = new TreeMap<>(highest);
      at.next()
          .forEach(
              (partition, next) -> {
                if (next > 0) {
                  raised.merge(partition, next - 1, Math::max);
                }
              });
      highest = raised;
    }
  }

  private FencedException fenced(SparkSession spark, Throwable cause) {
    return new FencedException(
        "fenced by run %s: it has taken over %s; two consumers can't share a checkpoint"
            .formatted(CommitNotes.otherRun(spark, table, version.appId(), run), table),
        cause);
  }
}
