package io.streampulse.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.connection.ScramPasswordLoginModule;
import java.security.Security;
import java.util.Arrays;
import java.util.Map;
import javax.security.auth.Subject;
import org.apache.kafka.common.security.authenticator.SaslClientCallbackHandler;
import org.junit.jupiter.api.Test;

class AgentRegistryTest {
  private static final Map<String, String> LOG = Map.of("spark.streampulse.agent.publisher", "log");

  @Test
  void theLastAgentLeavesTheJvmAsItWasAndAnEarlierOneLeavesTheNextAlone() {
    Agent first = AgentRegistry.acquire(LOG).orElseThrow();
    logIn();
    assertThat(saslProviders()).isEqualTo(1);
    AgentRegistry.release(first);
    assertThat(saslProviders()).isZero();

    Agent second = AgentRegistry.acquire(LOG).orElseThrow();
    logIn();
    AgentRegistry.ended(first); // as when its end takes longer than the next one's start
    assertThat(saslProviders()).isEqualTo(1);

    AgentRegistry.release(second);
    assertThat(saslProviders()).isZero();
  }

  private static void logIn() {
    new ScramPasswordLoginModule()
        .initialize(new Subject(), new SaslClientCallbackHandler(), Map.of(), Map.of());
  }

  private static long saslProviders() {
    return Arrays.stream(Security.getProviders())
        .filter(provider -> provider.getName().startsWith("Streampulse SASL clients"))
        .count();
  }
}
