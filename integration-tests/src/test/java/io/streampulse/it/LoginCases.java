package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.Certificates;
import io.streampulse.testing.ClientCertificate;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.TokenServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;

/**
 * Every login that people use, and every way in which it goes wrong, as the conf of an agent and of
 * a consumer, by name, each with a topic of that name; and the broker that checks the login.
 */
final class LoginCases implements AutoCloseable {
  private static final String KAFKA = "spark.streampulse.kafka.";
  private static final String SCRAM =
      "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"streampulse\""
          + " password=\"%s\";";
  private static final String OTHER_SECRET = "not-the-password-" + UUID.randomUUID();

  final Map<String, Map<String, String>> agents = new LinkedHashMap<>();
  final Map<String, Map<String, String>> consumers = new LinkedHashMap<>();
  final TokenServer tokens;
  final EmbeddedBroker broker;
  final Path folder;

  LoginCases(String name) {
    folder = Environment.newFolder(name);
    tokens = TokenServer.start(folder.resolve("tokens"));
    broker = EmbeddedBroker.withEveryLogin(folder.resolve("broker"), tokens);
    Certificates certificates = broker.certificates();

    both("plain", plain());
    both(
        "scram-sha-256",
        with(
            tls(certificates),
            "kafka.sasl.mechanism",
            "SCRAM-SHA-256",
            "kafka.security.protocol",
            "SASL_SSL",
            "kafka.sasl.jaas.config",
            SCRAM.formatted(broker.password())));
    both(
        "scram-sha-512",
        with(
            tls(certificates),
            "kafka.sasl.mechanism",
            "SCRAM-SHA-512",
            "sasl.username",
            "streampulse",
            "sasl.password",
            broker.password()));
    both("oauthbearer", with(tls(certificates), oauth(tokens.clientSecret())));
    both(
        "oauthbearer-as-kafka-has-it",
        with(
            tls(certificates),
            "kafka.security.protocol",
            "SASL_SSL",
            "kafka.sasl.mechanism",
            "OAUTHBEARER",
            "kafka.sasl.oauthbearer.token.endpoint.url",
            tokens.tokenUrl().toString(),
            "kafka.sasl.login.callback.handler.class",
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler",
            "kafka.sasl.jaas.config",
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
                + " clientId=\"%s\" clientSecret=\"%s\" scope=\"health\";"
                    .formatted(tokens.clientId(), tokens.clientSecret())));
    both(
        "managed-identity",
        with(
            tls(certificates),
            "oauth.managed-identity",
            "true",
            "oauth.token-url",
            tokens.identityUrl().toString(),
            "oauth.scope",
            "https://ns.servicebus.windows.net/.default"));
    both("mutual-tls", mutualTls(broker.clientCertificate()));
    both("mutual-tls-pem", mutualTlsByPem(broker.clientCertificate()));

    both("wrong-password", with(plain(), "sasl.password", OTHER_SECRET));
    both("wrong-client-secret", with(tls(certificates), oauth(OTHER_SECRET)));
    both("unknown-authority", with(plain(), tls(Certificates.create(folder.resolve("other")))));
    both(
        "expired-certificate",
        with(plain(), "kafka.bootstrap.servers", broker.expiredCertificateServers()));
    both("other-host", with(plain(), "kafka.bootstrap.servers", broker.otherHostServers()));
    both(
        "no-client-certificate",
        with(
            tls(certificates),
            "kafka.security.protocol",
            "SSL",
            "kafka.bootstrap.servers",
            broker.mutualTlsServers()));
    both("unknown-client-certificate", mutualTls(broker.unknownClientCertificate()));

    rights();
    besideSparksOwn();
  }

  /** What must be printed nowhere. */
  String[] secrets() {
    return new String[] {
      broker.password(),
      broker.certificates().password(),
      broker.clientCertificate().password(),
      tokens.clientSecret(),
      OTHER_SECRET,
      "PRIVATE KEY"
    };
  }

  @Override
  public void close() {
    broker.close();
    tokens.close();
  }

  /** An agent that may write alone and a consumer that may read alone, and the other way round. */
  private void rights() {
    String reversed = "rights-reversed";
    for (String user : List.of("rights-writer", "rights-reader", "rights-reversed-reader")) {
      broker.createUser(user, broker.password());
    }
    broker.allow("rights-writer", AclOperation.WRITE, ResourceType.TOPIC, "rights");
    broker.allow("rights-reader", AclOperation.READ, ResourceType.TOPIC, "rights");
    broker.allow(reversed + "-reader", AclOperation.READ, ResourceType.TOPIC, reversed);
    Map<String, String> scram =
        with(
            tls(broker.certificates()),
            "kafka.sasl.mechanism",
            "SCRAM-SHA-256",
            "sasl.password",
            broker.password());
    add(agents, "rights", agent("rights", with(scram, "sasl.username", "rights-writer")));
    add(consumers, "rights", consumer("rights", with(scram, "sasl.username", "rights-reader")));
    add(agents, reversed, agent(reversed, with(scram, "sasl.username", reversed + "-reader")));
    Map<String, String> writer = consumer(reversed, with(scram, "sasl.username", "rights-writer"));
    writer.put("spark.streampulse.topic", "rights"); // where there is something to be read
    add(consumers, reversed, writer);
  }

