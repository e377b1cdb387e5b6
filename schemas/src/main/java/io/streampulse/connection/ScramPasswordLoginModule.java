package io.streampulse.connection;

/** Logs a Kafka client in by SCRAM, with the user and password of its JAAS line. */
public final class ScramPasswordLoginModule extends PasswordLoginModule {
  @Override
  boolean needsSaslClients() {
    return true;
  }
}
