package io.streampulse.consumer;

import io.streampulse.consumer.append.FencedException;
import io.streampulse.consumer.append.FileShape;
import io.streampulse.consumer.append.RunInfo;
import io.streampulse.consumer.append.TableAppender;
import io.streampulse.consumer.append.TableOwner;
import io.streampulse.consumer.checkpoint.CheckpointDirectory;
import io.streampulse.consumer.checkpoint.CheckpointState;
import io.streampulse.consumer.table.HealthTable;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health table and the quarantine table while one run feeds them: it takes them over from older
 * runs of its checkpoint, and from another checkpoint's consumer where the user has said so.
 *
 * @param health appends to the health table
 * @param quarantine appends to the quarantine table
 */
record FedTables(TableAppender health, TableAppender quarantine) {
  private static final Logger LOG = LoggerFactory.getLogger(FedTables.class);

  /** Creates the tables where they are not there. */
  static void prepare(SparkSession spark, ConsumerConfig config) {
    Optional<String> location = config.tableLocation();
    HealthTable.health(config.table()).prepare(spark, location, config.tableProperties());
    HealthTable.quarantine(config.quarantineTable())
        .prepare(spark, location.map(HealthTable::quarantineLocation), config.tableProperties());
  }

  /**
   * Asks, before a new checkpoint has an id, whether it may feed the table.
   *
   * @throws FencedException if another checkpoint feeds it
   */
  static void requireFree(SparkSession spark, ConsumerConfig config) {
    otherOwner(TableOwner.of(spark, config.table(), config.topic()), Optional.empty(), config);
  }

  /**
   * The tables of a run that has touched nothing yet.
   *
   * @param queryId the id in the run's checkpoint
   */
  static FedTables of(ConsumerConfig config, RunInfo run, String queryId) {
    FileShape files =
        new FileShape(config.maxPartitions().map(OptionalInt::of).orElse(OptionalInt.empty()));
    return new FedTables(
        new TableAppender(config.table(), config.topic(), run, queryId, files),
        new TableAppender(config.quarantineTable(), config.topic(), run, queryId, files));
  }

  /**
   * Locks older runs out, and other checkpoints' consumers where the user has said so.
   *
   * @throws FencedException if another checkpoint feeds the table
   */
  void take(SparkSession spark, ConsumerConfig config, String queryId) {
    Optional<TableOwner> owner = TableOwner.of(spark, config.table(), config.topic());
    Optional<TableOwner> other = otherOwner(owner, Optional.of(queryId), config);
    TableOwner self = new TableOwner(queryId, config.checkpoint());
    if (other.isPresent()) {
      LOG.warn(
          "The consumer with checkpoint {} is locked out of {}",
          other.get().checkpoint(),
          config.table());
      fenceOthers(spark, other);
    }
    if (owner.isEmpty() || other.isPresent()) {
      // Whoever starts after the claim sees it; whoever started before it is locked out after it.
      self.claim(spark, config.table(), config.topic());
      fenceOthers(spark, other);
    }
    health.open(spark);
    quarantine.open(spark);
    TableOwner now = TableOwner.of(spark, config.table(), config.topic()).orElse(self);
    if (!now.queryId().equals(queryId)) {
      throw now.refusal(config.table(), config.topic());
    }
  }

  /** Before it reads on, a run says what its checkpoint calls done and no table has. */
  void warnOfRowsThatAreNotThere(
      ConsumerConfig config, CheckpointDirectory checkpoint, CheckpointState state) {
    Map<Integer, Long> start = state.start().getOrDefault(config.topic(), Map.of());
    Map<Integer, Long> highest =
        StartChecks.higher(health.highestOffsets(), quarantine.highestOffsets());
    Map<Integer, Long> behind =
        StartChecks.behind(start, highest, checkpoint.initialOffsets(config.topic()));
    if (!behind.isEmpty()) {
      LOG.warn(
          "Checkpoint {} goes on after offsets that are in no table, by partition: {}. Rows were"
              + " lost, or the table was emptied or set back. To read them again, start with a new"
              + " checkpoint and spark.streampulse.consumer.take-over=true",
          checkpoint,
          behind);
    }
  }

  private void fenceOthers(SparkSession spark, Optional<TableOwner> owner) {
    health.fenceOthers(spark, owner);
    quarantine.fenceOthers(spark, owner);
  }

  /** The other checkpoint that feeds the table and may be locked out; empty where there is none. */
  private static Optional<TableOwner> otherOwner(
      Optional<TableOwner> owner, Optional<String> queryId, ConsumerConfig config) {
    Optional<TableOwner> other =
        owner.filter(found -> !queryId.equals(Optional.of(found.queryId())));
    if (other.isPresent() && !config.takeOver()) {
      throw other.get().refusal(config.table(), config.topic());
    }
    return other;
  }
}
