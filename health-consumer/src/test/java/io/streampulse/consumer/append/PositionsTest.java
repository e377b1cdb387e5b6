package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PositionsTest {
  @Test
  void readsOffsetsAsSparkWritesThem() {
    assertThat(Positions.parse("{\"t\":{\"0\":12,\"1\":0}}", "t")).contains(Map.of(0, 12L, 1, 0L));
  }

  @Test
  void whatCanNotBeReadIsNotKnown() {
    assertThat(Positions.parse(null, "t")).isEmpty();
    assertThat(Positions.parse("12", "t")).isEmpty();
    assertThat(Positions.parse("{\"other\":{\"0\":12}}", "t")).isEmpty();
  }

  @Test
  void isAtTheEndOnlyWhereTheEndIsKnown() {
    Positions positions = new Positions(Map.of(0, 5L, 1, 5L), Map.of(0, 5L));

    assertThat(positions.atEnd(0)).isTrue();
    assertThat(positions.atEnd(1)).isFalse();
  }
}
