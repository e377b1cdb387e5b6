package io.streampulse.consumer.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FleetJsonTest {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final Instant READ_AT = Instant.parse("2026-11-30T11:20:23.123456Z");

  private final ObjectNode row = JSON.objectNode().put("queryId", "q1").put("state", "OK");
  private final ObjectNode spark =
      JSON.objectNode().set("lag", JSON.arrayNode().add(1).addNull().add(1.23456).add(12345.678));

  @Test
  void hasTheRowsAsTheyAreWithTheirSparkLines() {
    ObjectNode agent = JSON.objectNode().put("agentId", "a1");
    ObjectNode json =
        FleetJson.of(
            new FleetSnapshot(
                "main.x.y",
                READ_AT,
                Optional.of(READ_AT.minusSeconds(2)),
                Optional.of(READ_AT.minusSeconds(1)),
                Optional.of("no agent is heard"),
                List.of(
                    new QueryStatus(row), new QueryStatus(JSON.objectNode().put("queryId", "q2"))),
                List.of(agent),
                5),
            Map.of("q1", spark));

    assertThat(json.toString())
        .isEqualTo(
            """
            {"version":1,"table":"main.x.y","readAt":"2026-11-30T11:20:23.123Z",\
            "newestEventAt":"2026-11-30T11:20:21.123Z",\
            "newestIngestedAt":"2026-11-30T11:20:22.123Z","outage":"no agent is heard",\
            "queries":[{"queryId":"q1","state":"OK","spark":{"lag":[1,null,1.235,12346]}},\
            {"queryId":"q2"}],\
            "telemetry":[{"agentId":"a1"}],"quarantined":5}""");
  }

  @Test
  void leavesTheSnapshotAsItIs() {
    FleetJson.of(empty(List.of(new QueryStatus(row))), Map.of("q1", spark));

    assertThat(row.has("spark")).isFalse();
  }

  @Test
  void leavesOutWhatIsNotKnown() {
    assertThat(FleetJson.of(empty(List.of()), Map.of()).toString())
        .isEqualTo(
            """
            {"version":1,"table":"main.x.y","readAt":"2026-11-30T11:20:23.123Z",\
            "queries":[],"telemetry":[],"quarantined":0}""");
  }

  private static FleetSnapshot empty(List<QueryStatus> queries) {
    return new FleetSnapshot(
        "main.x.y",
        READ_AT,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        queries,
        List.of(),
        0);
  }
}
