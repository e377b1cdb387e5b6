package io.streampulse.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.login.LoginException;
import javax.security.auth.spi.LoginModule;

/**
 * A login module for any copy of Kafka's client, in place of Kafka's own; see {@link SaslClients}
 * for why. What it adds to the subject at login it takes away at logout.
 */
abstract class KafkaLoginModule implements LoginModule {
  private final List<Object> publicCredentials = new ArrayList<>();
  private final List<Object> privateCredentials = new ArrayList<>();
  private Subject subject;
  private Map<String, ?> options;
  private KafkaApi kafka;

  @Override
  public final void initialize(
      Subject newSubject,
      CallbackHandler handler,
      Map<String, ?> sharedState,
      Map<String, ?> newOptions) {
    subject = newSubject;
    options = newOptions;
    kafka = KafkaApi.of(handler);
    if (needsSaslClients()) {
      SaslClients.register(kafka);
    }
  }

  @Override
  public final boolean login() throws LoginException {
    logIn(kafka, options);
    return true;
  }

  @Override
  public final boolean commit() {
    subject.getPublicCredentials().addAll(publicCredentials);
    subject.getPrivateCredentials().addAll(privateCredentials);
    return true;
  }

  @Override
  public final boolean abort() {
    return logout();
  }

  @Override
  public final boolean logout() {
    // By identity: two logins of one subject may have equal credentials.
    publicCredentials.forEach(c -> subject.getPublicCredentials().removeIf(o -> o == c));
    privateCredentials.forEach(c -> subject.getPrivateCredentials().removeIf(o -> o == c));
    publicCredentials.clear();
    privateCredentials.clear();
    return true;
  }

  /** Whether the mechanism's SASL client is Kafka's; PLAIN's is the JDK's. */
  abstract boolean needsSaslClients();

  abstract void logIn(KafkaApi api, Map<String, ?> settings) throws LoginException;

  final void addPublic(Object credential) {
    publicCredentials.add(credential);
  }

  final void addPrivate(Object credential) {
    privateCredentials.add(credential);
  }
}