  /** The job reads Kafka itself, by the client and the login that Kafka documents. */
  private void besideSparksOwn() {
    beside(
        "beside-oauthbearer",
        kafkasOAuth(),
        with(tls(broker.certificates()), oauth(tokens.clientSecret())));
    beside(
        "beside-scram",
        Map.of(
            "sasl.mechanism",
            "SCRAM-SHA-512",
            "sasl.jaas.config",
            SCRAM.formatted(broker.password())),
        with(
            tls(broker.certificates()),
            "kafka.sasl.mechanism",
            "SCRAM-SHA-512",
            "sasl.username",
            "streampulse",
            "sasl.password",
            broker.password()));
  }

  Map<String, String> kafkasOAuth() {
    Map<String, String> oauth = new HashMap<>();
    oauth.put("sasl.mechanism", "OAUTHBEARER");
    oauth.put("sasl.oauthbearer.token.endpoint.url", tokens.tokenUrl().toString());
    oauth.put(
        "sasl.login.callback.handler.class",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
    oauth.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
            + " clientId=\"%s\" clientSecret=\"%s\";"
                .formatted(tokens.clientId(), tokens.clientSecret()));
    return oauth;
  }

  private void beside(String name, Map<String, String> job, Map<String, String> agent) {
    Map<String, String> conf = new HashMap<>(agent(name, agent));
    job.forEach((key, value) -> conf.put("job.kafka.kafka." + key, value));
    tls(broker.certificates())
        .forEach((key, value) -> conf.put("job.kafka." + key, value.replace("file:", "")));
    conf.put("job.kafka.kafka.bootstrap.servers", broker.bootstrapServers());
    conf.put("job.kafka.kafka.security.protocol", "SASL_SSL");
    conf.put("job.kafka.subscribe", "plain"); // what the first agents have sent
    add(agents, name, conf);
  }

  private void both(String name, Map<String, String> connection) {
    add(agents, name, agent(name, connection));
    add(consumers, name, consumer(name, connection));
  }

  private void add(Map<String, Map<String, String>> turns, String name, Map<String, String> conf) {
    broker.createTopic(name, 1);
    turns.put(name, conf);
  }

  private Map<String, String> agent(String topic, Map<String, String> connection) {
    Map<String, String> conf = Environment.agentConf(Map.of(), topic);
    conf.put("spark.streampulse.agent.flush-interval", "200ms");
    conf.put("spark.streampulse.agent.shutdown-timeout", "2s");
    return with(prefixed(connection), conf);
  }

  private Map<String, String> consumer(String topic, Map<String, String> connection) {
    Map<String, String> conf =
        Environment.consumerConf(Map.of(), topic, folder, "spark_catalog.logins.streaming_health");
    conf.put(
        "spark.streampulse.consumer.checkpoint", folder.resolve("checkpoints/" + topic).toString());
    conf.put("spark.streampulse.consumer.trigger", "available-now");
    conf.put("spark.streampulse.consumer.async-progress.enabled", "false");
    conf.put("spark.streampulse.consumer.max-restarts", "0");
    return with(prefixed(connection), conf);
  }

  private Map<String, String> prefixed(Map<String, String> connection) {
    Map<String, String> conf = new HashMap<>();
    conf.put(KAFKA + "bootstrap.servers", broker.bootstrapServers());
    conf.put(KAFKA + "default.api.timeout.ms", "10000");
    conf.put(KAFKA + "request.timeout.ms", "9000");
    connection.forEach((key, value) -> conf.put("spark.streampulse." + key, value));
    return conf;
  }

  private Map<String, String> plain() {
    return with(
        tls(broker.certificates()),
        "sasl.username",
        "$ConnectionString",
        "sasl.password",
        broker.password());
  }

  static Map<String, String> tls(Certificates certificates) {
    return Map.of(
        "kafka.ssl.truststore.location",
        "file:" + certificates.trustStore(),
        "kafka.ssl.truststore.password",
        certificates.password());
  }

  private Map<String, String> oauth(String secret) {
    return Map.of(
        "oauth.client-id",
        tokens.clientId(),
        "oauth.client-secret",
        secret,
        "oauth.token-url",
        tokens.tokenUrl().toString(),
        "oauth.scope",
        "health");
  }

  private Map<String, String> mutualTls(ClientCertificate client) {
    return with(
        tls(broker.certificates()),
        "kafka.bootstrap.servers",
        broker.mutualTlsServers(),
        "kafka.security.protocol",
        "SSL",
        "kafka.ssl.keystore.location",
        client.keyStore().toString(),
        "kafka.ssl.keystore.password",
        client.password(),
        "kafka.ssl.key.password",
        client.password());
  }

  /** Certificates and key as text, out of files that only the driver sees. */
  private Map<String, String> mutualTlsByPem(ClientCertificate client) {
    assertThat(Files.exists(client.keyPem())).isTrue();
    return Map.of(
        "kafka.bootstrap.servers", broker.mutualTlsServers(),
        "kafka.security.protocol", "SSL",
        "kafka.ssl.truststore.certificates",
            "${file:%s}".formatted(broker.certificates().trustPem()),
        "kafka.ssl.keystore.key", "${file:%s}".formatted(client.keyPem()),
        "kafka.ssl.keystore.certificate.chain", "${file:%s}".formatted(client.chainPem()));
  }

  private static Map<String, String> with(Map<String, String> settings, String... more) {
    Map<String, String> all = new HashMap<>(settings);
    for (int i = 0; i < more.length; i += 2) {
      all.put(more[i], more[i + 1]);
    }
    return all;
  }

  private static Map<String, String> with(Map<String, String> settings, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(settings);
    all.putAll(more);
    return all;
  }
}
