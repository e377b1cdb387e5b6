package io.streampulse.consumer.table;

import java.util.List;

/** A table's name in three parts, as Unity Catalog has it. */
public record TableName(String catalog, String schema, String table) {

  /**
   * The parts of {@code catalog.schema.table}.
   *
   * @throws IllegalArgumentException if there are not three
   */
  public static TableName parse(String name) {
    List<String> parts = List.of(name.split("\\.", -1));
    if (parts.size() != 3) {
      throw new IllegalArgumentException(name + " does not have three parts");
    }
    return new TableName(parts.get(0), parts.get(1), parts.get(2));
  }

  /** The name as it stands in SQL, each part quoted. */
  public String sql() {
    return schemaSql() + ".`" + table + "`";
  }

  /** The schema's name as it stands in SQL, each part quoted. */
  public String schemaSql() {
    return "`" + catalog + "`.`" + schema + "`";
  }

  @Override
  public String toString() {
    return catalog + "." + schema + "." + table;
  }
}
