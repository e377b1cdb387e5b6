package io.streampulse.consumer.append;

import io.streampulse.consumer.table.SqlText;
import io.streampulse.consumer.table.TableName;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Which checkpoint feeds a table from a topic, kept as a property of the table. The fence knows
 * only runs of one checkpoint; two checkpoints over one table and topic would append every record
 * twice, and the replay guard would have to hold them apart for ever. So there is one at a time,
 * and another one takes over only when it is told to.
 *
 * @param queryId the id in the checkpoint
 * @param checkpoint its folder, for people
 */
public record TableOwner(String queryId, String checkpoint) {
  private static final String PREFIX = "streampulse.fed-by.";
  private static final String CHECKPOINT = ".checkpoint";

  /** Who feeds the table from the topic; empty where nobody has yet. */
  public static Optional<TableOwner> of(SparkSession spark, TableName table, String topic) {
    Map<String, String> properties = new HashMap<>();
    for (Row row : spark.sql("SHOW TBLPROPERTIES " + table.sql()).collectAsList()) {
      properties.put(row.getString(0), row.getString(1));
    }
    String property = property(topic);
    return Optional.ofNullable(properties.get(property))
        .map(id -> new TableOwner(id, properties.getOrDefault(property + CHECKPOINT, "")));
  }

  /** Makes this checkpoint the one that feeds the table. */
  public void claim(SparkSession spark, TableName table, String topic) {
    String property = property(topic);
    spark.sql(
        "ALTER TABLE %s SET TBLPROPERTIES (%s = %s, %s = %s)"
            .formatted(
                table.sql(),
                SqlText.literal(property),
                SqlText.literal(queryId),
                SqlText.literal(property + CHECKPOINT),
                SqlText.literal(checkpoint)));
  }

  /**
   * Spark hides values whose key or text looks like a secret's, so neither has the topic's name.
   */
  private static String property(String topic) {
    return PREFIX + UUID.nameUUIDFromBytes(topic.getBytes(StandardCharsets.UTF_8));
  }

  /** Why another checkpoint may not feed the table too, and what can be done. */
  public FencedException refusal(TableName table, String topic) {
    return new FencedException(
        ("table %s is fed from topic %s by another checkpoint, %s: two consumers would append every"
                + " record twice, and keeping them apart would cost a comparison with the table for"
                + " ever. Start from that checkpoint, or set"
                + " spark.streampulse.consumer.take-over=true once: the other consumer is then"
                + " locked out, and what is in the table is not appended again")
            .formatted(table, topic, checkpoint));
  }
}
