package io.streampulse.connection;

import java.util.Map;
import javax.security.auth.login.LoginException;

/** Logs a Kafka client in by PLAIN, with the user and password of its JAAS line. */
public class PasswordLoginModule extends KafkaLoginModule {
  @Override
  boolean needsSaslClients() {
    return false;
  }

  @Override
  void logIn(KafkaApi kafka, Map<String, ?> options) throws LoginException {
    Object user = options.get("username");
    Object password = options.get("password");
    if (user == null || password == null) {
      throw new LoginException("the JAAS line needs username=\"...\" password=\"...\"");
    }
    addPublic(user.toString());
    addPrivate(password.toString());
    if (Boolean.parseBoolean(String.valueOf(options.get("tokenauth")))) {
      addPublic(Map.of("tokenauth", "true"));
    }
  }
}
