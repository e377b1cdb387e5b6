package io.streampulse.consumer;

import io.streampulse.consumer.append.Positions;
import io.streampulse.consumer.append.TableAppender;
import io.streampulse.consumer.decode.DecodedMessages;
import io.streampulse.consumer.table.TableName;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.util.LongAccumulator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * <b>Invariant 6, nothing undecodable is lost or stops the stream.</b> Such messages go to the
 * quarantine table with their bytes, coordinates and the reason, under the same five invariants as
 * health records.
 *
 * <p>The tasks that decode a batch for the health table count what they can't decode, so that a
 * batch without such messages is read once, and the quarantine is not touched at all.
 */
final class Quarantine {
  private static final Logger LOG = LoggerFactory.getLogger(Quarantine.class);

  private final TableName table;
  private final TableAppender appender;
  private final LongAccumulator undecodable;
  private long seen;

  Quarantine(TableName table, TableAppender appender, LongAccumulator undecodable) {
    this.table = table;
    this.appender = appender;
    this.undecodable = undecodable;
    this.seen = undecodable.value();
  }

  /**
   * Appends the batch's undecodable messages, if the pass over it has met any.
   *
   * @param cached whether the batch was kept while it was compared with the table: a task that runs
   *     again on kept rows decodes nothing and counts nothing, so the count does not tell then
   */
  void append(Dataset<Row> batch, long batchId, Optional<Positions> before, boolean cached) {
    long now = undecodable.value();
    if (now > seen || (cached && !DecodedMessages.quarantineRows(batch).isEmpty())) {
      LOG.warn("Batch {} has messages that can't be decoded: they go to {}", batchId, table);
      // Few, and kept: they may have to be compared with the table.
      Dataset<Row> rows = DecodedMessages.quarantineRows(batch).persist();
      try {
        if (!cached) {
          requireTheSame(batchId, now - seen, rows.count());
        }
        appender.append(rows, before, OptionalLong.of(Math.max(1, now - seen)));
      } finally {
        rows.unpersist();
      }
    }
    seen = undecodable.value();
  }

  /**
   * A batch that was not kept is decoded anew here. With a registry that answers otherwise than
   * before, a message would be in neither table, or in both.
   */
  private static void requireTheSame(long batchId, long undecodableBefore, long undecodableNow) {
    if (undecodableBefore != undecodableNow) {
      throw new DecodedDifferentlyException(
          ("batch %d had %d messages that can't be decoded, and %d when it was read again, as where a"
                  + " schema was registered meanwhile or a task ran twice: it is read again from the"
                  + " topic, and kept")
              .formatted(batchId, undecodableBefore, undecodableNow));
    }
  }
}
