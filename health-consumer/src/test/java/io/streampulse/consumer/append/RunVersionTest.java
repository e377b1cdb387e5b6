package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RunVersionTest {
  private static final long NOW = Instant.parse("2026-11-29T00:00:00Z").toEpochMilli();

  @Test
  void risesWithEachAppendAndStaysBelowThatOfALaterRun() {
    RunVersion run = RunVersion.of("query", NOW);
    long first = run.next();
    long last = first;
    for (int i = 0; i < 1_000_000; i++) {
      long next = run.next();
      assertThat(next > last).isTrue();
      last = next;
    }

    assertThat(RunVersion.of("query", NOW + 1).next()).isGreaterThan(last);
  }

  @Test
  void staysPositiveForCenturies() {
    assertThat(RunVersion.of("q", Instant.parse("2240-01-01T00:00:00Z").toEpochMilli()).next())
        .isPositive();
  }

  @Test
  void isRaisedAsIfTheRunHadStartedLater() {
    RunVersion raised = RunVersion.of("q", NOW);
    raised.raiseByMillis(5_000);

    assertThat(raised.next()).isEqualTo(RunVersion.of("q", NOW + 5_000).next());
  }

  @Test
  void theIdIsTheCheckpointsBehindAPrefix() {
    assertThat(RunVersion.of("1f0c", NOW).appId()).isEqualTo("streampulse-1f0c");
  }
}
