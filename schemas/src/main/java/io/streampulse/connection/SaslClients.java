package io.streampulse.connection;

import java.security.Provider;
import java.security.Security;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.security.auth.callback.CallbackHandler;
import javax.security.sasl.SaslClient;
import javax.security.sasl.SaslClientFactory;
import javax.security.sasl.SaslException;

/**
 * Makes the SASL clients of one Kafka client in this JVM, and of no other.
 *
 * <p>Kafka's own login modules register their SASL clients in the JVM by a fixed name, whoever
 * comes first: with two copies of Kafka in one JVM the second is handed the clients of the first,
 * and its login fails. So our login modules register under a name that has the copy's package in
 * it, and answer only to that copy's callback handlers. First in the JVM's list, since another
 * copy's factory throws where it is asked for a handler that it does not know.
 */
public final class SaslClients extends Provider {
  private static final long serialVersionUID = 1L;
  private static final String SERVICE = "SaslClientFactory";
  private static final Set<String> REGISTERED = new HashSet<>();
  private static final List<String> MECHANISMS =
      List.of("OAUTHBEARER", "SCRAM-SHA-256", "SCRAM-SHA-512");

  private SaslClients(String name, KafkaApi kafka) {
    super(name, "1", "SASL clients of " + kafka.prefix() + "*");
    for (String mechanism : MECHANISMS) {
      putService(new Factories(this, mechanism, kafka));
    }
  }

  /** Sees to it that a Kafka client's SASL clients can be made; may be called again. */
  static synchronized void register(KafkaApi kafka) {
    // The same package may be there twice, by two class loaders.
    String name =
        "Streampulse SASL clients of %s@%x"
            .formatted(kafka.prefix(), System.identityHashCode(kafka.loader()));
    if (Security.getProvider(name) == null) {
      Security.insertProviderAt(new SaslClients(name, kafka), 1);
      REGISTERED.add(name);
    }
  }

  /** Leaves the JVM as it was; a login that comes after registers anew. */
  public static synchronized void unregister() {
    REGISTERED.forEach(Security::removeProvider);
    REGISTERED.clear();
  }

  private static final class Factories extends Provider.Service {
    private final String mechanism;
    private final KafkaApi kafka;

    Factories(Provider provider, String mechanism, KafkaApi kafka) {
      super(provider, SERVICE, mechanism, Factory.class.getName(), null, null);
      this.mechanism = mechanism;
      this.kafka = kafka;
    }

    @Override
    public Object newInstance(Object parameter) {
      return new Factory(mechanism, kafka);
    }
  }

  private record Factory(String mechanism, KafkaApi kafka) implements SaslClientFactory {
    @Override
    public SaslClient createSaslClient(
        String[] mechanisms,
        String authorizationId,
        String protocol,
        String serverName,
        Map<String, ?> properties,
        CallbackHandler handler)
        throws SaslException {
      return List.of(mechanisms).contains(mechanism) && kafka.isOwn(handler)
          ? kafka
              .saslClientFactory(mechanism)
              .createSaslClient(
                  new String[] {mechanism},
                  authorizationId,
                  protocol,
                  serverName,
                  properties,
                  handler)
          : null;
    }

    @Override
    public String[] getMechanismNames(Map<String, ?> properties) {
      return new String[] {mechanism};
    }
  }
}
