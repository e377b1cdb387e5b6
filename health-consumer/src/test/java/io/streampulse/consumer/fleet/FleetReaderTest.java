package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.testing.HealthRows;
import io.streampulse.testing.HealthRows.Agent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A look at a fleet that nobody hears of any more, and at one of its queries. */
class FleetReaderTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Instant LAST = NOW.minusSeconds(600);
  private static final String HOSTILE = "it's \\ a 'query'";
  private static ViewFixture fixture;
  private static FleetReader reader;
  private static FleetSnapshot fleet;

  @BeforeAll
  static void look() {
    HealthRows rows = new HealthRows();
    Agent agent = rows.agent("agent");
    agent.run(HOSTILE, "1").starts(LAST.minusSeconds(4000)).fails(LAST.minusSeconds(3990), "boom");
    agent.heartbeats(LAST.minusSeconds(3930), LAST.minusSeconds(3001), Duration.ofMinutes(1));
    agent
        .run(HOSTILE, "2")
        .starts(LAST.minusSeconds(3000))
        .batches(60, Duration.ofSeconds(10), LAST.minusSeconds(2), batch -> batch.lag = 50);
    fixture = ViewFixture.of(rows, NOW);
    reader = fixture.reader();
    fleet = reader.read();
  }

  @AfterAll
  static void close() {
    fixture.close();
  }

  @Test
  void anOutageIsSaidOnceAndNotOfEachQuery() {
    assertThat(fleet.outage().orElseThrow())
        .startsWith("No agent has been heard since 2026-11-30T11:50:00Z");
    assertThat(fleet.queries())
        .singleElement()
        .satisfies(query -> assertThat(query.state()).isEqualTo(QueryState.OK));
    assertThat(fleet.newestEventAt()).contains(LAST);
    assertThat(fleet.newestIngestedAt()).contains(LAST.plusSeconds(2));
    assertThat(fleet.telemetry()).hasSize(1);
  }

  @Test
  void smallPicturesAreOfTheLastHour() {
    Map<String, ObjectNode> sparks = reader.sparks();
    assertThat(sparks).containsOnlyKeys(HOSTILE);
    assertThat(sparks.get(HOSTILE).path("t")).hasSize(10);
    assertThat(sparks.get(HOSTILE).path("lag").get(3).asInt()).isEqualTo(50);
  }

  @Test
  void aQueryHasItsRunsItsMinutesAndItsLatestRecord() {
    ObjectNode detail = reader.of(HOSTILE).orElseThrow();
    assertThat(detail.path("events"))
        .extracting(event -> event.path("kind").asText())
        .containsExactly("STARTED", "FAILED", "STARTED");
    assertThat(detail.path("events").get(1).path("text").asText()).isEqualTo("boom");
    assertThat(detail.path("series").path("t")).hasSize(10);
    assertThat(detail.path("series").path("phases").path("addBatch").get(5).asDouble())
        .isEqualTo(1500);
    assertThat(detail.path("series").path("lagSeconds").get(5).asDouble()).isEqualTo(0.5);
    assertThat(detail.path("latest").path("batchId").asInt()).isEqualTo(59);
    assertThat(detail.path("latest").path("sources").get(0).path("backlog").asInt()).isEqualTo(50);
  }

  @Test
  void whoIsNotKnownHasNoHistory() {
    assertThat(reader.of("unknown")).isEmpty();
    assertThat(reader.details(List.of())).isEmpty();
  }
}
