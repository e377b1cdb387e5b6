package io.streampulse.consumer;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigReader;
import io.streampulse.consumer.table.TableName;
import java.util.List;
import java.util.Map;

/** The consumer's two tables, for commands that need nothing else of its settings. */
public final class MaintainedTables {
  private MaintainedTables() {}

  /**
   * Health table and quarantine table.
   *
   * @throws ConfigException if a name is wrong
   */
  public static List<TableName> of(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    String table = reader.value(ConsumerKeys.TABLE);
    String quarantine = reader.find(ConsumerKeys.QUARANTINE_TABLE).orElse(table + "_quarantine");
    reader.throwIfProblems();
    return List.of(TableName.parse(table), TableName.parse(quarantine));
  }
}
