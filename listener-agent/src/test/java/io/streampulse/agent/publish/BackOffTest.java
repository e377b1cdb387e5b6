package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.agent.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackOffTest {
  private final ManualClock clock = new ManualClock();
  private final BackOff backOff = new BackOff(clock, Duration.ofSeconds(1), Duration.ofSeconds(60));

  @Test
  void waitsLongerAfterEachFailureUpToTheLimit() {
    assertThat(backOff.isOver()).isTrue();
    assertThat(waitAfterFailure()).isBetween(500L, 1_000L);
    assertThat(waitAfterFailure()).isBetween(1_000L, 2_000L);
    for (int i = 0; i < 100; i++) {
      waitAfterFailure();
    }
    assertThat(waitAfterFailure()).isBetween(30_000L, 60_000L);
  }

  @Test
  void manyFailuresDuringAWaitAreOne() {
    for (int i = 0; i < 500; i++) {
      backOff.failed();
    }
    clock.advance(Duration.ofSeconds(1));

    assertThat(backOff.isOver()).isTrue();
  }

  @Test
  void beginsAnewOnceItHasWorked() {
    waitAfterFailure();
    waitAfterFailure();
    backOff.worked();

    assertThat(waitAfterFailure()).isLessThanOrEqualTo(1_000L);
  }

  @Test
  void aClockThatIsSetBackDoesNotLengthenAWait() {
    for (int i = 0; i < 10; i++) {
      waitAfterFailure();
    }
    backOff.failed();
    assertThat(backOff.isOver()).isFalse();
    clock.advance(Duration.ofHours(-1));

    assertThat(backOff.isOver()).isTrue();
  }

  private long waitAfterFailure() {
    backOff.failed();
    long waited = 0;
    while (!backOff.isOver()) {
      clock.advance(Duration.ofMillis(1));
      waited++;
    }
    return waited;
  }
}
