package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReplayGuardTest {
  @Test
  void overAnEmptyTableThereIsNothingToGuard() {
    assertThat(new ReplayGuard("t", Map.of()).isDone()).isTrue();
  }

  @Test
  void eachPartitionLeavesWhenItHasPassedItsMark() {
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 99L, 1, 199L));
    guard.advance(Optional.empty());
    guard.advance(at(Map.of(0, 100L, 1, 150L), Map.of()));
    assertThat(guard.isDone()).isFalse();

    guard.advance(at(Map.of(0, 100L, 1, 199L), Map.of()));
    assertThat(guard.isDone()).as("offset 199 is still to come").isFalse();

    guard.advance(at(Map.of(0, 100L, 1, 200L), Map.of()));
    assertThat(guard.isDone()).isTrue();
  }

  @Test
  void aPartitionThatIsReadToItsEndAfterTheFenceLeavesBelowItsMark() {
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 5000L));
    Optional<Positions> atEnd = at(Map.of(0, 10L), Map.of(0, 10L));
    guard.advance(Optional.empty());
    guard.advance(atEnd);
    assertThat(guard.isDone()).as("the first batch may have been planned before it").isFalse();

    guard.advance(at(Map.of(0, 10L), Map.of(0, 11L)));
    assertThat(guard.isDone()).as("more was there").isFalse();

    guard.advance(atEnd);
    assertThat(guard.isDone()).isTrue();
  }

  @Test
  void withoutPositionsItGoesOnGuarding() {
    ReplayGuard guard = new ReplayGuard("t", Map.of(0, 99L));
    for (int batch = 0; batch < 5; batch++) {
      guard.advance(Optional.empty());
    }

    assertThat(guard.isDone()).isFalse();
  }

  private static Optional<Positions> at(Map<Integer, Long> next, Map<Integer, Long> latest) {
    return Optional.of(new Positions(next, latest));
  }
}
