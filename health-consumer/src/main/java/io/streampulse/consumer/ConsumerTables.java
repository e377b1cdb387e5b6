package io.streampulse.consumer;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.consumer.table.HealthTable;
import io.streampulse.consumer.table.TableName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;

/**
 * The consumer's two tables, for commands that need nothing else of its settings.
 *
 * @param health the health table's name
 * @param quarantine the quarantine table's name
 * @param location where the health table is, if external
 */
public record ConsumerTables(TableName health, TableName quarantine, Optional<String> location) {

  /**
   * Reads Spark conf.
   *
   * @throws ConfigException if a name is wrong, or a key is no setting
   */
  public static ConsumerTables read(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    ConsumerTables tables = read(reader);
    reader.throwIfProblems();
    return tables;
  }

  /** Reads their settings; a key that is none is a problem, for it may have been meant for them. */
  static ConsumerTables read(ConfigReader reader) {
    String table = reader.value(ConsumerKeys.TABLE);
    String quarantine = reader.find(ConsumerKeys.QUARANTINE_TABLE).orElse(table + "_quarantine");
    reader
        .unknown(
            ConsumerKeys.ALL,
            List.of(ConsumerKeys.TABLE_PROPERTIES_PREFIX, ConfigKey.PREFIX + "agent."))
        .forEach(reader::problem);
    return new ConsumerTables(
        TableName.parse(table),
        TableName.parse(quarantine),
        // The quarantine is beside it, and not in it.
        reader.find(ConsumerKeys.TABLE_LOCATION).map(path -> path.replaceAll("(?<=[^/])/+$", "")));
  }

  /** Both names, known to the session's catalog. */
  public List<TableName> open(SparkSession spark) {
    HealthTable.health(health).register(spark, location);
    HealthTable.quarantine(quarantine)
        .register(spark, location.map(HealthTable::quarantineLocation));
    return List.of(health, quarantine);
  }
}
