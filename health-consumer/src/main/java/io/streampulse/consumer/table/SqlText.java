package io.streampulse.consumer.table;

/** Texts within SQL statements. */
public final class SqlText {
  private SqlText() {}

  /** A string literal of Spark SQL. */
  public static String literal(String text) {
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
