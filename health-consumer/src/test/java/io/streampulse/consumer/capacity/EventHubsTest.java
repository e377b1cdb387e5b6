package io.streampulse.consumer.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventHubsTest {
  @Test
  void aThroughputUnitTakesAThousandEventsAndAMegabyteIn() {
    assertThat(EventHubs.throughputUnits(0, 1_000, 0, 0)).isEqualTo(1);
    assertThat(EventHubs.throughputUnits(0, 1_001, 0, 0)).isEqualTo(2);
    assertThat(EventHubs.throughputUnits(1_000_000, 0, 0, 0)).isEqualTo(1);
    assertThat(EventHubs.throughputUnits(1_000_001, 0, 0, 0)).isEqualTo(2);
  }

  @Test
  void andGivesFourThousandEventsAndTwoMegabytesOut() {
    assertThat(EventHubs.throughputUnits(0, 0, 0, 4_096)).isEqualTo(1);
    assertThat(EventHubs.throughputUnits(0, 0, 0, 4_097)).isEqualTo(2);
    assertThat(EventHubs.throughputUnits(0, 0, 2_000_000, 0)).isEqualTo(1);
    assertThat(EventHubs.throughputUnits(0, 0, 2_000_001, 0)).isEqualTo(2);
  }

  @Test
  void theLargestOfTheFourDecidesAndOneIsTheFewest() {
    assertThat(EventHubs.throughputUnits(2e6, 3_000, 8e6, 4_000)).isEqualTo(4);
    assertThat(EventHubs.throughputUnits(0, 0, 0, 0)).isEqualTo(1);
  }
}
