package io.streampulse.consumer.table;

/** A table can't be used as it is: another start does not help, someone has to change it. */
public final class TableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TableException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The table was dropped while the consumer ran. */
  public static TableException gone(TableName table, Throwable cause) {
    return new TableException(
        ("table %s is gone: it was there when the consumer started. Restore it (UNDROP where the"
                + " catalog has it) and start again; or start again with a new"
                + " spark.streampulse.consumer.checkpoint to fill a new table from the topic")
            .formatted(table),
        cause);
  }
}
