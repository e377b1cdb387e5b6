package io.streampulse.consumer;

import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.source.KafkaSource;
import io.streampulse.consumer.table.HealthTable;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
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
  private final ReentrantLock batchLock = new ReentrantLock();
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
   * Waits until the query ends.
   *
   * @throws StreamingQueryException if it ends by a failure
   */
  public void awaitTermination() throws StreamingQueryException {
    query.awaitTermination();
  }

  /** The running query. */
  public StreamingQuery query() {
    return query;
  }

  /**
   * Ends the query after its running micro-batch; a batch that takes longer than the timeout is
   * interrupted.
   */
  public void stop(long timeout, TimeUnit unit) {
    boolean locked = false;
    try {
      locked = batchLock.tryLock(timeout, unit);
      if (!locked) {
        LOG.warn("The running micro-batch did not end in {} {}: it is interrupted", timeout, unit);
      }
      query.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (TimeoutException e) {
      LOG.warn("The query did not stop in time: {}", e.getMessage());
    } finally {
      if (locked) {
        batchLock.unlock();
      }
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
            .foreachBatch(this::append);
    if (config.asyncProgress()) {
      AsyncProgress.enable(writer, config.asyncProgressInterval());
    }
    try {
      return writer.start();
    } catch (TimeoutException e) {
      throw new IllegalStateException("The query did not start in time", e);
    }
  }

  private void append(Dataset<Row> batch, long batchId) {
    batchLock.lock();
    try {
      long before = undecodable.value();
      health.append(DecodedMessages.healthRows(batch));
      if (undecodable.value() > before) {
        LOG.warn(
            "Batch {} has messages that can't be decoded: they go to {}",
            batchId,
            quarantine.name());
        quarantine.append(DecodedMessages.quarantineRows(batch));
      }
    } finally {
      batchLock.unlock();
    }
  }
}
