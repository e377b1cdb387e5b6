package io.streampulse.consumer.command;

import io.streampulse.config.ConnectionAdvice;

/** A failure in one line for the operator: what is wrong, and where known, what to do. */
final class FailureMessage {
  private static final int DEEPEST_CAUSE = 30;

  private FailureMessage() {}

  static String of(Throwable failure, String topic) {
    return ConnectionAdvice.of(failure, topic).orElseGet(() -> catalogOrCause(failure));
  }

  private static String catalogOrCause(Throwable failure) {
    String text = firstLine(root(failure));
    return text.contains("[CATALOG_NOT_FOUND]")
        ? "the catalog of spark.streampulse.consumer.table is not known to Spark: set"
            + " spark.sql.catalog.<name> for it, or name another ("
            + text
            + ")"
        : text;
  }

  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    for (int depth = 0; root.getCause() != null && depth < DEEPEST_CAUSE; depth++) {
      root = root.getCause();
    }
    return root;
  }

  private static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage() == null ? failure : failure.getMessage())
        .lines()
        .findFirst()
        .orElse(failure.getClass().getName());
  }
}
