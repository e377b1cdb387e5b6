package io.streampulse.consumer.append;

import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
    return watch(table, PATIENCE, LOG::warn);
  }

  /** Watches an append, and says each time that patience is over how long it takes by now. */
  static Watch watch(TableName table, Duration patience, Consumer<String> say) {
    long start = System.nanoTime();
    ScheduledFuture<?> timer =
        TIMER.scheduleAtFixedRate(
            () ->
                say.accept(
                    ("An append to %s takes %d s: it waits for Spark to write the files, or for"
                            + " the catalog to take the commit. Where the catalog is Unity Catalog,"
                            + " check that this login has MODIFY on the table: without it the"
                            + " commit hangs")
                        .formatted(
                            table, TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start))),
            patience.toMillis(),
            patience.toMillis(),
            TimeUnit.MILLISECONDS);
    return () -> timer.cancel(false);
  }

  /** An append that is being watched. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
