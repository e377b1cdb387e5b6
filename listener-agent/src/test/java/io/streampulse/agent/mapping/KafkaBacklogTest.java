package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KafkaBacklogTest {
  private static final String KAFKA = "KafkaV2[Subscribe[a,b]]";

  @Test
  void sumsOverTopicsAndPartitions() {
    assertThat(
            KafkaBacklog.of(
                KAFKA,
                "{\"a\":{\"0\":5,\"1\":7},\"b\":{\"0\":9223372036854775807}}",
                "{\"a\":{\"0\":8,\"1\":7},\"b\":{\"0\":9223372036854775807}}"))
        .isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "not json {;{\"a\":{\"0\":1}}",
        "5;6",
        "[1];[2]",
        "{\"a\":{\"0\":1}};{\"a\":{\"0\":1,\"1\":2}}",
        "{\"a\":{\"0\":1}};{\"b\":{\"0\":1}}",
        "{\"a\":{\"0\":1}};{\"a\":{\"1\":1}}",
        "{\"a\":{\"0\":\"x\"}};{\"a\":{\"0\":1}}",
        "{\"a\":{\"0\":1}};"
      })
  void saysNothingWhereItIsNotCertain(String end, String latest) {
    assertThat(KafkaBacklog.of(KAFKA, end, latest)).isNull();
  }

  @Test
  void knowsOnlySparksKafkaSource() {
    assertThat(KafkaBacklog.of("Kinesis", "{\"a\":{\"0\":1}}", "{\"a\":{\"0\":2}}")).isNull();
    assertThat(KafkaBacklog.of(null, null, null)).isNull();
  }
}
