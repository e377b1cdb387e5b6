package io.streampulse.consumer.append;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/**
 * <b>Invariant 1, identity.</b> A row is one Kafka record, named by topic, partition, offset and
 * record timestamp. The timestamp tells offset 0 of a topic that was made anew from offset 0 of the
 * old one.
 */
final class RowIdentity {
  static final String TOPIC = "kafka.topic";
  static final String PARTITION = "kafka.partition";
  static final String OFFSET = "kafka.offset";
  static final String TIMESTAMP = "kafka.timestamp";

  private RowIdentity() {}

  /** The rows that name no record of the others. */
  static Dataset<Row> without(Dataset<Row> rows, Dataset<Row> others) {
    Dataset<Row> known =
        others.select(
            functions.col(TOPIC).as("knownTopic"),
            functions.col(PARTITION).as("knownPartition"),
            functions.col(OFFSET).as("knownOffset"),
            functions.col(TIMESTAMP).as("knownTimestamp"));
    Column same =
        rows.col(TOPIC)
            .equalTo(known.col("knownTopic"))
            .and(rows.col(PARTITION).equalTo(known.col("knownPartition")))
            .and(rows.col(OFFSET).equalTo(known.col("knownOffset")))
            .and(rows.col(TIMESTAMP).equalTo(known.col("knownTimestamp")));
    return rows.join(known, same, "left_anti");
  }
}
