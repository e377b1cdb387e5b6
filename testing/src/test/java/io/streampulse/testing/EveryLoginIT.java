package io.streampulse.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who may connect to a broker with every login, who may not, and what rights do. */
@Timeout(60)
class EveryLoginIT {
  private static final String OPEN = "open";

  @TempDir private static Path folder;
  private static TokenServer tokens;
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() {
    tokens = TokenServer.start(folder);
    broker = EmbeddedBroker.withEveryLogin(folder, tokens);
    broker.createTopic(OPEN, 1);
    broker.createUser("ann", "secret");
  }

  @AfterAll
  static void stop() {
    broker.close();
    tokens.close();
  }

  @AfterEach
  void behave() {
    tokens.signWithAnotherKey(false);
    tokens.issueExpired(false);
    tokens.setLifetime(Duration.ofHours(1));
  }

  @ParameterizedTest
  @MethodSource("logins")
  void letsIn(Map<String, Object> login) throws Exception {
    produce(login, OPEN);
  }

  static Stream<Named<Map<String, Object>>> logins() throws Exception {
    return Stream.of(
        Named.of("PLAIN", plain(broker.password())),
        Named.of("SCRAM-SHA-256", scram("SCRAM-SHA-256", "ann", "secret")),
        Named.of("SCRAM-SHA-512", scram("SCRAM-SHA-512", "ann", "secret")),
        Named.of("the first SCRAM user", Map.copyOf(broker.scramClient())),
        Named.of("OAUTHBEARER", token(tokens.clientSecret())),
        Named.of("mutual TLS by PKCS12", certificate(broker.clientCertificate())),
        Named.of("mutual TLS by PEM", pem(broker.clientCertificate())));
  }

  @Test
  void refusesAnotherPassword() {
    assertRefused(plain("another"), "Authentication failed: Invalid username or password");
    assertRefused(
        scram("SCRAM-SHA-256", "ann", "another"),
        "Authentication failed during authentication due to invalid credentials"
            + " with SASL mechanism SCRAM-SHA-256");
  }

  @Test
  void refusesATokenThatAnotherKeySigned() {
    tokens.signWithAnotherKey(true);
    assertRefused(token(tokens.clientSecret()), "{\"status\":\"invalid_token\"}");
  }

  @Test
  void refusesATokenThatHasExpired() {
    tokens.issueExpired(true);
    assertRefused(token(tokens.clientSecret()), "{\"status\":\"invalid_token\"}");
  }

  @Test
  void keepsAClientThatRenewsItsToken() throws Exception {
    tokens.setLifetime(Duration.ofSeconds(2));
    try (KafkaProducer<byte[], byte[]> producer = producer(token(tokens.clientSecret()))) {
      send(producer, OPEN);
      int issued = tokens.issued();
      await().until(() -> tokens.issued() >= issued + 2);
      send(producer, OPEN);
    }
  }

  @Test
  void makesNoClientWithoutToken() {
    assertThatThrownBy(() -> connect(token("another")))
        .isInstanceOf(KafkaException.class)
        .rootCause()
        .hasMessageContaining("The response code 401")
        .hasMessageContaining("invalid_client");
  }

  @Test
  void refusesAClientWithoutCertificate() {
    assertNotConnected(tls(), "bad_certificate");
  }

  @Test
  void refusesAClientWithACertificateOfAnotherIssuer() throws Exception {
    assertNotConnected(certificate(broker.unknownClientCertificate()), "certificate_unknown");
    assertNotConnected(pem(broker.unknownClientCertificate()), "certificate_unknown");
  }

  @Test
  void isNotTrustedWithAnExpiredCertificate() {
    assertNotConnected(at(broker.expiredCertificateServers()), "validity check failed");
  }

  @Test
  void isNotTrustedWithTheCertificateOfAnotherHost() {
    assertNotConnected(at(broker.otherHostServers()), "No subject alternative DNS name");
  }

  @Test
  void letsAWriterWriteOnly() throws Exception {
    broker.createTopic("written", 1);
    broker.createUser("writer", "secret");
    broker.allow("writer", AclOperation.WRITE, ResourceType.TOPIC, "written");
    Map<String, Object> writer = scram("SCRAM-SHA-256", "writer", "secret");

    produce(writer, "written");

    assertThatThrownBy(() -> consume(writer, "written", "writers"))
        .isInstanceOf(TopicAuthorizationException.class);
    assertNoRight(() -> produce(scram("SCRAM-SHA-256", "ann", "secret"), "written"));
  }

