package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.Secret;
import java.net.URI;
import java.util.List;

/** How agents and consumer reach the broker, besides the Kafka client's own settings. */
public final class ConnectionKeys {
  private static final String OAUTH = ConfigKey.PREFIX + "oauth.";

  /** All that an event hub needs, in one line. */
  public static final ConfigKey<Secret> EVENT_HUBS =
      ConfigKey.secret(ConfigKey.PREFIX + "eventhubs.connection-string")
          .doc(
              "Connection string of an Event Hubs namespace, or of one event hub, which then is the"
                  + " topic. Sets brokers, SASL_SSL, login and the client settings that Microsoft"
                  + " recommends; spark.streampulse.kafka.* wins.");

  /** User of PLAIN or SCRAM. */
  public static final ConfigKey<String> USERNAME =
      ConfigKey.string(ConfigKey.PREFIX + "sasl.username")
          .doc(
              "User of the login PLAIN, or of the SCRAM that spark.streampulse.kafka.sasl.mechanism"
                  + " names; instead of a JAAS line.");

  /** Its password. */
  public static final ConfigKey<Secret> PASSWORD =
      ConfigKey.secret(ConfigKey.PREFIX + "sasl.password").doc("Password of that user.");

  /** Client of the OAuth login. */
  public static final ConfigKey<String> CLIENT_ID =
      ConfigKey.string(OAUTH + "client-id")
          .doc(
              "Client of the login OAUTHBEARER (client credentials); with managed-identity the"
                  + " client id of a user-assigned identity.");

  /** Its secret. */
  public static final ConfigKey<Secret> CLIENT_SECRET =
      ConfigKey.secret(OAUTH + "client-secret").doc("Secret of that client.");

  /** Where tokens come from. */
  public static final ConfigKey<URI> TOKEN_URL =
      ConfigKey.of(OAUTH + "token-url", OAuthLogin.URL)
          .doc("Token endpoint; not needed with entra-tenant or managed-identity.");

  /** Where tokens come from, at Microsoft. */
  public static final ConfigKey<String> ENTRA_TENANT =
      ConfigKey.string(OAUTH + "entra-tenant")
          .check("must be a tenant id or domain", t -> t.matches("[A-Za-z0-9.-]{1,100}"))
          .doc("Tenant of Microsoft Entra ID whose token endpoint is asked.");

  /** Whether the machine has a login. */
  public static final ConfigKey<Boolean> MANAGED_IDENTITY =
      ConfigKey.bool(OAUTH + "managed-identity")
          .withDefault("false")
          .doc("Whether to log in as the Azure machine's managed identity; needs no secret.");

  /** What the token is for. */
  public static final ConfigKey<String> SCOPE =
      ConfigKey.string(OAUTH + "scope")
          .doc("Scope to ask for; of Event Hubs, when not given, https://<namespace>/.default.");

  /** Own certificate authorities of the token endpoint. */
  public static final ConfigKey<String> CA_FILE =
      ConfigKey.string(OAUTH + "ca-file")
          .doc(
              "PEM file of the certificate authorities to trust for the token endpoint, on the"
                  + " driver; when not given, the JVM's.");

  /** The opt-in for connections that anyone can read. */
  public static final ConfigKey<Boolean> ALLOW_PLAINTEXT =
      ConfigKey.bool(ConfigKey.PREFIX + "allow-plaintext")
          .withDefault("false")
          .doc(
              "Whether records and logins may leave this machine unencrypted (PLAINTEXT,"
                  + " SASL_PLAINTEXT, http).");

  /** All of them. */
  public static final List<ConfigKey<?>> ALL =
      List.of(
          EVENT_HUBS,
          USERNAME,
          PASSWORD,
          CLIENT_ID,
          CLIENT_SECRET,
          TOKEN_URL,
          ENTRA_TENANT,
          MANAGED_IDENTITY,
          SCOPE,
          CA_FILE,
          ALLOW_PLAINTEXT);

  private ConnectionKeys() {}
}
