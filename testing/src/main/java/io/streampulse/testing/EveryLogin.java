package io.streampulse.testing;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * What a broker has more than its main listener with PLAIN and SCRAM-SHA-512: the other logins,
 * further listeners, and rights to topics and groups that somebody has rights to. Thread-safe.
 *
 * @param tokenKeys the key set of the token server whose tokens the broker believes
 */
record EveryLogin(
    LoginCertificates certificates,
    Path tokenKeys,
    int mutualTlsPort,
    int expiredCertificatePort,
    int otherHostPort) {
  private static final String OAUTH = "org.apache.kafka.common.security.oauthbearer.";

  /** Listens on ports that nothing else listens on just now. */
  static EveryLogin onFreePorts(LoginCertificates certificates, Path tokenKeys) {
    return new EveryLogin(
        certificates,
        tokenKeys,
        EmbeddedBroker.freePort(),
        EmbeddedBroker.freePort(),
        EmbeddedBroker.freePort());
  }

  /** Adds them to the settings of a broker that has its main listener only. */
  void addTo(Map<String, String> settings) {
    addTokens(settings);
    addRights(settings);
    addListener(settings, "MUTUAL_TLS", "SSL", mutualTlsPort, certificates.broker());
    settings.put("listener.name.mutual_tls.ssl.client.auth", "required");
    addPlainListener(
        settings, "EXPIRED_CERTIFICATE", expiredCertificatePort, certificates.expired());
    addPlainListener(settings, "OTHER_HOST", otherHostPort, certificates.otherHost());
  }

  private void addTokens(Map<String, String> settings) {
    settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER");
    settings.put(
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config",
        settings.get("listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config"));
    String prefix = "listener.name.sasl_ssl.oauthbearer.";
    settings.put(prefix + "sasl.jaas.config", OAUTH + "OAuthBearerLoginModule required;");
    settings.put(
        prefix + "sasl.server.callback.handler.class",
        OAUTH + "OAuthBearerValidatorCallbackHandler");
    settings.put(prefix + "sasl.oauthbearer.jwks.endpoint.url", tokenKeys.toUri().toString());
    settings.put(prefix + "sasl.oauthbearer.expected.audience", TokenServer.AUDIENCE);
    // Any positive time makes the broker end the session of a token that has expired.
    settings.put(prefix + "connections.max.reauth.ms", "3600000");
  }

  /** The controller's listener has no login: its requests are anonymous ones. */
  private static void addRights(Map<String, String> settings) {
    settings.put(
        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
    settings.put(
        "super.users",
        "User:%s;User:%s;User:ANONYMOUS".formatted(KafkaBroker.PLAIN_USER, KafkaBroker.SCRAM_USER));
    settings.put("allow.everyone.if.no.acl.found", "true");
    settings.put("ssl.principal.mapping.rules", "RULE:^CN=([^,]+).*$/$1/");
  }

  private static void addPlainListener(
      Map<String, String> settings, String name, int port, Certificates certificates) {
    String prefix = addListener(settings, name, "SASL_SSL", port, certificates);
    settings.put(prefix + "sasl.enabled.mechanisms", "PLAIN");
    settings.put(
        prefix + "plain.sasl.jaas.config",
        settings.get("listener.name.sasl_ssl.plain.sasl.jaas.config"));
  }

  private static String addListener(
      Map<String, String> settings,
      String name,
      String protocol,
      int port,
      Certificates certificates) {
    String prefix = "listener.name." + name.toLowerCase(Locale.ROOT) + ".";
    append(settings, "listeners", "%s://127.0.0.1:%d".formatted(name, port));
    append(settings, "advertised.listeners", "%s://localhost:%d".formatted(name, port));
    append(settings, "listener.security.protocol.map", name + ":" + protocol);
    settings.put(prefix + "ssl.keystore.location", certificates.keyStore().toString());
    settings.put(prefix + "ssl.keystore.password", certificates.password());
    return prefix;
  }

  private static void append(Map<String, String> settings, String name, String value) {
    settings.merge(name, value, (before, more) -> before + "," + more);
  }
}
