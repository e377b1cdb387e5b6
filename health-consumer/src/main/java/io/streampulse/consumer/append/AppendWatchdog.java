package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what an append waits for that takes long. A managed table of Unity Catalog without the right
 * to MODIFY makes an append hang without a word of its own.
 */
final class AppendWatchdog {
  private static final Logger LOG = LoggerFactory.getLogger(AppendWatchdog.class);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "streampulse-append-watchdog");
            thread.setDaemon(true);
            return thread;
          });

  private AppendWatchdog() {}

  /** Watches an append until the watch is closed. */
  static Watch watch(TableName table) {
    long start = System.nanoTime();
    ScheduledFuture<?> timer =
        TIMER.scheduleAtFixedRate(
            () ->
                LOG.warn(
                    "An append to {} takes {} s: it waits for Spark to write the files, or for the"
                        + " catalog to take the commit. Where the catalog is Unity Catalog, check"
                        + " that this login has MODIFY on the table: without it the commit hangs",
                    table,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start)),
            PATIENCE.toSeconds(),
            PATIENCE.toSeconds(),
            TimeUnit.SECONDS);
    return () -> timer.cancel(false);
  }

  /** An append that is being watched. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
