package io.streampulse.connection;

import io.streampulse.config.ConfigType;
import io.streampulse.config.Secret;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A login by OAuth 2 tokens: a client with its secret (client credentials, RFC 6749 section 4.4),
 * or an Azure machine's managed identity. Travels to the Kafka client, and with it to Spark's
 * executors, as options of a {@link JaasLine}.
 *
 * @param tokenUrl the token endpoint
 * @param isManagedIdentity whether the endpoint is the machine's own
 * @param clientId the client; empty for the machine's system-assigned identity
 * @param clientSecret its secret; empty for an identity
 * @param scope what to ask for; empty for what the endpoint gives by itself
 * @param certificateAuthorities PEM of those to trust for the endpoint; empty for the JVM's
 */
record OAuthLogin(
    URI tokenUrl,
    boolean isManagedIdentity,
    String clientId,
    Secret clientSecret,
    String scope,
    String certificateAuthorities) {

  /** Where an Azure machine asks for its own tokens. */
  static final URI INSTANCE_METADATA =
      URI.create("http://169.254.169.254/metadata/identity/oauth2/token");

  /** The setting's type. */
  static final ConfigType<URI> URL =
      new ConfigType<>("URL", "https://host/path", OAuthLogin::parseUrl);

  // Named so that whoever blots passwords out of JAAS lines, as Spark does, blots the secret out.
  private static final String SECRET = "password";
  private static final String TOKEN_URL = "tokenUrl";
  private static final String MANAGED_IDENTITY = "managedIdentity";
  private static final String CLIENT_ID = "clientId";
  private static final String SCOPE = "scope";
  private static final String AUTHORITIES = "certificateAuthorities";

  /** The endpoint without what may be a secret in its query. */
  String shownUrl() {
    return "%s://%s%s".formatted(tokenUrl.getScheme(), tokenUrl.getAuthority(), tokenUrl.getPath());
  }

  /** The line that makes a Kafka client log in by it. */
  JaasLine jaas() {
    Map<String, String> options = new LinkedHashMap<>();
    options.put(TOKEN_URL, tokenUrl.toString());
    options.put(MANAGED_IDENTITY, String.valueOf(isManagedIdentity));
    options.put(CLIENT_ID, clientId);
    options.put(SCOPE, scope);
    options.put(SECRET, clientSecret.value());
    options.put(AUTHORITIES, certificateAuthorities);
    options.values().removeIf(String::isEmpty);
    return new JaasLine(OAuthLoginModule.class.getName(), options);
  }

  /** What {@link #jaas} has written. */
  static OAuthLogin of(Map<String, ?> options) {
    return new OAuthLogin(
        URI.create(text(options, TOKEN_URL)),
        Boolean.parseBoolean(text(options, MANAGED_IDENTITY)),
        text(options, CLIENT_ID),
        new Secret(text(options, SECRET)),
        text(options, SCOPE),
        text(options, AUTHORITIES));
  }

  private static String text(Map<String, ?> options, String name) {
    Object value = options.get(name);
    return value == null ? "" : value.toString();
  }

  private static URI parseUrl(String text) {
    URI url = URI.create(text);
    String scheme = String.valueOf(url.getScheme());
    if (!(scheme.equals("http") || scheme.equals("https"))
        || url.getHost() == null
        || url.getUserInfo() != null) {
      throw new IllegalArgumentException("no URL of a token endpoint");
    }
    return url;
  }
}
