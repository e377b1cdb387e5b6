package io.streampulse.agent.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.streampulse.connection.ConnectionAdvice;
import io.streampulse.connection.KafkaSettings;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A Kafka client that can't be built: what is said of it names the setting. */
class BadClientSettingsTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "bootstrap.servers|host:99999999|bootstrap.servers",
        "bootstrap.servers|no-port|bootstrap.servers",
        "ssl.truststore.location|/not/there.p12|ssl.truststore.location",
        "sasl.jaas.config|no.such.Module required;|sasl.jaas.config",
        "sasl.jaas.config|nonsense|sasl.jaas.config",
        "security.protocol|SASL|security.protocol",
        "acks|some|acks",
        "sasl.login.callback.handler.class|no.such.Handler|sasl.login.callback.handler.class"
      })
  void namesTheSetting(String key, String value, String expected) {
    Map<String, String> settings = new HashMap<>();
    settings.put("bootstrap.servers", "127.0.0.1:9");
    settings.put("security.protocol", "SASL_SSL");
    settings.put("sasl.mechanism", "PLAIN");
    settings.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\""
            + " password=\"HUNTER2\";");
    settings.put(key, value);

    Throwable failure =
        catchThrowable(() -> KafkaProducers.of(new KafkaSettings(settings), "test").get().close());

    assertThat(failure).isNotNull();
    assertThat(ConnectionAdvice.of(failure, "t"))
        .as(failure + " <- " + failure.getCause())
        .hasValueSatisfying(
            advice -> assertThat(advice).contains(expected).doesNotContain("HUNTER2"));
  }
}
