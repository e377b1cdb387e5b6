package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import io.streampulse.http.CertificateAuthorities;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The logins that have settings of their own, so that a secret can be a whole value. */
final class Logins {
  private static final List<ConfigKey<?>> OAUTH =
      List.of(
          ConnectionKeys.MANAGED_IDENTITY,
          ConnectionKeys.CLIENT_ID,
          ConnectionKeys.CLIENT_SECRET,
          ConnectionKeys.TOKEN_URL,
          ConnectionKeys.ENTRA_TENANT,
          ConnectionKeys.SCOPE);

  private final ConfigReader reader;
  private final String mechanism;
  private final Optional<String> eventHubsHost;

  /**
   * Logins.
   *
   * @param mechanism what a user and password are for
   * @param servers the brokers, whose cloud decides where tokens come from
   */
  Logins(ConfigReader reader, String mechanism, String servers) {
    this.reader = reader;
    this.mechanism = mechanism;
    this.eventHubsHost =
        BootstrapServers.hosts(servers).stream().filter(BootstrapServers::isEventHubs).findFirst();
  }

  /**
   * A login.
   *
   * @param key the setting that asks for it
   */
  record Login(String key, String mechanism, JaasLine jaas) {}

  /** The login; empty where none is set. */
  Optional<Login> read() {
    Optional<ConfigKey<?>> oauth = OAUTH.stream().filter(this::asksFor).findFirst();
    Optional<String> user = reader.find(ConnectionKeys.USERNAME);
    Optional<Secret> password = reader.find(ConnectionKeys.PASSWORD);
    if (user.isPresent() != password.isPresent()) {
      reader.problem(
          "%s and %s need each other"
              .formatted(ConnectionKeys.USERNAME.name(), ConnectionKeys.PASSWORD.name()));
    }
    if (oauth.isPresent()) {
      if (user.isPresent()) {
        reader.problem(
            "%s and %s are two logins: give one"
                .formatted(ConnectionKeys.USERNAME.name(), oauth.get().name()));
      }
      return oauth(oauth.get());
    }
    if (user.isEmpty() || password.isEmpty()) {
      return Optional.empty();
    }
    if (!mechanism.equals("PLAIN") && !mechanism.startsWith("SCRAM-")) {
      reader.problem(
          "spark.streampulse.kafka.sasl.mechanism = \"%s\" has no use for %s: write PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"
              .formatted(mechanism, ConnectionKeys.USERNAME.name()));
    }
    return Optional.of(
        new Login(
            ConnectionKeys.USERNAME.name(),
            mechanism,
            mechanism.startsWith("SCRAM-")
                ? password("scram.ScramLoginModule", user.get(), password.get())
                : plain(user.get(), password.get())));
  }

  /** The line of a PLAIN login. */
  static JaasLine plain(String user, Secret password) {
    return password("plain.PlainLoginModule", user, password);
  }

  private static JaasLine password(String module, String user, Secret password) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("username", user);
    options.put("password", password.value());
    // The client that it is for puts its own package in its place.
    return new JaasLine(
        String.join(".", "org", "apache", "kafka", "common", "security", module), options);
  }

  private boolean asksFor(ConfigKey<?> key) {
    return key.equals(ConnectionKeys.MANAGED_IDENTITY)
        ? reader.value(ConnectionKeys.MANAGED_IDENTITY)
        : reader.isGiven(key);
  }

  private Optional<Login> oauth(ConfigKey<?> key) {
    boolean isManaged = reader.value(ConnectionKeys.MANAGED_IDENTITY);
    Optional<String> clientId = reader.find(ConnectionKeys.CLIENT_ID);
    Optional<Secret> secret = reader.find(ConnectionKeys.CLIENT_SECRET);
    Optional<String> tenant = reader.find(ConnectionKeys.ENTRA_TENANT);
    Optional<URI> given = reader.find(ConnectionKeys.TOKEN_URL);
    if (isManaged) {
      forbid(secret.isPresent(), ConnectionKeys.CLIENT_SECRET);
      forbid(tenant.isPresent(), ConnectionKeys.ENTRA_TENANT);
    } else {
      require(clientId.isPresent(), ConnectionKeys.CLIENT_ID);
      require(secret.isPresent(), ConnectionKeys.CLIENT_SECRET);
      if (given.isPresent() == tenant.isPresent()) {
        reader.problem(
            "the OAuth login needs %s or %s, one of them"
                .formatted(ConnectionKeys.TOKEN_URL.name(), ConnectionKeys.ENTRA_TENANT.name()));
      }
    }
    URI url =
        given
            .or(() -> tenant.map(this::entra))
            .or(() -> isManaged ? Optional.of(OAuthLogin.INSTANCE_METADATA) : Optional.empty())
            .orElse(null);
    Optional<String> scope =
        reader
            .find(ConnectionKeys.SCOPE)
            .or(() -> eventHubsHost.map(host -> "https://%s/.default".formatted(host)));
    if (scope.isEmpty() && (isManaged || tenant.isPresent())) {
      reader.problem(
          "%s is required: the brokers are no Event Hubs namespace that would tell it"
              .formatted(ConnectionKeys.SCOPE.name()));
    }
    if (url == null) {
      return Optional.empty();
    }
    if (!isManaged || !url.getHost().startsWith("169.254.")) {
      Safety.requireEncryption(reader, ConnectionKeys.TOKEN_URL.name(), url);
    }
    OAuthLogin login =
        new OAuthLogin(
            url,
            isManaged,
            clientId.orElse(""),
            secret.orElse(Secret.NONE),
            scope.orElse(""),
            CertificateAuthorities.read(reader, ConnectionKeys.CA_FILE));
    return Optional.of(new Login(key.name(), "OAUTHBEARER", login.jaas()));
  }

  private void require(boolean isThere, ConfigKey<?> key) {
    if (!isThere) {
      reader.problem("the OAuth login needs " + key.name());
    }
  }

  private void forbid(boolean isThere, ConfigKey<?> key) {
    if (isThere) {
      reader.problem(
          "%s is of no use with %s: remove one"
              .formatted(key.name(), ConnectionKeys.MANAGED_IDENTITY.name()));
    }
  }

  /** Each of Azure's clouds has its own. */
  private URI entra(String tenant) {
    String host = eventHubsHost.orElse("").toLowerCase(Locale.ROOT);
    String authority =
        host.endsWith(".usgovcloudapi.net")
            ? "login.microsoftonline.us"
            : host.endsWith(".chinacloudapi.cn")
                ? "login.partner.microsoftonline.cn"
                : "login.microsoftonline.com";
    return URI.create("https://%s/%s/oauth2/v2.0/token".formatted(authority, tenant));
  }
}
