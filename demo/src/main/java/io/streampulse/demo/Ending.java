package io.streampulse.demo;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.ShutdownHookManager;

/**
 * When the demo ends: at its time, or at Ctrl-C. After Ctrl-C the JVM is kept alive, with Spark in
 * it, until main has ended everything in order.
 */
final class Ending {
  private static final int BEFORE_SPARK_STOPS = 60;
  private static final int LONGEST_SECONDS = 120;

  private static final CountDownLatch ASKED = new CountDownLatch(1);
  private static final CountDownLatch MAIN_ENDED = new CountDownLatch(1);

  private Ending() {}

  static void listenToCtrlC() {
    ShutdownHookManager.get()
        .addShutdownHook(
            Ending::keepAliveUntilMainHasEnded,
            BEFORE_SPARK_STOPS,
            LONGEST_SECONDS,
            TimeUnit.SECONDS);
  }

  /** Waits; true if someone pressed Ctrl-C meanwhile. */
  static boolean asked(Duration wait) throws InterruptedException {
    return ASKED.await(Math.max(0, wait.toMillis()), TimeUnit.MILLISECONDS);
  }

  static void mainHasEnded() {
    MAIN_ENDED.countDown();
  }

  private static void keepAliveUntilMainHasEnded() {
    ASKED.countDown();
    try {
      MAIN_ENDED.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
