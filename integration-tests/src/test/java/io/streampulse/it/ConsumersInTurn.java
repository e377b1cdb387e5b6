package io.streampulse.it;

import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import picocli.CommandLine;

/**
 * Consumers, each until it ends by itself, or until what it shows of itself is written; the jar
 * with the command is one of {@code --jars}.
 */
public final class ConsumersInTurn {
  private ConsumersInTurn() {}

  /** Arguments: files with Spark conf. */
  public static void main(String... files) throws Exception {
    Class<?> command =
        Class.forName(
            "io.streampulse.consumer.command.RunCommand",
            true,
            Thread.currentThread().getContextClassLoader());
    Turns.each(
        files,
        (file, conf) -> {
          watch(conf);
          return "exit code "
              + new CommandLine(command.getDeclaredConstructor().newInstance())
                  .execute("--properties-file", file.toString(), "--verbose");
        });
  }

  private static void watch(Properties conf) {
    if (conf.containsKey(Turns.TRACES)) {
      Traces.logEverything();
      Thread watcher = new Thread(() -> writeTraces(Path.of(conf.getProperty(Turns.TRACES))));
      watcher.setDaemon(true);
      watcher.start();
    }
  }

  private static void writeTraces(Path folder) {
    try {
      while (true) {
        TimeUnit.MILLISECONDS.sleep(100);
        if (SparkSession.getDefaultSession().isDefined()) {
          SparkSession spark = SparkSession.getDefaultSession().get();
          for (StreamingQuery query : spark.streams().active()) {
            if (query.lastProgress() != null && query.lastProgress().numInputRows() > 0) {
              Traces.write(spark, folder);
              query.stop();
              return;
            }
          }
        }
      }
    } catch (Exception e) {
      throw new IllegalStateException("Can't write what the consumer shows", e);
    }
  }
}
