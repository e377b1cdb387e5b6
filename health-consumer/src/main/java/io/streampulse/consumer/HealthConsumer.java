package io.streampulse.consumer;

import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.source.KafkaSource;
import io.streampulse.consumer.table.HealthTable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.DataStreamWriter;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The central job: reads health records from the topic and appends them to the health table; what
 * can't be decoded goes to the quarantine table.
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

  private static final Logger LOG = LoggerFactory.getLogger(HealthConsumer.class);

  private final HealthTable health;
  private final HealthTable quarantine;
  private final LongAccumulator undecodable;
  private final BatchGate batches = new BatchGate();
  private final Object stopping = new Object();
  private StreamingQuery query;

  private HealthConsumer(HealthTable health, HealthTable quarantine, LongAccumulator undecodable) {
    this.health = health;
    this.quarantine = quarantine;
    this.undecodable = undecodable;
  }

  /**
   * Creates the tables where they are not there and starts the query.
   *
   * @throws RuntimeException if the tables can't be created or the query can't be started
   */
  public static HealthConsumer start(SparkSession spark, ConsumerConfig config) {
    HealthConsumer consumer =
        new HealthConsumer(
            HealthTable.health(config.table()),
            HealthTable.quarantine(config.quarantineTable()),
            spark.sparkContext().longAccumulator("undecodable messages"));
    Optional<String> location = config.tableLocation();
    consumer.health.createIfAbsent(spark, location, config.tableProperties());
    consumer.quarantine.createIfAbsent(
        spark, location.map(path -> path + "_quarantine"), config.tableProperties());
    consumer.query = consumer.startQuery(spark, config);
    return consumer;
  }

  /**
   * Waits until the query has ended, and a {@link #stop} that ended it has returned: only then may
   * the Spark context be stopped.
   *
   * @throws StreamingQueryException if it ends by a failure
   */
  public void awaitTermination() throws StreamingQueryException {
    try {
      query.awaitTermination();
    } finally {
      synchronized (stopping) {
        LOG.debug("The query has ended");
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

  private void stopQuery() {
    try {
      query.stop();
    } catch (TimeoutException e) {
      LOG.warn("The query did not stop in time: {}", e.getMessage());
    }
  }

  private StreamingQuery startQuery(SparkSession spark, ConsumerConfig config) {
    Dataset<Row> decoded = DecodedMessages.decode(KafkaSource.read(spark, config), undecodable);
    DataStreamWriter<Row> writer =
        decoded
            .writeStream()
            .queryName(QUERY_NAME)
            .option("checkpointLocation", config.checkpoint())
            .trigger(Trigger.ProcessingTime(config.trigger().toMillis()))
            .foreachBatch(this::runBatch);
    if (config.asyncProgress()) {
      AsyncProgress.enable(writer, config.asyncProgressInterval());
    }
    try {
      return writer.start();
    } catch (TimeoutException e) {
      throw new IllegalStateException("The query did not start in time", e);
    }
  }

  private void runBatch(Dataset<Row> batch, long batchId) throws InterruptedException {
    batches.run(() -> append(batch, batchId));
  }

  private void append(Dataset<Row> batch, long batchId) {
    long before = undecodable.value();
    health.append(DecodedMessages.healthRows(batch));
    if (undecodable.value() > before) {
      LOG.warn(
          "Batch {} has messages that can't be decoded: they go to {}", batchId, quarantine.name());
      quarantine.append(DecodedMessages.quarantineRows(batch));
    }
  }
}
