package io.streampulse.consumer.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryIdleEvent;
import org.junit.jupiter.api.Test;

class SourceWatchdogTest {
  private final UUID runId = UUID.randomUUID();
  private long seconds;
  private boolean mayAskSource = true;
  private int looks;
  private boolean silent;
  private final SourceWatchdog watchdog =
      new SourceWatchdog(
          runId,
          Duration.ofSeconds(60),
          () -> mayAskSource,
          this::look,
          () -> TimeUnit.SECONDS.toNanos(seconds));

  @Test
  void looksOnlyAfterPatienceIsOverAndThenAfterAsMuchAgain() {
    checkUntil(60);
    assertThat(looks).isZero();
    checkUntil(121);
    assertThat(looks).isEqualTo(1);
    checkUntil(122);
    assertThat(looks).isEqualTo(2);
  }

  @Test
  void throwsWhatTheLookSays() {
    silent = true;
    assertThatThrownBy(() -> checkUntil(61)).hasMessage("no answer");
  }

  @Test
  void anIdleEventOfThisRunIsASign() {
    checkUntil(50);
    watchdog.onQueryIdle(new QueryIdleEvent(UUID.randomUUID(), runId, "now"));
    checkUntil(110);
    assertThat(looks).isZero();

    watchdog.onQueryIdle(new QueryIdleEvent(UUID.randomUUID(), UUID.randomUUID(), "now"));
    checkUntil(111);
    assertThat(looks).isEqualTo(1);
  }

  @Test
  void aLongMicroBatchIsNotTheSourcesSilence() {
    mayAskSource = false;
    checkUntil(1000);
    mayAskSource = true;
    checkUntil(1060);
    assertThat(looks).isZero();
    checkUntil(1061);
    assertThat(looks).isEqualTo(1);
  }

  private void checkUntil(int end) {
    while (seconds < end) {
      seconds++;
      watchdog.check();
    }
  }

  private void look() {
    looks++;
    if (silent) {
      throw new IllegalStateException("no answer");
    }
  }
}
