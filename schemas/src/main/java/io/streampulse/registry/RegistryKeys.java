package io.streampulse.registry;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.ConfigType;
import io.streampulse.config.Secret;
import io.streampulse.connection.Safety;
import io.streampulse.http.CertificateAuthorities;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The schema registry's settings, of agents and consumer. */
public final class RegistryKeys {
  private static final String PREFIX = ConfigKey.PREFIX + "schema-registry.";
  private static final ConfigType<List<URI>> URLS =
      new ConfigType<>(
          "URL list",
          "https://host:port or https://host/path, several separated by commas, without a query",
          RegistryKeys::urls);

  /** Where the registry is. */
  public static final ConfigKey<List<URI>> URL =
      ConfigKey.of(PREFIX + "url", URLS)
          .doc(
              "Schema registry, base of its Confluent-compatible API. When given, agents write"
                  + " Confluent's wire format and the consumer reads it; without, Avro"
                  + " single-object encoding, which the consumer always reads.");

  /** Basic authentication. */
  public static final ConfigKey<Secret> BASIC_AUTH =
      ConfigKey.secret(PREFIX + "basic-auth")
          .check("must be user:password", secret -> secret.value().indexOf(':') > 0)
          .doc("Login of the schema registry, user:password.");

  /** Bearer token. */
  public static final ConfigKey<Secret> BEARER_TOKEN =
      ConfigKey.secret(PREFIX + "bearer-token")
          .check("must be one word", secret -> secret.value().matches("[!-~]+"))
          .doc("Token for the schema registry.");

  /** Own certificate authorities. */
  public static final ConfigKey<String> CA_FILE =
      ConfigKey.string(PREFIX + "ca-file")
          .doc(
              "PEM file of the certificate authorities to trust for the schema registry, on the"
                  + " driver; when not given, the JVM's.");

  /** Time-out of one request. */
  public static final ConfigKey<Duration> REQUEST_TIMEOUT =
      ConfigKey.duration(PREFIX + "request-timeout")
          .withDefault("5s")
          .check("must be from 100ms to 1min", d -> d.toMillis() >= 100 && d.toMinutes() <= 1)
          .doc("Longest wait for one answer of the schema registry.");

  /** How long the consumer asks. */
  public static final ConfigKey<Duration> RETRY_TIMEOUT =
      ConfigKey.duration(PREFIX + "retry-timeout")
          .withDefault("60s")
          .check("must be from 0s to 10min", d -> d.toMinutes() <= 10)
          .doc(
              "How long the consumer asks a registry that is away for an unknown schema before its"
                  + " query fails; agents ask for ever.");

  /** Whether agents register. */
  public static final ConfigKey<Boolean> AUTO_REGISTER =
      ConfigKey.bool(PREFIX + "auto-register")
          .withDefault("true")
          .doc("Whether agents register their schema, or only look it up.");

  /** How agents name the subject. */
  public static final ConfigKey<String> SUBJECT_NAME_STRATEGY =
      ConfigKey.oneOf(PREFIX + "subject-name-strategy", List.of("topic-name", "record-name"))
          .withDefault("topic-name")
          .doc(
              "Subject of the agents' schema: topic-name (<topic>-value) or record-name"
                  + " (io.streampulse.schema.HealthRecord).");

  /** All of them. */
  public static final List<ConfigKey<?>> ALL =
      List.of(
          URL,
          BASIC_AUTH,
          BEARER_TOKEN,
          CA_FILE,
          REQUEST_TIMEOUT,
          RETRY_TIMEOUT,
          AUTO_REGISTER,
          SUBJECT_NAME_STRATEGY);

  private RegistryKeys() {}

  /** Reads the settings; empty where no registry is set. Problems stay with the reader. */
  public static Optional<RegistrySettings> read(ConfigReader reader) {
    Optional<List<URI>> urls = reader.find(URL);
    if (urls.stream().flatMap(List::stream).anyMatch(url -> url.getUserInfo() != null)) {
      reader.problem("%s holds a login: it belongs in %s".formatted(URL.name(), BASIC_AUTH.name()));
    }
    Optional<Secret> basicAuth = reader.find(BASIC_AUTH);
    Optional<Secret> bearerToken = reader.find(BEARER_TOKEN);
    if (basicAuth.isPresent() && bearerToken.isPresent()) {
      reader.problem(
          "%s and %s are both set: give one login"
              .formatted(BASIC_AUTH.name(), BEARER_TOKEN.name()));
    }
    if (basicAuth.isPresent() || bearerToken.isPresent()) {
      urls.stream()
          .flatMap(List::stream)
          .forEach(url -> Safety.requireEncryption(reader, URL.name(), url));
    }
    String caCertificates = CertificateAuthorities.read(reader, CA_FILE);
    Duration requestTimeout = reader.value(REQUEST_TIMEOUT);
    Duration retryTimeout = reader.value(RETRY_TIMEOUT);
    return urls.map(
        found ->
            new RegistrySettings(
                found,
                basicAuth.orElse(Secret.NONE),
                bearerToken.orElse(Secret.NONE),
                caCertificates,
                requestTimeout,
                retryTimeout));
  }

  private static List<URI> urls(String text) {
    return Arrays.stream(text.split(",", -1)).map(String::strip).map(RegistryKeys::url).toList();
  }

  private static URI url(String text) {
    URI url = URI.create(text);
    String scheme = String.valueOf(url.getScheme());
    if (!(scheme.equals("http") || scheme.equals("https"))
        || url.getHost() == null
        || url.getQuery() != null
        || url.getFragment() != null) {
      throw new IllegalArgumentException("no base of an API");
    }
    return url;
  }
}
