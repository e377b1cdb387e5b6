package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import io.streampulse.http.CertificateAuthorities;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * An OAUTHBEARER login written as Kafka documents it, for its own login handler. That one needs
 * libraries that are not part of the client and that neither the agent nor Spark has; so its
 * settings become those of {@link OAuthLogin}.
 */
final class KafkasOAuth {
  private static final String KAFKA = ConfigKey.KAFKA_PREFIX;
  private static final String JAAS = "sasl.jaas.config";
  private static final String HANDLER = "sasl.login.callback.handler.class";
  private static final String TOKEN_URL = "sasl.oauthbearer.token.endpoint.url";
  private static final String CLIENT_ID = "sasl.oauthbearer.client.credentials.client.id";
  private static final String CLIENT_SECRET = "sasl.oauthbearer.client.credentials.client.secret";
  private static final String SCOPE = "sasl.oauthbearer.scope";

  /** More than these change whether the login works. */
  private static final Set<String> UNDERSTOOD = Set.of("clientId", "clientSecret", "scope");

  private static final Pattern KAFKAS_HANDLER =
      Pattern.compile(
          ".*[.]kafka[.]common[.]security[.]oauthbearer[.](secured[.])?OAuthBearerLoginCallbackHandler");

  private final ConfigReader reader;
  private final KafkaClient client;

  KafkasOAuth(ConfigReader reader, KafkaClient client) {
    this.reader = reader;
    this.client = client;
  }

  /** Rewrites the settings where they hold such a login. */
  void translate(Map<String, String> settings) {
    Optional<JaasLine> line =
        Optional.ofNullable(settings.get(JAAS))
            .flatMap(JaasLine::parse)
            .filter(found -> found.loginModule().endsWith(".OAuthBearerLoginModule"));
    if (line.isEmpty()) {
      return;
    }
    Map<String, String> options = line.get().options();
    String handler = settings.getOrDefault(HANDLER, "");
    String url = settings.getOrDefault(TOKEN_URL, "");
    String id = options.getOrDefault("clientId", settings.getOrDefault(CLIENT_ID, ""));
    if (isKafkas(handler)
        && UNDERSTOOD.containsAll(options.keySet())
        && !url.isEmpty()
        && !id.isEmpty()) {
      String secret =
          options.getOrDefault("clientSecret", settings.getOrDefault(CLIENT_SECRET, ""));
      String scope = options.getOrDefault("scope", settings.getOrDefault(SCOPE, ""));
      String authorities = CertificateAuthorities.read(reader, ConnectionKeys.CA_FILE);
      settings
          .keySet()
          .removeIf(name -> name.equals(HANDLER) || name.startsWith("sasl.oauthbearer."));
      settings.put(
          JAAS,
          new OAuthLogin(url(url), false, id, new Secret(secret), scope, authorities)
              .jaas()
              .text());
    } else if (client.isRelocated()) {
      reader.problem(
          "%s%s: the agent's own Kafka client can't use %s. Set %s, %s and %s instead"
              .formatted(
                  KAFKA,
                  JAAS,
                  isKafkas(handler)
                      ? "this OAUTHBEARER login: of its options it knows " + UNDERSTOOD
                      : HANDLER + " = \"" + handler + "\"",
                  ConnectionKeys.TOKEN_URL.name(),
                  ConnectionKeys.CLIENT_ID.name(),
                  ConnectionKeys.CLIENT_SECRET.name()));
    }
  }

  private static boolean isKafkas(String handler) {
    return handler.isEmpty() || KAFKAS_HANDLER.matcher(handler).matches();
  }

  private URI url(String text) {
    try {
      URI url = OAuthLogin.URL.parse(text);
      Safety.requireEncryption(reader, KAFKA + TOKEN_URL, url);
      return url;
    } catch (IllegalArgumentException e) {
      reader.problem(
          "%s%s is no URL of a token endpoint: write %s, without a login"
              .formatted(KAFKA, TOKEN_URL, OAuthLogin.URL.example()));
      return OAuthLogin.INSTANCE_METADATA;
    }
  }
}
