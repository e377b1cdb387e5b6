package io.streampulse.consumer.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.TestSpark;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetViews;
import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class FleetServiceTest {
  @Test
  void isNotReadyBeforeALookHasSucceeded() {
    FleetViews views =
        new FleetViews(
            TableName.parse("spark_catalog.not_there.t"),
            TableName.parse("spark_catalog.not_there.q"));
    FleetService service =
        new FleetService(new FleetReader(TestSpark.session(), views), Duration.ofSeconds(30));

    assertThat(service.problem()).contains("the health table was not looked at yet");
    assertThat(service.refresh(failure -> {})).isFalse();
    assertThat(service.problem()).contains("the health table can't be read");
    assertThat(service.fleetJson()).isEmpty();
  }
}