  @Test
  void letsAReaderReadOnly() throws Exception {
    broker.createTopic("read", 1);
    broker.createUser("reader", "secret");
    broker.allow("reader", AclOperation.READ, ResourceType.TOPIC, "read");
    broker.allow("reader", AclOperation.READ, ResourceType.GROUP, "readers");
    Map<String, Object> reader = scram("SCRAM-SHA-512", "reader", "secret");
    produce(plain(broker.password()), "read");

    assertThat(consume(reader, "read", "readers")).isEqualTo("sent");

    assertNoRight(() -> produce(reader, "read"));
    assertThatThrownBy(() -> consume(scram("SCRAM-SHA-512", "ann", "secret"), OPEN, "readers"))
        .isInstanceOf(GroupAuthorizationException.class);
  }

  @Test
  void knowsUsersByTokenAndCertificate() throws Exception {
    broker.createTopic("guarded", 1);
    broker.allow("nobody", AclOperation.WRITE, ResourceType.TOPIC, "guarded");
    Map<String, Object> byToken = token(tokens.clientSecret());
    Map<String, Object> byCertificate = certificate(broker.clientCertificate());
    assertNoRight(() -> produce(byToken, "guarded"));
    assertNoRight(() -> produce(byCertificate, "guarded"));

    broker.allow(tokens.clientId(), AclOperation.WRITE, ResourceType.TOPIC, "guarded");
    broker.allow(
        broker.clientCertificate().user(), AclOperation.WRITE, ResourceType.TOPIC, "guarded");

    produce(byToken, "guarded");
    produce(byCertificate, "guarded");
  }

  private static Map<String, Object> plain(String password) {
    return login(
        "PLAIN",
        "plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(KafkaBroker.PLAIN_USER, password));
  }

  private static Map<String, Object> scram(String mechanism, String user, String password) {
    return login(
        mechanism,
        "scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(user, password));
  }

  private static Map<String, Object> token(String secret) {
    Map<String, Object> settings =
        login(
            "OAUTHBEARER",
            "oauthbearer.OAuthBearerLoginModule required clientId=\"%s\" clientSecret=\"%s\";"
                .formatted(tokens.clientId(), secret));
    settings.put(
        "sasl.login.callback.handler.class",
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
    settings.put("sasl.oauthbearer.token.endpoint.url", tokens.tokenUrl().toString());
    return settings;
  }

  private static Map<String, Object> login(String mechanism, String module) {
    Map<String, Object> settings = new TreeMap<>(broker.plainClient());
    settings.put("sasl.mechanism", mechanism);
    settings.put("sasl.jaas.config", "org.apache.kafka.common.security." + module);
    return settings;
  }

  private static Map<String, Object> at(String servers) {
    Map<String, Object> settings = plain(broker.password());
    settings.put("bootstrap.servers", servers);
    return settings;
  }

  private static Map<String, Object> tls() {
    Map<String, Object> settings = at(broker.mutualTlsServers());
    settings.put("security.protocol", "SSL");
    return settings;
  }

  private static Map<String, Object> certificate(ClientCertificate certificate) {
    Map<String, Object> settings = tls();
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.keystore.location", certificate.keyStore().toString());
    settings.put("ssl.keystore.password", certificate.password());
    return settings;
  }

  private static Map<String, Object> pem(ClientCertificate certificate) throws Exception {
    Map<String, Object> settings = tls();
    settings.put("ssl.keystore.type", "PEM");
    settings.put("ssl.keystore.key", Files.readString(certificate.keyPem()));
    settings.put("ssl.keystore.certificate.chain", Files.readString(certificate.chainPem()));
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.location", broker.certificates().trustPem().toString());
    settings.remove("ssl.truststore.password");
    return settings;
  }

  private static void produce(Map<String, Object> settings, String topic) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
      send(producer, topic);
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> settings) {
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, String topic) throws Exception {
    producer.send(new ProducerRecord<>(topic, "sent".getBytes(UTF_8))).get();
  }

  private static String consume(Map<String, Object> settings, String topic, String group) {
    Map<String, Object> all = new TreeMap<>(settings);
    all.put("group.id", group);
    all.put("auto.offset.reset", "earliest");
    all.put("enable.auto.commit", "false");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(topic));
      while (true) {
        for (var message : consumer.poll(Duration.ofSeconds(1))) {
          return new String(message.value(), UTF_8);
        }
      }
    }
  }

  private static void connect(Map<String, Object> settings) throws Exception {
    try (Admin admin = Admin.create(settings)) {
      assertThat(admin.describeCluster().nodes().get()).hasSize(1);
    }
  }

  private static void assertRefused(Map<String, Object> login, String message) {
    assertThatThrownBy(() -> connect(login))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(SaslAuthenticationException.class)
        .hasMessage(message);
  }

  private static void assertNotConnected(Map<String, Object> settings, String message) {
    assertThatThrownBy(() -> connect(settings))
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOf(SslAuthenticationException.class)
        .cause()
        .isInstanceOf(SSLHandshakeException.class)
        .hasMessageContaining(message);
  }

  private static void assertNoRight(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(TopicAuthorizationException.class);
  }
}
