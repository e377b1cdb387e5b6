package io.streampulse.it;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A customer's job that knows nothing of the agent: a rate source for some batches, then a clean
 * stop. It leaves what Spark said of each batch in a file, one line a batch.
 */
public final class RateJob {
  private RateJob() {}

  /** Arguments: the number of batches, the checkpoint folder, the file. */
  public static void main(String... arguments) throws Exception {
    int batches = Integer.parseInt(arguments[0]);
    SparkSession spark = SparkSession.builder().getOrCreate();
    StreamingQuery query =
        spark
            .readStream()
            .format("rate")
            .option("rowsPerSecond", 50)
            .load()
            .writeStream()
            .format("noop")
            .queryName("rates")
            .option("checkpointLocation", arguments[1])
            .trigger(Trigger.ProcessingTime(300))
            .start();
    while (query.lastProgress() == null || query.lastProgress().batchId() < batches - 1) {
      Thread.sleep(50);
    }
    query.stop();
    List<String> lines = new ArrayList<>();
    for (StreamingQueryProgress progress : query.recentProgress()) {
      lines.add(
          progress.batchId()
              + " "
              + progress.numInputRows()
              + " "
              + progress.inputRowsPerSecond()
              + " "
              + progress.processedRowsPerSecond());
    }
    Files.write(Path.of(arguments[2]), lines);
    spark.stop();
  }
}
