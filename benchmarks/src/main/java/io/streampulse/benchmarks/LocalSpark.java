package io.streampulse.benchmarks;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Spark with Delta on two cores, with its warehouse in a folder. */
final class LocalSpark {
  private LocalSpark() {}

  static SparkSession session(String name, Path folder) {
    return SparkSession.builder()
        .master("local[2]")
        .appName(name)
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
        .getOrCreate();
  }
}
