package io.streampulse.consumer.command;

import io.streampulse.connection.Causes;
import io.streampulse.connection.ConnectionAdvice;
import io.streampulse.consumer.append.FencedException;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.consumer.source.SourceSilentException;
import io.streampulse.consumer.table.TableException;
import io.streampulse.registry.RegistryException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.AnalysisException;

/**
 * A failure as the operator needs it.
 *
 * @param kind what it means
 * @param message one line: what is wrong, and where known, what to do
 */
record Failure(FailureKind kind, String message) {
  /** Judges a failure by the innermost cause that is known. */
  static Failure of(Throwable failure, String topic) {
    List<Throwable> causes = causes(failure);
    return own(causes)
        .or(() -> missingPackage(causes))
        .or(() -> dataLoss(causes))
        .or(() -> storageFull(causes))
        .or(() -> registry(causes))
        .or(() -> catalogRefusal(causes))
        .or(() -> connection(causes, failure, topic))
        .or(() -> analysis(causes))
        .orElseGet(() -> new Failure(FailureKind.PASSING, firstLine(causes.get(0))));
  }

  private static Optional<Failure> own(List<Throwable> causes) {
    for (Throwable cause : causes) {
      if (cause instanceof FencedException) {
        return Optional.of(new Failure(FailureKind.FENCED, cause.getMessage()));
      }
      if (cause instanceof CheckpointException) {
        return Optional.of(new Failure(FailureKind.CHECKPOINT, cause.getMessage()));
      }
      if (cause instanceof TableException) {
        return Optional.of(new Failure(FailureKind.TABLE, cause.getMessage()));
      }
      if (cause instanceof SourceSilentException) {
        return Optional.of(new Failure(FailureKind.PASSING, cause.getMessage()));
      }
    }
    return Optional.empty();
  }

  /** What Spark does not have by itself, and by which words it says so. */
  private static Optional<Failure> missingPackage(List<Throwable> causes) {
    for (Throwable cause : causes) {
      String text = firstLine(cause);
      if (text.matches("Failed to find (the )?data source: kafka\\b.*")) {
        return missing(
            "the Kafka source",
            "org.apache.spark:spark-sql-kafka-0-10_2.13:<Spark's version>",
            text);
      }
      if ((cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError)
          && text.matches("(org.apache.spark.sql.delta|io.delta)\\b.*")) {
        return missing("Delta", "io.delta:delta-spark_<Spark's version>_2.13:<version>", text);
      }
    }
    return Optional.empty();
  }

  private static Optional<Failure> missing(String what, String artifact, String text) {
    return Optional.of(
        new Failure(
            FailureKind.MISSING,
            "%s is not on Spark's class path: add --packages %s, or its jars (%s)"
                .formatted(what, artifact, text)));
  }

  private static Optional<Failure> dataLoss(List<Throwable> causes) {
    return first(
            causes,
            cause ->
                condition(cause).startsWith("KAFKA_DATA_LOSS")
                    || condition(cause).startsWith("RESOLVED_START_OFFSET_GREATER")
                    || firstLine(cause).startsWith("[KAFKA_DATA_LOSS"))
        .map(
            cause ->
                new Failure(
                    FailureKind.DATA_LOSS,
                    ("messages that were not read yet are not in the topic any more: %s The stream"
                            + " does not go on over it by itself. If the topic was deleted and made"
                            + " anew, or its retention is over, they are lost: to go on with what"
                            + " is there, start with a new spark.streampulse.consumer.checkpoint"
                            + " and spark.streampulse.consumer.take-over=true; what is in the table"
                            + " is not appended again. Longer retention, or less time without a"
                            + " consumer, keeps it from happening")
                        .formatted(reason(cause))));
  }

  private static String reason(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    int reason = message.indexOf("Reason:");
    String text = reason < 0 ? message : message.substring(reason + "Reason:".length());
    String line =
        text.lines()
            .map(String::strip)
            .takeWhile(part -> !part.startsWith("This could be"))
            .filter(part -> !part.isEmpty())
            .collect(Collectors.joining(" "));
    return line.endsWith(".") ? line : line + ".";
  }

