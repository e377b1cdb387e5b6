package io.streampulse.consumer.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CapacityPlanTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  @Test
  void aFleetThatPassesNoLimitHasNoWarning() {
    assertThat(warnings(Loads.of(100, TEN_SECONDS))).isEmpty();
  }

  @Test
  void eachFigureHasANameOfItsOwnAndARule() {
    CapacityPlan plan = CapacityPlan.of(Loads.of(100, TEN_SECONDS));
    assertThat(plan.figures().map(Figure::name)).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(plan.figures()).allMatch(figure -> !figure.rule().isBlank());
    assertThat(plan.figures()).allMatch(figure -> Double.isFinite(figure.value()));
  }

  @Test
  void fortyThroughputUnitsAreTheMostOfANamespace() {
    assertThat(warnings(Loads.ofBytes(40_000, SECOND, 1)))
        .noneMatch(warning -> warning.contains("throughput units are over"));
    assertThat(warnings(Loads.ofBytes(40_001, SECOND, 1)))
        .anyMatch(warning -> warning.startsWith("41 throughput units are over the 40 of one"));
  }

  @Test
  void thirtyTwoPartitionsAreTheMostOfAnEventHub() {
    assertThat(warnings(Loads.ofBytes(16_000, SECOND, 1)))
        .noneMatch(warning -> warning.contains("partitions are over"));
    assertThat(warnings(Loads.ofBytes(16_001, SECOND, 1)))
        .anyMatch(warning -> warning.startsWith("33 partitions are over the 32 of an event hub"));
  }

  @Test
  void aMessageOverTheAgentsLimitOrOverAMegabyte() {
    assertThat(warnings(Loads.ofBytes(1, TEN_SECONDS, 900_000))).isEmpty();
    assertThat(warnings(Loads.ofBytes(1, TEN_SECONDS, 900_001)))
        .singleElement()
        .asString()
        .contains("messages of 900,001 bytes are over agent.record.max-bytes, 900,000");
    assertThat(warnings(Loads.ofBytes(1, TEN_SECONDS, 1_000_001)))
        .singleElement()
        .asString()
        .contains("messages of 1,000,001 bytes are over the 1,000,000 that");
  }

  @Test
  void applicationsThatConnectAtOnce() {
    assertThat(warnings(Loads.of(10_000, Duration.ofHours(1))))
        .noneMatch(warning -> warning.contains("connections"));
    assertThat(warnings(Loads.of(10_001, Duration.ofHours(1))))
        .anyMatch(warning -> warning.startsWith("5,002 connections, while all"));
  }

  @Test
  void anAgentsBufferThatDoesNotOutlastABrokersRestart() {
    assertThat(warnings(oneAgent(16))).noneMatch(warning -> warning.contains("buffer.capacity"));
    assertThat(warnings(oneAgent(17)))
        .anyMatch(warning -> warning.startsWith("an agent's buffer lasts for 59 s without a"));
  }

  @Test
  void whatTheTopicKeeps() {
    Load load =
        new Load(100, SECOND, 25, 9_000, TEN_SECONDS, TEN_SECONDS, SECOND, 8, 30, 10_000, 66);
    assertThat(warnings(load))
        .anyMatch(warning -> warning.startsWith("8 days in the topic are over the 7"))
        .anyMatch(warning -> warning.contains(" GB in the topic are over the 84 GB"))
        .anyMatch(warning -> warning.startsWith("a consumer's trigger of 1s is shorter than"));
  }

  @Test
  void aLookThatTakesLong() {
    assertThat(warnings(Loads.of(5_000, Duration.ofMinutes(1))))
        .noneMatch(warning -> warning.startsWith("a look at the fleet"));
    assertThat(warnings(Loads.of(10_000, SECOND)))
        .anyMatch(warning -> warning.startsWith("a look at the fleet takes one core "));
  }

  private static Load oneAgent(long queries) {
    return new Load(
        queries,
        SECOND,
        1,
        990,
        Duration.ofMinutes(1),
        TEN_SECONDS,
        TEN_SECONDS,
        7,
        30,
        10_000,
        66);
  }

  private static List<String> warnings(Load load) {
    return CapacityPlan.of(load).warnings();
  }
}
