package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureMessageTest {
  @Test
  void isTheFirstLineOfTheRoot() {
    Exception failure =
        new Exception("outer", new IllegalStateException("disk is full\nat many places"));

    assertThat(FailureMessage.of(failure, "t")).isEqualTo("disk is full");
  }

  @Test
  void namesTheExceptionThatHasNoMessage() {
    assertThat(FailureMessage.of(new IllegalStateException(), "t"))
        .isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void saysHowACatalogBecomesKnown() {
    assertThat(FailureMessage.of(new Exception("[CATALOG_NOT_FOUND] The catalog `main`"), "t"))
        .contains("spark.streampulse.consumer.table")
        .contains("spark.sql.catalog.<name>");
  }
}
