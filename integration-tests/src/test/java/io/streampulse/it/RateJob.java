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

  /**
   * Arguments: the number of batches, or a file at whose appearance it ends; the checkpoint folder;
   * the file for what Spark said.
   */
  public static void main(String... arguments) throws Exception {
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
    while (!isEnough(arguments[0], query)) {
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

  private static boolean isEnough(String until, StreamingQuery query) {
    return until.matches("\\d+")
        ? query.lastProgress() != null
            && query.lastProgress().batchId() >= Integer.parseInt(until) - 1
        : Files.exists(Path.of(until));
  }
}
