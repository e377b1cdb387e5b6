package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.testing.Certificates;
import io.streampulse.testing.KafkaBroker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** The broker the other tests rely on is as strict as they assume. */
class BrokerIT {
  private static final KafkaBroker BROKER = Environment.broker();

  @Test
  void admitsBothUsers() throws Exception {
    BROKER.createTopic("broker-it", 1);

    assertThat(topics(BROKER.plainClient())).contains("broker-it");
    assertThat(topics(BROKER.scramClient())).contains("broker-it");
    BROKER.deleteTopic("broker-it");
    BROKER.createTopic("broker-it-again", 1);
    BROKER.createTopic("broker-it-again", 1);
  }

  @Test
  void refusesAWrongPassword() {
    for (Map<String, String> client : List.of(BROKER.plainClient(), BROKER.scramClient())) {
      Map<String, String> wrong = new HashMap<>(client);
      wrong.computeIfPresent("sasl.jaas.config", (k, v) -> v.replace(BROKER.password(), "wrong"));

      assertThatThrownBy(() -> topics(wrong)).hasCauseInstanceOf(SaslAuthenticationException.class);
    }
  }

  @Test
  void isNotTrustedByTheCertificateOfAnother() {
    Certificates other = Certificates.create(Environment.newFolder("other"));
    Map<String, String> distrusting = new HashMap<>(BROKER.plainClient());
    distrusting.put("ssl.truststore.location", other.trustStore().toString());
    distrusting.put("ssl.truststore.password", other.password());

    assertThatThrownBy(() -> topics(distrusting))
        .hasCauseInstanceOf(SslAuthenticationException.class);
  }

  @Test
  void speaksNoPlaintext() {
    Map<String, String> plaintext = new HashMap<>();
    plaintext.put("bootstrap.servers", BROKER.bootstrapServers());
    plaintext.put("default.api.timeout.ms", "3000");
    plaintext.put("request.timeout.ms", "2000");

    assertThatThrownBy(() -> topics(plaintext)).hasCauseInstanceOf(TimeoutException.class);
  }

  private static Set<String> topics(Map<String, String> client) throws Exception {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(client))) {
      return admin.listTopics().names().get();
    }
  }
}
