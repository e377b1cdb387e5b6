package io.streampulse.consumer;

import io.streampulse.consumer.append.FencedException;
import io.streampulse.consumer.append.Positions;
import io.streampulse.consumer.append.RunInfo;
import io.streampulse.consumer.append.TableAppender;
import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.session.SessionDefault;
import io.streampulse.consumer.source.KafkaSource;
import io.streampulse.consumer.source.SourceWatchdog;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run of the central job: reads health records from the topic and appends them to the health
 * table, each exactly once; what can't be decoded goes to the quarantine table.
 *
 * <pre>{@code
 * HealthConsumer consumer = HealthConsumer.start(spark, config);
 * consumer.awaitTermination();
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class HealthConsumer {
  /** Spark's name of the query. */
  public static final String QUERY_NAME = "streampulse-health";

  private static final Duration WATCHDOG_INTERVAL = Duration.ofSeconds(1);

  /** Spark's limit for the stop of a query, which is none by default. */
  private static final String STOP_TIMEOUT = "spark.sql.streaming.stopTimeout";

  private static final Duration DEFAULT_STOP_TIMEOUT = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(HealthConsumer.class);

  private final SparkSession spark;
  private final ConsumerConfig config;
  private final RunInfo run = RunInfo.starting();
  private final LongAccumulator undecodable;
  private final BatchGate batches = new BatchGate();
  private final CountDownLatch tableTaken = new CountDownLatch(1);
  private final Object stopping = new Object();
  private volatile FedTables tables;
  private Quarantine quarantine;
  private StreamingQuery query;
  private Optional<SourceWatchdog> watchdog = Optional.empty();

  /** A run that has not started, and has touched nothing yet. */
  public HealthConsumer(SparkSession spark, ConsumerConfig config) {
    this.spark = spark;
    this.config = config;
    this.undecodable = spark.sparkContext().longAccumulator("undecodable messages");
  }

  /**
   * Makes a run and starts it.
   *
   * @see #start()
   */
  public static HealthConsumer start(SparkSession spark, ConsumerConfig config) {
    HealthConsumer consumer = new HealthConsumer(spark, config);
    consumer.start();
    return consumer;
  }

  /**
   * Checks the checkpoint, creates the tables where they are not there, locks older runs out and
   * starts the query. Once.
   *
   * @throws io.streampulse.consumer.checkpoint.CheckpointException if the checkpoint can't be used
   * @throws io.streampulse.consumer.table.TableException if a table does not fit
   * @throws FencedException if another checkpoint feeds the table
   * @throws RuntimeException if the storage, the catalog or the broker fails
   */
  public void start() {
    CheckpointDirectory checkpoint =
        CheckpointDirectory.at(config.checkpoint(), spark.sparkContext().hadoopConfiguration());
    CheckpointState found = StartChecks.checkpoint(checkpoint, config);
    FedTables.prepare(spark, config);
    if (found.queryId().isEmpty() && !config.takeOver()) {
      FedTables.requireFree(spark, config);
    }
    // Before Spark reads the checkpoint, so that an older run that still lives can't move it on.
    found.queryId().ifPresent(this::takeTables);
    CheckpointState state = StartChecks.mended(checkpoint, found, config);
    query = startQuery();
    boolean taken = false;
    try {
      if (state.queryId().isEmpty()) {
        takeTables(query.id().toString());
      }
      tables.warnOfRowsThatAreNotThere(config, checkpoint, state);
      taken = true;
    } finally {
      if (!taken) {
        stopQuery();
      }
    }
    tableTaken.countDown();
    if (KafkaSource.usesConsumerForOffsets(spark, config)) {
      watchdog = Optional.of(KafkaSource.watchdog(config, query, batches::isBusy));
    }
  }

  /**
   * Waits until the query has ended, and a {@link #stop} that ended it has returned: only then may
   * the Spark context be stopped.
   *
   * @throws StreamingQueryException if it ends by a failure
   * @throws RuntimeException if the broker gives Spark no answer that it would wait for without an
   *     end; the query is stopped then, as far as it can be
   */
  public void awaitTermination() throws StreamingQueryException {
    try {
      if (watchdog.isEmpty()) {
        query.awaitTermination();
      } else {
        awaitTermination(watchdog.get());
      }
    } finally {
      synchronized (stopping) {
        LOG.debug("The query has ended");
      }
    }
  }

  private void awaitTermination(SourceWatchdog watchdog) throws StreamingQueryException {
    boolean ended = false;
    spark.streams().addListener(watchdog);
    try {
      while (!query.awaitTermination(WATCHDOG_INTERVAL.toMillis())) {
        watchdog.check();
      }
      ended = true;
    } finally {
      spark.streams().removeListener(watchdog);
      if (!ended) {
        stopQuery();
      }
    }
  }

  /** The running query. */
  public StreamingQuery query() {
    return query;
  }

  /**
   * Ends the query after its running micro-batch; a batch that takes longer than the timeout is
   * interrupted.
   */
  public void stop(Duration timeout) {
    synchronized (stopping) {
      batches.stopWhenIdle(timeout, this::stopQuery);
    }
  }

  /** Whether it has begun to lock older runs out; also where the start has failed after that. */
  public boolean isFencing() {
    FedTables taken = tables;
    return taken != null && taken.health().isFencing();
  }

  /**
   * Asks, after a failure, whether another run has taken over meanwhile; only where it {@link
   * #isFencing}.
   *
   * @throws FencedException if so
   */
  public void requireNotFenced() {
    tables.health().requireNotFenced(spark);
  }

  private void stopQuery() {
    // A thread that waits for a broker can't be interrupted; without a limit Spark waits for it.
    try {
      SessionDefault.during(
          spark,
          STOP_TIMEOUT,
          Long.toString(DEFAULT_STOP_TIMEOUT.toMillis()),
          () -> {
            query.stop();
            return null;
          });
    } catch (TimeoutException e) {
      LOG.warn("The query did not stop in time: {}", e.getMessage());
    }
  }

  private void takeTables(String queryId) {
    tables = FedTables.of(config, run, queryId);
    tables.take(spark, config, queryId);
    quarantine = new Quarantine(config.quarantineTable(), tables.quarantine(), undecodable);
  }

  private StreamingQuery startQuery() {
    Dataset<Row> decoded =
        DecodedMessages.observed(
            DecodedMessages.decode(
                KafkaSource.read(spark, config), config.registry(), undecodable));
    DataStreamWriter<Row> writer =
        decoded
            .writeStream()
            .queryName(QUERY_NAME)
            .option("checkpointLocation", config.checkpoint())
            .trigger(config.trigger().spark())
            .foreachBatch(this::runBatch);
    if (config.asyncProgress()) {
      AsyncProgress.enable(writer, config.asyncProgressInterval());
    }
    try {
      return KafkaSource.start(spark, config, writer);
    } catch (TimeoutException e) {
      throw new IllegalStateException("The query did not start in time", e);
    }
  }

  private void runBatch(Dataset<Row> batch, long batchId) throws InterruptedException {
    tableTaken.await();
    batches.run(() -> append(batch, batchId));
  }

  private void append(Dataset<Row> batch, long batchId) {
    // The progress of the batch before, or of this one's id, when the query was idle in between.
    Optional<StreamingQueryProgress> last =
        Optional.ofNullable(query.lastProgress())
            .filter(p -> p.batchId() == batchId - 1 || p.batchId() == batchId);
    Optional<Positions> before = last.flatMap(p -> Positions.after(p, config.topic()));
    // That of an idle query tells nothing of the burst that may follow.
    OptionalLong expectedRows =
        last.filter(p -> p.batchId() == batchId - 1)
            .map(p -> OptionalLong.of(p.numInputRows()))
            .orElse(OptionalLong.empty());
    TableAppender health = tables.health();
    boolean guarding = health.isGuarding();
    // Kept while it is looked at several times, and not read from the topic and decoded anew.
    Dataset<Row> decoded = guarding ? batch.persist() : batch;
    try {
      health.append(DecodedMessages.healthRows(decoded), before, expectedRows);
      quarantine.append(decoded, batchId, before, guarding);
    } finally {
      if (guarding) {
        decoded.unpersist();
      }
    }
  }
}
