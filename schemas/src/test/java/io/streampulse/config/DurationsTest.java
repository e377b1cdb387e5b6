package io.streampulse.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationsTest {
  @ParameterizedTest
  @CsvSource({"500ms,500", "10s,10000", "10 S,10000", "2min,120000", "1h,3600000", "1d,86400000"})
  void reads(String text, long millis) {
    assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "", "-1s", "1.5s", "ten s", "1w", "36526d", "999999999999999d"})
  void refuses(String text) {
    assertThatThrownBy(() -> Durations.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0s", "1ms", "1500ms", "10s", "90s", "2min", "1h", "25h"})
  void writesWhatItReads(String text) {
    assertThat(Durations.text(Durations.parse(text))).isEqualTo(text);
  }
}
