package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class BatchGateTest {
  private final BatchGate gate = new BatchGate();

  @Test
  void stopsAfterTheRunningBatch() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    AtomicBoolean endedBeforeStop = new AtomicBoolean();
    Thread query =
        query(
            () -> {
              begun.countDown();
              await(mayEnd);
              ended.set(true);
            });
    begun.await();
    Thread stopper =
        new Thread(
            () ->
                gate.stopWhenIdle(Duration.ofSeconds(10), () -> endedBeforeStop.set(ended.get())));
    stopper.start();
    Awaitility.await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);
    mayEnd.countDown();
    stopper.join();
    query.join();

    assertThat(endedBeforeStop).isTrue();
  }

  @Test
  void stopInterruptsABatchThatWaitsToBegin() throws Exception {
    // Spark's stop interrupts the query's thread and joins it: the two must not wait for each
    // other.
    AtomicBoolean ran = new AtomicBoolean();
    AtomicReference<Thread> query = new AtomicReference<>();
    gate.stopWhenIdle(
        Duration.ofSeconds(10),
        () -> {
          query.set(query(() -> ran.set(true)));
          query.get().interrupt();
          join(query.get());
        });

    assertThat(ran).isFalse();
  }

  @Test
  void stopsABatchThatTakesTooLong() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    Thread query =
        query(
            () -> {
              begun.countDown();
              await(never);
            });
    begun.await();
    gate.stopWhenIdle(Duration.ofMillis(50), query::interrupt);

    query.join();
  }

  @Test
  void anInterruptIsNoReasonNotToStop() {
    AtomicBoolean stopped = new AtomicBoolean();
    Thread.currentThread().interrupt();
    gate.stopWhenIdle(Duration.ofSeconds(10), () -> stopped.set(true));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(stopped).isTrue();
  }

  private Thread query(Runnable batch) {
    Thread query =
        new Thread(
            () -> {
              try {
                gate.run(batch);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    query.start();
    return query;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
