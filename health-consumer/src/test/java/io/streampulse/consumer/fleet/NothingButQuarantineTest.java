package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.HealthRows;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A first day on which all that the agents send is quarantined: no agent has a row. */
class NothingButQuarantineTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  @Test
  void isSeen() {
    try (ViewFixture fixture = ViewFixture.of(new HealthRows(), List.of(NOW.minusSeconds(60)))) {
      FleetSnapshot fleet = fixture.at(NOW).reader().read();

      assertThat(fleet.telemetry()).isEmpty();
      assertThat(fleet.outage()).isEmpty();
      assertThat(fleet.quarantined()).isEqualTo(1);
    }
  }
}
