package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FallingBehindTest {
  private final FallingBehind behind = new FallingBehind();

  @Test
  void warnsOfEachRunOnceAMinute() {
    assertThat(behind.mayWarn("a", 1_000)).isTrue();
    assertThat(behind.mayWarn("b", 1_000)).isTrue();
    assertThat(behind.mayWarn("a", 60_999)).isFalse();
    assertThat(behind.mayWarn("a", 61_000)).isTrue();
    assertThat(behind.mayWarn("a", 62_000)).isFalse();
  }

  @Test
  void forgetsARunThatHasEndedAndAClockThatIsSetBack() {
    assertThat(behind.mayWarn("a", 100_000)).isTrue();
    assertThat(behind.mayWarn("a", 50_000)).isTrue();
    behind.forget("a");
    assertThat(behind.mayWarn("a", 50_001)).isTrue();
  }
}