  private static Optional<Failure> storageFull(List<Throwable> causes) {
    return first(causes, cause -> String.valueOf(cause.getMessage()).contains("No space left"))
        .map(
            cause ->
                new Failure(
                    FailureKind.PASSING,
                    "no space is left where the table, the checkpoint or Spark's scratch files"
                        + " (spark.local.dir) are: make room and start again, nothing is lost ("
                        + firstLine(cause)
                        + ")"));
  }

  private static Optional<Failure> registry(List<Throwable> causes) {
    return causes.stream()
        .filter(RegistryException.class::isInstance)
        .map(RegistryException.class::cast)
        .findFirst()
        .map(
            e ->
                new Failure(
                    e.kind() == RegistryException.Kind.REFUSED
                        ? FailureKind.REFUSED
                        : FailureKind.PASSING,
                    e.getMessage()));
  }

  private static Optional<Failure> catalogRefusal(List<Throwable> causes) {
    return first(
            causes,
            cause -> {
              String text = String.valueOf(cause.getMessage());
              return text.contains("UNAUTHENTICATED")
                  || text.contains("PERMISSION_DENIED")
                  || text.contains("(HTTP 401)")
                  || text.contains("(HTTP 403)");
            })
        .map(
            cause ->
                new Failure(
                    FailureKind.REFUSED,
                    "the catalog refuses this login: it needs USE CATALOG, USE SCHEMA, SELECT and"
                        + " MODIFY on both tables, and for the first start CREATE TABLE and CREATE SCHEMA ("
                        + firstLine(cause)
                        + ")"));
  }

  private static Optional<Failure> connection(
      List<Throwable> causes, Throwable failure, String topic) {
    // The advice is about the broker: storage and catalogs throw exceptions of the same names.
    return ConnectionAdvice.of(failure, topic)
        .filter(advice -> causes.stream().anyMatch(Failure::isOfKafka))
        .map(
            advice ->
                new Failure(
                    ConnectionAdvice.mayPass(failure, topic)
                        ? FailureKind.PASSING
                        : FailureKind.REFUSED,
                    advice));
  }

  private static Optional<Failure> analysis(List<Throwable> causes) {
    return first(causes, cause -> firstLine(cause).contains("[CATALOG_NOT_FOUND]"))
        .map(
            cause ->
                new Failure(
                    FailureKind.TABLE,
                    "the catalog of spark.streampulse.consumer.table is not known to Spark: set"
                        + " spark.sql.catalog.<name> for it, or name another ("
                        + firstLine(cause)
                        + ")"))
        .or(
            () ->
                first(causes, Failure::isOfTheTable)
                    .map(cause -> new Failure(FailureKind.TABLE, firstLine(cause))));
  }

  private static boolean isOfKafka(Throwable cause) {
    return cause.getClass().getName().contains("kafka")
        || Arrays.stream(cause.getStackTrace()).anyMatch(e -> e.getClassName().contains("kafka"));
  }

  private static boolean isOfTheTable(Throwable cause) {
    String condition = condition(cause);
    return cause instanceof AnalysisException
        && (condition.equals("TABLE_OR_VIEW_NOT_FOUND")
            || condition.equals("SCHEMA_NOT_FOUND")
            || condition.startsWith("INCOMPATIBLE_DATA_FOR_TABLE")
            || (condition.startsWith("DELTA_") && !condition.contains("SCHEMA_CHANGE_SINCE")));
  }

  private static Optional<Throwable> first(List<Throwable> causes, Predicate<Throwable> test) {
    return causes.stream().filter(test).findFirst();
  }

  /** The innermost first: what wraps it repeats its text. */
  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = Causes.of(failure);
    Collections.reverse(causes);
    return causes;
  }

  private static String condition(Throwable cause) {
    String condition = cause instanceof SparkThrowable spark ? spark.getCondition() : null;
    return condition == null ? "" : condition;
  }

  private static String firstLine(Throwable failure) {
    return String.valueOf(failure.getMessage() == null ? failure : failure.getMessage())
        .lines()
        .findFirst()
        .orElse(failure.getClass().getName());
  }
}
