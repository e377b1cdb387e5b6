package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Here the client is not relocated, so its names stay or lose Databricks' prefix; what the shaded
 * jar makes of them is shown by the integration tests, which log in with it.
 */
class KafkaClassNamesTest {
  @Test
  void takesDatabricksPrefixAwayWhereAClassIsNamed() {
    Map<String, String> settings =
        Map.of(
            "sasl.jaas.config",
            "kafkashaded.org.apache.kafka.common.security.plain.PlainLoginModule required"
                + " username=\"u\" password=\"p\";",
            "sasl.login.callback.handler.class",
            "kafkashaded.org.apache.kafka.common.X",
            "interceptor.classes",
            "kafkashaded.org.apache.kafka.A,com.acme.B");

    assertThat(KafkaClassNames.relocated(settings))
        .containsEntry(
            "sasl.jaas.config",
            "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\""
                + " password=\"p\";")
        .containsEntry("sasl.login.callback.handler.class", "org.apache.kafka.common.X")
        .containsEntry("interceptor.classes", "org.apache.kafka.A,com.acme.B");
  }

  @Test
  void leavesOtherValuesAlone() {
    Map<String, String> settings =
        Map.of(
            "bootstrap.servers", "kafkashaded.org.apache.kafka.example:9093",
            "sasl.jaas.config", "com.acme.org.apache.kafka.Module required;");

    assertThat(KafkaClassNames.relocated(settings)).isEqualTo(settings);
  }
}
