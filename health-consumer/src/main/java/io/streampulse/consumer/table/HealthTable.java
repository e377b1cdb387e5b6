package io.streampulse.consumer.table;

import io.streampulse.consumer.decode.DecodedMessages;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the consumer's two Delta tables: health records, or quarantined messages. It is created by
 * SQL when it is not there, and appended to by {@link #append}, the only place that writes.
 *
 * <p>The append is <em>at least once</em>: after a stop of any kind the next run may append rows
 * again that are in the table already. Tell them apart by {@code kafka}: topic, partition, offset
 * and timestamp name a message.
 *
 * <p>Thread-safe as far as the Spark session is.
 */
public final class HealthTable {
  private static final Logger LOG = LoggerFactory.getLogger(HealthTable.class);

  private final TableName name;
  private final StructType columns;
  private final String comment;
  private final String clusterBy;
  private final String statisticsColumns;

  private HealthTable(
      TableName name,
      StructType columns,
      String comment,
      String clusterBy,
      String statisticsColumns) {
    this.name = name;
    this.columns = columns;
    this.comment = comment;
    this.clusterBy = clusterBy;
    this.statisticsColumns = statisticsColumns;
  }

  /** The table of health records. */
  public static HealthTable health(TableName name) {
    return new HealthTable(
        name,
        DecodedMessages.healthColumns(),
        "Health of every micro-batch of every streaming query, one row for each health record.",
        "queryId, eventTime",
        "kafka.topic,kafka.partition,kafka.offset,kafka.timestamp,agentId,sequence,eventType,"
            + "eventTime,observedTime,applicationId,queryId,runId,queryName,batchId,ingestedAt");
  }

  /** The table of messages that could not be decoded. */
  public static HealthTable quarantine(TableName name) {
    return new HealthTable(
        name,
        DecodedMessages.quarantineColumns(),
        "Messages of the health topic that could not be decoded, with their bytes.",
        "ingestedAt",
        "kafka.topic,kafka.partition,kafka.offset,kafka.timestamp,reason,ingestedAt");
  }

  public TableName name() {
    return name;
  }

  /**
   * Creates schema and table where they are not there.
   *
   * @param location where an external table goes; empty for a managed one
   * @param properties Delta table properties of the user's
   */
  public void createIfAbsent(
      SparkSession spark, Optional<String> location, Map<String, String> properties) {
    if (spark.catalog().tableExists(name.sql())) {
      return;
    }
    if (!spark.catalog().databaseExists(name.schemaSql())) {
      spark.sql("CREATE SCHEMA IF NOT EXISTS " + name.schemaSql());
    }
    spark.sql(createStatement(location, properties));
    LOG.info("Created table {}", name);
  }

  /**
   * Appends rows, at least once.
   *
   * @param rows the table's columns without {@code ingestedAt}
   */
  public void append(Dataset<Row> rows) {
    try {
      rows.withColumn("ingestedAt", functions.lit(Instant.now())).writeTo(name.sql()).append();
    } catch (org.apache.spark.sql.catalyst.analysis.NoSuchTableException e) {
      throw new IllegalStateException(
          "Table " + name + " is gone: it was there when the consumer started", e);
    }
  }

  String createStatement(Optional<String> location, Map<String, String> properties) {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("delta.dataSkippingStatsColumns", statisticsColumns);
    all.putAll(properties);
    return "CREATE TABLE IF NOT EXISTS %s (%s) USING DELTA CLUSTER BY (%s)%s COMMENT %s TBLPROPERTIES (%s)"
        .formatted(
            name.sql(),
            columns.toDDL(),
            clusterBy,
            location.map(path -> " LOCATION " + literal(path)).orElse(""),
            literal(comment),
            all.entrySet().stream()
                .map(e -> literal(e.getKey()) + " = " + literal(e.getValue()))
                .collect(Collectors.joining(", ")));
  }

  private static String literal(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
