package io.streampulse.consumer.table;

import io.delta.tables.DeltaTable;
import io.streampulse.consumer.decode.DecodedMessages;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the consumer's two Delta tables: health records, or quarantined messages. It is created by
 * SQL when it is not there, and gets the columns it lacks.
 *
 * <p>Thread-safe as far as the Spark session is.
 */
public final class HealthTable {
  private static final Logger LOG = LoggerFactory.getLogger(HealthTable.class);

  private final TableName name;
  private final String setting;
  private final StructType columns;
  private final String comment;
  private final String clusterBy;
  private final String statisticsColumns;

  private HealthTable(
      TableName name,
      String setting,
      StructType columns,
      String comment,
      String clusterBy,
      String statisticsColumns) {
    this.name = name;
    this.setting = setting;
    this.columns = columns;
    this.comment = comment;
    this.clusterBy = clusterBy;
    this.statisticsColumns = statisticsColumns;
  }

  /** The table of health records. */
  public static HealthTable health(TableName name) {
    return new HealthTable(
        name,
        "spark.streampulse.consumer.table",
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
        "spark.streampulse.consumer.quarantine-table",
        DecodedMessages.quarantineColumns(),
        "Messages of the health topic that could not be decoded, with their bytes.",
        "ingestedAt",
        "kafka.topic,kafka.partition,kafka.offset,kafka.timestamp,reason,ingestedAt");
  }

  /**
   * Creates schema and table where they are not there, and adds the columns that an older version's
   * table lacks. Nothing is ever dropped or changed.
   *
   * @param location where an external table goes; empty for a managed one
   * @param properties Delta table properties of the user's, for a table that is created
   * @throws TableException if it has a column of another type, or is not a Delta table
   */
  public void prepare(
      SparkSession spark, Optional<String> location, Map<String, String> properties) {
    if (!spark.catalog().tableExists(name.sql())) {
      create(spark, location, properties);
    }
    requireDelta(spark);
    TableColumns difference = TableColumns.compare(columns, spark.table(name.sql()).schema());
    if (!difference.unfit().isEmpty()) {
      throw new TableException(
          "table %s does not fit: column %s. Change the column (or name another table in %s)"
              .formatted(name, String.join("; column ", difference.unfit()), setting),
          null);
    }
    if (!difference.missing().isEmpty()) {
      LOG.info("Table {} gets the columns {}", name, difference.missing());
      spark.sql(
          "ALTER TABLE %s ADD COLUMNS (%s)"
              .formatted(name.sql(), String.join(", ", difference.missing())));
    }
  }

  /**
   * Makes an external table known to a catalog that has forgotten it, as one in memory does.
   *
   * @throws TableException if it is not at the location, where Delta would make one of no columns
   */
  public void register(SparkSession spark, Optional<String> location) {
    if (spark.catalog().tableExists(name.sql())) {
      return;
    }
    if (location.isEmpty()) {
      throw new TableException(
          "table %s is not there: nothing was appended yet, or %s names another"
              .formatted(name, setting),
          null);
    }
    if (!DeltaTable.isDeltaTable(spark, location.get())) {
      throw new TableException(
          "table %s is not at %s: nothing was appended yet, or spark.streampulse.consumer.table-location names another place"
              .formatted(name, location.get()),
          null);
    }
    createSchema(spark);
    spark.sql(
        "CREATE TABLE IF NOT EXISTS %s USING DELTA LOCATION %s"
            .formatted(name.sql(), SqlText.literal(location.get())));
  }

  /** Where the quarantine table goes beside an external health table. */
  public static String quarantineLocation(String location) {
    return location + "_quarantine";
  }

  private void createSchema(SparkSession spark) {
    if (!spark.catalog().databaseExists(name.schemaSql())) {
      spark.sql("CREATE SCHEMA IF NOT EXISTS " + name.schemaSql());
    }
  }

  private void create(
      SparkSession spark, Optional<String> location, Map<String, String> properties) {
    createSchema(spark);
    try {
      spark.sql(createStatement(location, properties));
      LOG.info("Created table {}", name);
    } catch (Exception e) {
      // At the location there is a table that has lived: its properties and columns are its own.
      if (location.isEmpty() || !String.valueOf(e.getMessage()).contains("[DELTA_CREATE_TABLE_")) {
        throw Sneaky.<RuntimeException>rethrow(e);
      }
      register(spark, location);
      LOG.info("Table {} is the one that is at {}", name, location.get());
    }
  }

  private void requireDelta(SparkSession spark) {
    try {
      spark.sql("DESCRIBE HISTORY " + name.sql() + " LIMIT 1").collectAsList();
    } catch (Exception e) {
      if (String.valueOf(e.getMessage()).contains("[DELTA_ONLY_OPERATION]")) {
        throw new TableException(
            "table %s is not a Delta table: name another in %s".formatted(name, setting), e);
      }
      throw Sneaky.<RuntimeException>rethrow(e);
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
            location.map(path -> " LOCATION " + SqlText.literal(path)).orElse(""),
            SqlText.literal(comment),
            all.entrySet().stream()
                .map(e -> SqlText.literal(e.getKey()) + " = " + SqlText.literal(e.getValue()))
                .collect(Collectors.joining(", ")));
  }
}
