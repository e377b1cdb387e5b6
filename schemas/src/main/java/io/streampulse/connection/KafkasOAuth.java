package io.streampulse.connection;

import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * An OAUTHBEARER login written as Kafka documents it, for its own login handler. That one needs
 * libraries that are not part of the client and that neither the agent nor Spark has; so its
 * settings become those of {@link OAuthLogin}.
 */
final class KafkasOAuth {
  private static final String KAFKA = "spark.streampulse.kafka.";
  private static final String JAAS = "sasl.jaas.config";
  private static final String HANDLER = "sasl.login.callback.handler.class";
  private static final String TOKEN_URL = "sasl.oauthbearer.token.endpoint.url";
  private static final String CLIENT_ID = "sasl.oauthbearer.client.credentials.client.id";
  private static final String CLIENT_SECRET = "sasl.oauthbearer.client.credentials.client.secret";
  private static final String SCOPE = "sasl.oauthbearer.scope";

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
    String handler = settings.getOrDefault(HANDLER, "");
    boolean isKafkas = handler.isEmpty() || handler.endsWith(".OAuthBearerLoginCallbackHandler");
    String url = settings.getOrDefault(TOKEN_URL, "");
    String id = line.get().options().getOrDefault("clientId", settings.getOrDefault(CLIENT_ID, ""));
    if (isKafkas && !url.isEmpty() && !id.isEmpty()) {
      String secret =
          line.get()
              .options()
              .getOrDefault("clientSecret", settings.getOrDefault(CLIENT_SECRET, ""));
      String scope = line.get().options().getOrDefault("scope", settings.getOrDefault(SCOPE, ""));
      settings
          .keySet()
          .removeIf(name -> name.equals(HANDLER) || name.startsWith("sasl.oauthbearer."));
      settings.put(
          JAAS, new OAuthLogin(url(url), false, id, new Secret(secret), scope, "").jaas().text());
    } else if (client.isRelocated()) {
      reader.problem(
          "%s%s = \"%s\": the agent's own Kafka client can't use it. Set %s, %s and %s instead"
              .formatted(
                  KAFKA,
                  HANDLER,
                  handler,
                  ConnectionKeys.TOKEN_URL.name(),
                  ConnectionKeys.CLIENT_ID.name(),
                  ConnectionKeys.CLIENT_SECRET.name()));
    }
  }

  private URI url(String text) {
    try {
      URI url = OAuthLogin.URL.parse(text);
      Safety.requireEncryption(reader, KAFKA + TOKEN_URL, url);
      return url;
    } catch (IllegalArgumentException e) {
      reader.problem(
          "%s%s = \"%s\" is no URL: write %s"
              .formatted(KAFKA, TOKEN_URL, text, OAuthLogin.URL.example()));
      return OAuthLogin.INSTANCE_METADATA;
    }
  }
}
