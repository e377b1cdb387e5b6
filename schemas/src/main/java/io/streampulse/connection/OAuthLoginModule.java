package io.streampulse.connection;

import java.util.Map;
import javax.security.auth.login.LoginException;

/**
 * Logs a Kafka client in by OAUTHBEARER, with a token from a token endpoint. The client asks again
 * before the token ends, on a thread of its own.
 */
public final class OAuthLoginModule extends KafkaLoginModule {
  @Override
  boolean needsSaslClients() {
    return true;
  }

  @Override
  void logIn(KafkaApi kafka, Map<String, ?> options) throws LoginException {
    OAuthLogin login = OAuthLogin.of(options);
    try {
      AccessToken token = new TokenEndpoint(login).token();
      String principal = login.clientId().isEmpty() ? "managed-identity" : login.clientId();
      addPrivate(kafka.oauthBearerToken(token, principal));
    } catch (TokenException e) {
      throw (LoginException) new LoginException(e.getMessage()).initCause(e);
    }
  }
}
