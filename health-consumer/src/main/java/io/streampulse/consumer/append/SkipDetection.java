package io.streampulse.consumer.append;

import java.util.OptionalLong;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/**
 * <b>Invariant 5, a skip is an error.</b> Delta skips an append whose transaction version it has
 * seen already, and says nothing. So after each append the run asks whether it was committed: Delta
 * notes the version of each commit in the session's conf.
 *
 * <p>The note is removed before the append: two tables may well reach the same version one after
 * the other.
 */
final class SkipDetection {
  private static final String LAST_COMMIT = "spark.databricks.delta.lastCommitVersionInSession";

  private SkipDetection() {}

  /** Runs an append and tells the table version it made; empty where Delta skipped it. */
  static OptionalLong commitOf(SparkSession session, Runnable append) {
    session.conf().unset(LAST_COMMIT);
    append.run();
    Option<String> version = session.conf().getOption(LAST_COMMIT);
    return version.isDefined()
        ? OptionalLong.of(Long.parseLong(version.get()))
        : OptionalLong.empty();
  }
}
