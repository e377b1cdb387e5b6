package io.streampulse.agent.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.streampulse.agent.FakeLogger;
import io.streampulse.agent.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class RepeatedWarningTest {
  private final List<String> logged = new ArrayList<>();
  private final ManualClock clock = new ManualClock();
  private final RepeatedWarning warning = new RepeatedWarning(log(), clock);

  @Test
  void saysATextAtMostOnceAMinuteWithTheCount() {
    warning.warn("no");
    warning.warn("no");
    warning.warn("other");
    clock.advance(Duration.ofSeconds(59));
    warning.warn("no");
    clock.advance(Duration.ofSeconds(1));
    warning.warn("no");

    assertThat(logged).containsExactly("[no]", "[other]", "[no, 2]");
  }

  @Test
  void textsThatDifferInNumbersOnlyAreOne() {
    warning.warn("dropped 123 bytes");
    warning.warn("dropped 4567 bytes");
    clock.advance(Duration.ofMinutes(1));
    warning.warn("dropped 8 bytes");

    assertThat(logged).containsExactly("[dropped 123 bytes]", "[dropped 8 bytes, 1]");
  }

  @Test
  void aClockThatIsSetBackHoldsNothingBackForLong() {
    warning.warn("no");
    clock.advance(Duration.ofHours(-1));
    warning.warn("no");

    assertThat(logged).containsExactly("[no]", "[no]");
  }

  @Test
  void aLoggerThatFailsIsNoOnesProblem() {
    Logger full =
        FakeLogger.of(
            (proxy, method, arguments) -> {
              throw new IllegalStateException("disk full");
            });

    assertThatCode(() -> new RepeatedWarning(full, clock).warn("no")).doesNotThrowAnyException();
  }

  /** A logger that keeps the arguments of each warning. */
  private Logger log() {
    return FakeLogger.of(
        (proxy, method, arguments) -> {
          if (method.getName().equals("warn")) {
            logged.add(
                Arrays.stream(arguments)
                    .skip(1)
                    .map(a -> a instanceof Object[] many ? Arrays.toString(many) : a.toString())
                    .toList()
                    .toString());
          }
          return null;
        });
  }
}
