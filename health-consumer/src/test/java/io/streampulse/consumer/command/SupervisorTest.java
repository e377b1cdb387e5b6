package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.append.FencedException;
import io.streampulse.consumer.append.TableOwner;
import io.streampulse.consumer.checkpoint.CheckpointException;
import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SupervisorTest {
  private final List<String> said = new ArrayList<>();
  private final AtomicInteger starts = new AtomicInteger();

  @Test
  void startsAgainWhatMayPassUntilItWorks() throws Exception {
    supervisor(
            2,
            () -> {
              if (starts.incrementAndGet() < 3) {
                throw new IllegalStateException("executor lost");
              }
              return new Consumer(new CountDownLatch(0));
            })
        .run();

    assertThat(starts).hasValue(3);
    assertThat(said)
        .hasSize(2)
        .allMatch(line -> line.matches("restart [12] of 2 in \\d+\\.\\d s: executor lost"));
  }

  @Test
  void givesUpAfterTheLastRestart() {
    Supervisor supervisor = supervisor(1, this::fail);

    assertThatThrownBy(supervisor::run).hasMessage("executor lost");
    assertThat(starts).hasValue(2);
  }

  @Test
  void doesNotStartAgainWhatARestartDoesNotMend() {
    Supervisor supervisor =
        supervisor(
            10,
            () -> {
              starts.incrementAndGet();
              throw new CheckpointException("torn");
            });

    assertThatThrownBy(supervisor::run)
        .isInstanceOfSatisfying(
            ConsumerFailedException.class,
            e -> assertThat(e.failure().kind().exitCode()).isEqualTo(7));
    assertThat(starts).hasValue(1);
    assertThat(said).isEmpty();
  }

  @Test
  void aRunThatFailedAndWasTakenOverMeanwhileDoesNotTakeOverAgain() {
    assertIsTakenOver(1);
    assertThat(said).isEmpty();
  }

  @Test
  void aRunThatIsTakenOverInThePauseDoesNotTakeOverAgain() {
    assertIsTakenOver(2);
    assertThat(said).hasSize(1).allMatch(line -> line.startsWith("restart 1 of 10 in "));
  }

  @Test
  void aStartThatFailsAfterItsFenceIsNotTakenForAnotherRun() throws Exception {
    FencedException fenced =
        new TableOwner("q", "/other").refusal(TableName.parse("c.s.t"), "topic");
    AtomicInteger fence = new AtomicInteger();
    supervisor(
            3,
            () -> {
              int own = starts.incrementAndGet();
              return new Scripted(
                  () -> {
                    fence.set(own);
                    if (own == 2 || own == 3) { // as where the broker does not answer yet
                      throw new IllegalStateException("no answer");
                    }
                  },
                  () -> {
                    if (own == 1) {
                      throw new IllegalStateException("executor lost");
                    }
                  },
                  () -> {
                    if (fence.get() != own) {
                      throw fenced;
                    }
                  },
                  new CountDownLatch(1));
            })
        .run();

    assertThat(starts).hasValue(4);
    assertThat(said).hasSize(3);
  }

  /** A run that fails, and finds itself locked out when it asks for the n-th time. */
  private void assertIsTakenOver(int question) {
    FencedException fenced =
        new TableOwner("q", "/other").refusal(TableName.parse("c.s.t"), "topic");
    AtomicInteger asked = new AtomicInteger();
    Supervisor supervisor =
        supervisor(
            10,
            () -> {
              starts.incrementAndGet();
              return new Scripted(
                  () -> {
                    throw new IllegalStateException("executor lost");
                  },
                  () -> {
                    if (asked.incrementAndGet() == question) {
                      throw fenced;
                    }
                  },
                  new CountDownLatch(1));
            });

    assertThatThrownBy(supervisor::run)
        .isInstanceOfSatisfying(
            ConsumerFailedException.class,
            e -> assertThat(e.failure().kind()).isEqualTo(FailureKind.FENCED));
    assertThat(starts).hasValue(1);
  }

  @Test
  void anInterruptStopsTheConsumerAndIsNoFailureThatMayPass() throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch running = new CountDownLatch(1);
    Supervisor supervisor =
        supervisor(
            10,
            () -> {
              starts.incrementAndGet();
              return new Scripted(
                  () -> {
                    running.countDown();
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException e) { // Spark throws it undeclared
                      SupervisorTest.<RuntimeException>throwUndeclared(e);
                    }
                  },
                  () -> {},
                  stopped);
            });
    Thread runner = new Thread(() -> runQuietly(supervisor));
    runner.start();
    running.await();
    runner.interrupt();
    runner.join();

    assertThat(stopped.getCount()).isZero();
    assertThat(starts).hasValue(1);
    assertThat(said).isEmpty();
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> void throwUndeclared(Exception e) throws E {
    throw (E) e;
  }

  @Test
  void doesNotStartAgainWhereSparkItselfHasEnded() {
    Supervisor supervisor =
        new Supervisor(
            new Supervisor.Run() {
              @Override
              public Supervisor.Running next() {
                return new Attempt(SupervisorTest.this::fail);
              }

              @Override
              public boolean isPossible() {
                return false;
              }
            },
            "t",
            10,
            said::add);

    assertThatThrownBy(supervisor::run).hasMessage("executor lost");
    assertThat(starts).hasValue(1);
  }

  @Test
  void aStopEndsThePauseAndTheRun() throws Exception {
    CountDownLatch failed = new CountDownLatch(1);
    Supervisor supervisor =
        new Supervisor(() -> new Attempt(this::fail), "t", 1000, line -> failed.countDown());
    Thread runner = new Thread(() -> runQuietly(supervisor));
    runner.start();
    failed.await();
    supervisor.stop(Duration.ofSeconds(10));
    runner.join();

    assertThat(starts).hasValue(1);
  }

  @Test
  void aStopReachesTheRunningConsumer() throws Exception {
    Consumer consumer = new Consumer(new CountDownLatch(1));
    Supervisor supervisor = supervisor(0, () -> consumer);
    Thread runner = new Thread(() -> runQuietly(supervisor));
    runner.start();
    consumer.running.await();
    supervisor.stop(Duration.ofSeconds(10));
    runner.join();

    assertThat(said).isEmpty();
  }

  private Supervisor supervisor(int maxRestarts, Start start) {
    return new Supervisor(() -> new Attempt(start), "t", maxRestarts, said::add);
  }

  private Supervisor.Running fail() {
    starts.incrementAndGet();
    throw new IllegalStateException("executor lost");
  }

  private void runQuietly(Supervisor supervisor) {
    try {
      supervisor.run();
    } catch (ConsumerFailedException e) {
      said.add(e.getMessage());
    }
  }

  /** What happens at a start: it gives a consumer that runs, or fails. */
  private interface Start {
    Supervisor.Running begin();
  }

  /** A consumer that becomes at its start what a test says. */
  private static final class Attempt implements Supervisor.Running {
    private final Start start;
    private Supervisor.Running begun;

    Attempt(Start start) {
      this.start = start;
    }

    @Override
    public void start() throws Exception {
      begun = start.begin();
      begun.start();
    }

    @Override
    public boolean isFencing() {
      return begun != null;
    }

    @Override
    public void awaitTermination() throws StreamingQueryException {
      begun.awaitTermination();
    }

    @Override
    public void stop(Duration timeout) {
      begun.stop(timeout);
    }

    @Override
    public void requireNotFenced() {
      begun.requireNotFenced();
    }
  }

  /** A consumer that does what a test says. */
  private record Scripted(
      Runnable starting, Runnable run, Runnable question, CountDownLatch stopped)
      implements Supervisor.Running {
    Scripted(Runnable run, Runnable question, CountDownLatch stopped) {
      this(() -> {}, run, question, stopped);
    }

    @Override
    public void start() {
      starting.run();
    }

    @Override
    public boolean isFencing() {
      return true;
    }

    @Override
    public void awaitTermination() {
      run.run();
    }

    @Override
    public void stop(Duration timeout) {
      stopped.countDown();
    }

    @Override
    public void requireNotFenced() {
      question.run();
    }
  }

  /** A consumer that runs until it is stopped. */
  private static final class Consumer implements Supervisor.Running {
    private final CountDownLatch running = new CountDownLatch(1);
    private final CountDownLatch stopped;

    Consumer(CountDownLatch stopped) {
      this.stopped = stopped;
    }

    @Override
    public void start() {}

    @Override
    public boolean isFencing() {
      return true;
    }

    @Override
    public void awaitTermination() {
      running.countDown();
      try {
        stopped.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void stop(Duration timeout) {
      stopped.countDown();
    }

    @Override
    public void requireNotFenced() {}
  }
}
