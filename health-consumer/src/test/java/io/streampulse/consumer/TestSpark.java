package io.streampulse.consumer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** The one Spark of this module's tests, with Delta; it ends with the JVM. */
public final class TestSpark {
  private static SparkSession session;

  private TestSpark() {}

  /** The session, started when it is asked for first. */
  public static synchronized SparkSession session() {
    if (session == null) {
      session =
          SparkSession.builder()
              .master("local[2]")
              .config("spark.ui.enabled", "false")
              .config("spark.sql.shuffle.partitions", "2")
              .config("spark.databricks.delta.snapshotPartitions", "2")
              // Little data: to compile code for it takes longer than to do without.
              .config("spark.sql.codegen.wholeStage", "false")
              .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
              .config("spark.sql.adaptive.enabled", "false")
              .config("spark.sql.session.timeZone", "UTC")
              .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
              .config(
                  "spark.sql.catalog.spark_catalog",
                  "org.apache.spark.sql.delta.catalog.DeltaCatalog")
              .config("spark.sql.warehouse.dir", newFolder().toString())
              .getOrCreate();
    }
    return session;
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "warehouse");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
