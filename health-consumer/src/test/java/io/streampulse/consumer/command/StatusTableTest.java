package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StatusTableTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  @Test
  void hasTheAgeOfTheDataTheCountsAndAlignedRows() {
    FleetSnapshot fleet =
        fleet(
            Optional.empty(),
            query("orders", "FAILED", "ended: boom")
                .put("lastEventAgeSeconds", 7300)
                .put("applicationName", "shop"),
            query("clicks", "OK", "keeps up, 1234 records wait")
                .put("lastEventAgeSeconds", 3.2)
                .put("applicationName", "web")
                .put("inputRowsPerSecond", 1234.5)
                .put("processedRowsPerSecond", 99999)
                .put("lagRecords", 1234)
                .put("lagSeconds", 1));

    assertThat(StatusTable.lines(fleet))
        .containsExactly(
            "main.m.health, newest row 4 s old",
            "2 queries: 1 FAILED, 1 OK",
            "",
            "STATE   QUERY   APPLICATION  AGE   IN/S   OUT/S    LAG  LAG TIME  WHY",
            "FAILED  orders  shop         2 h      -       -      -         -  ended: boom",
            "OK      clicks  web          3 s  1,235  99,999  1,234       1 s  keeps up, 1234 records"
                + " wait");
  }

  @Test
  void aLongReasonLosesItsMiddle() {
    String reason = "ended: SparkException: " + "stage ".repeat(100) + "Payment 60 has no currency";
    FleetSnapshot fleet = fleet(Optional.empty(), query("a", "FAILED", reason));
    String line = StatusTable.lines(fleet).get(4);
    assertThat(line)
        .contains("ended: SparkException: stage ", " … ")
        .endsWith("Payment 60 has no currency");
    assertThat(line.substring(line.indexOf("ended"))).hasSize(200);
  }

  @Test
  void namesCannotSteerTheTerminal() {
    FleetSnapshot fleet =
        fleet(Optional.empty(), query("a\u001b[2Jb\nc", "OK", "x\u001b]0;y\u009b2J"));
    assertThat(String.join("", StatusTable.lines(fleet))).doesNotContain("\u001b", "\u009b", "\n");
  }

  @Test
  void somethingDownOrAnOutageIsAnExitCode() {
    for (String state : List.of("FAILED", "HUNG", "SILENT")) {
      assertThat(StatusCommand.exitCode(fleet(Optional.empty(), query("q", state, ""))))
          .isEqualTo(3);
    }
    for (String state : List.of("STALLED", "FALLING_BEHIND", "RESTARTING", "STOPPED", "OK")) {
      assertThat(StatusCommand.exitCode(fleet(Optional.empty(), query("q", state, "")))).isZero();
    }
    assertThat(StatusCommand.exitCode(fleet(Optional.of("nobody is heard")))).isEqualTo(3);
  }

  private static ObjectNode query(String name, String state, String reason) {
    return new ObjectMapper()
        .createObjectNode()
        .put("queryId", name)
        .put("queryName", name)
        .put("state", state)
        .put("reason", reason);
  }

  private static FleetSnapshot fleet(Optional<String> outage, ObjectNode... queries) {
    return new FleetSnapshot(
        "main.m.health",
        NOW,
        Optional.of(NOW.minusSeconds(6)),
        Optional.of(NOW.minusSeconds(4)),
        outage,
        List.of(queries).stream().map(QueryStatus::new).toList(),
        List.of(),
        0);
  }
}
