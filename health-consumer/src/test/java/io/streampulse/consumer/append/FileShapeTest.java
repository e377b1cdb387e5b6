package io.streampulse.consumer.append;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FileShapeTest {
  private final FileShape free = new FileShape(OptionalInt.empty());
  private final FileShape atMostThree = new FileShape(OptionalInt.of(3));

  @Test
  void aSmallBatchMakesOneFile() {
    assertThat(free.files(OptionalLong.of(0))).isEqualTo(1);
    assertThat(free.files(OptionalLong.of(20_000))).isEqualTo(1);
    assertThat(free.files(OptionalLong.of(20_001))).isEqualTo(2);
  }

  @Test
  void neverMoreThanAllowed() {
    assertThat(atMostThree.files(OptionalLong.of(1_000_000))).isEqualTo(3);
    assertThat(atMostThree.files(OptionalLong.empty())).isEqualTo(3);
  }

  @Test
  void aBatchOfUnknownSizeIsLeftAsItIs() {
    assertThat(free.files(OptionalLong.empty())).isEqualTo(Integer.MAX_VALUE);
  }
}
