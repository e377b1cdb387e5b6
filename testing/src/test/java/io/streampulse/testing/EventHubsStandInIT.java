package io.streampulse.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.EventHubsStandIn.UnknownApiVersions;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import javax.net.ssl.SSLSocket;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EventHubsStandInIT {
  private static final String TOPIC = "health";

  @TempDir static Path folder;
  private static EmbeddedBroker broker;
  private EventHubsStandIn standIn;

  @BeforeAll
  static void startBroker() {
    broker = EmbeddedBroker.start(folder);
    broker.createTopic(TOPIC, 2);
    broker.createTopic("another", 1);
  }

  @AfterAll
  static void closeBroker() {
    broker.close();
  }

  @BeforeEach
  void startStandIn() {
    standIn = EventHubsStandIn.start(broker);
  }

  @AfterEach
  void closeStandIn() {
    standIn.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PLAIN", "SCRAM-SHA-512"})
  void clientsSendAndReadInAGroupByBothLogins(String mechanism) throws Exception {
    Map<String, String> login =
        mechanism.equals("PLAIN") ? broker.plainClient() : broker.scramClient();
    String topic = "group-" + mechanism;
    broker.createTopic(topic, 1);
    try (KafkaProducer<byte[], byte[]> producer = producer(login, Map.of())) {
      send(producer, topic, 10).get();
      send(producer, topic, 20).get();
    }
    Map<String, Object> settings = settings(login, Map.of());
    settings.put("group.id", mechanism);
    settings.put("auto.offset.reset", "earliest");
    List<Integer> sizes = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.subscribe(List.of(topic));
      await()
          .until(
              () -> {
                for (ConsumerRecord<byte[], byte[]> read : consumer.poll(Duration.ofMillis(100))) {
                  sizes.add(read.value().length);
                }
                return sizes.size() >= 2;
              });
      consumer.commitSync();
    }
    assertThat(sizes).containsExactly(10, 20);
    assertThat(standIn.requests())
        .containsKeys(
            ApiKeys.PRODUCE,
            ApiKeys.FETCH,
            ApiKeys.INIT_PRODUCER_ID,
            ApiKeys.FIND_COORDINATOR,
            ApiKeys.JOIN_GROUP,
            ApiKeys.OFFSET_COMMIT)
        .doesNotContainKeys(ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS, ApiKeys.DESCRIBE_CLUSTER);
    assertThat(standIn.refusedNotOffered()).isZero();
  }

  @Test
  void clientsSeeTheStandInAsTheOnlyBroker() {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      assertThat(producer.partitionsFor(TOPIC))
          .hasSize(2)
          .extracting(partition -> address(partition.leader()))
          .containsOnly(standIn.bootstrapServers());
    }
    assertThat(standIn.bootstrapServers()).isNotEqualTo(broker.bootstrapServers());
  }

  @Test
  void aTooLargeProduceRequestClosesTheConnection() throws Exception {
    Map<String, Object> settings =
        Map.of(
            "max.request.size", 2_000_000,
            "request.timeout.ms", 1_000,
            "delivery.timeout.ms", 1_500);
    try (KafkaProducer<byte[], byte[]> producer = producer(settings)) {
      assertThatThrownBy(() -> send(producer, TOPIC, 1_047_000).get())
          .isInstanceOf(ExecutionException.class);
      assertThat(standIn.refusedTooLarge()).isPositive();

      assertThat(send(producer, TOPIC, 1_046_000).get().serializedValueSize()).isEqualTo(1_046_000);
    }
  }

  @Test
  void anIdleConnectionIsClosedAndTheClientRecovers() throws Exception {
    standIn.idleTimeout(Duration.ofMillis(500));
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, TOPIC, 1).get();
      await().until(() -> standIn.closedIdle() >= 1);

      assertThat(send(producer, TOPIC, 1).get().hasOffset()).isTrue();
    }
  }

  @Test
  void produceRequestsAreAnsweredWithAnErrorAsOftenAsAsked() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      standIn.answerProduce(Errors.POLICY_VIOLATION, 1);

      assertThatThrownBy(() -> send(producer, TOPIC, 1).get())
          .hasCauseInstanceOf(PolicyViolationException.class);
      assertThat(send(producer, TOPIC, 1).get().hasOffset()).isTrue();
      assertThat(standIn.producesRefused()).isEqualTo(1);
    }
  }

  @Test
  void anIdempotentProducerGetsOverALostProducerId() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("enable.idempotence", true))) {
      send(producer, TOPIC, 1).get();
      standIn.answerProduce(Errors.INVALID_PRODUCER_ID_MAPPING, 1);

      assertThatThrownBy(() -> send(producer, TOPIC, 1).get())
          .isInstanceOf(ExecutionException.class);
      assertThat(send(producer, TOPIC, 1).get().hasOffset()).isTrue();
    }
  }

  @Test
  void aProducerThatWantsNoAnswersGetsNone() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        producer(Map.of("acks", "0", "enable.idempotence", false))) {
      send(producer, TOPIC, 1).get();
      int logins = standIn.requests().get(ApiKeys.SASL_HANDSHAKE);

      assertThat(producer.partitionsFor("another")).hasSize(1);
      assertThat(standIn.requests()).containsEntry(ApiKeys.SASL_HANDSHAKE, logins);
    }
  }

  @Test
  void throttlingIsReportedToTheProducer() throws Exception {
    standIn.throttle(Duration.ofMillis(200));
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, TOPIC, 1).get();

      await().until(() -> metric(producer, "produce-throttle-time-max") == 200);
    }
  }

  @Test
  void aClientTooNewForTheServiceNeverGetsToMetadataWhereItIsReset() throws Exception {
    standIn.unknownApiVersions(UnknownApiVersions.RESET);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of("max.block.ms", 1_500))) {
      assertThatThrownBy(() -> send(producer, TOPIC, 1).get())
          .cause()
          .isInstanceOf(TimeoutException.class)
          .hasMessageContaining("not present in metadata");
      assertThat(standIn.requests())
          .containsKey(ApiKeys.API_VERSIONS)
          .doesNotContainKey(ApiKeys.METADATA);
    }
  }

  @ParameterizedTest
  @EnumSource(value = UnknownApiVersions.class, names = "RESET", mode = EnumSource.Mode.EXCLUDE)
  void aClientTooNewForTheServiceWorksWhereItIsAnswered(UnknownApiVersions treatment)
      throws Exception {
    standIn.unknownApiVersions(treatment);
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      assertThat(send(producer, TOPIC, 1).get().hasOffset()).isTrue();
    }
  }

  @Test
  void metadataOfNoTopicIsRefusedToWhoHasRightsOnOneHub() throws Exception {
    standIn.refuseEmptyMetadata(true);
    try (Admin admin = admin()) {
      assertThatThrownBy(() -> admin.listTopics().names().get())
          .hasCauseInstanceOf(TimeoutException.class);
    }
    int refused = standIn.refusedEmptyMetadata();
    assertThat(refused).isPositive();
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      await().until(() -> standIn.refusedEmptyMetadata() > refused);

      assertThat(send(producer, TOPIC, 1).get().hasOffset()).isTrue();
    }
  }

  @Test
  void administrationIsNotOffered() throws Exception {
    try (Admin admin = admin()) {
      assertThat(admin.listTopics().names().get()).contains(TOPIC);
      assertThatThrownBy(
              () -> admin.createTopics(Set.of(new NewTopic("new", 1, (short) 1))).all().get())
          .hasCauseInstanceOf(UnsupportedVersionException.class);
    }
    assertThat(standIn.requests()).doesNotContainKey(ApiKeys.CREATE_TOPICS);
    assertThat(standIn.refusedNotOffered()).isZero();
  }

  @Test
  void whoAsksForAdministrationNeverthelessIsCutOff() throws Exception {
    short version = ApiKeys.CREATE_TOPICS.latestVersion();
    ByteBuffer request =
        RequestUtils.serialize(
            new RequestHeaderData()
                .setRequestApiKey(ApiKeys.CREATE_TOPICS.id)
                .setRequestApiVersion(version)
                .setClientId("insistent"),
            ApiKeys.CREATE_TOPICS.requestHeaderVersion(version),
            new CreateTopicsRequestData(),
            version);
    try (SSLSocket socket = connect()) {
      KafkaFrames.write(new DataOutputStream(socket.getOutputStream()), request);

      assertThatThrownBy(() -> KafkaFrames.read(new DataInputStream(socket.getInputStream())))
          .isInstanceOf(IOException.class);
    }
    assertThat(standIn.requests()).containsExactly(Map.entry(ApiKeys.CREATE_TOPICS, 1));
    assertThat(standIn.refusedNotOffered()).isEqualTo(1);
  }

  @Test
  void closingEndsConnectionsAndThreads() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      send(producer, TOPIC, 1).get();
      assertThat(threads()).hasSizeGreaterThanOrEqualTo(3);

      standIn.close();
      standIn.close();

      await().until(() -> threads().isEmpty());
      assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }
  }

  private List<String> threads() {
    String prefix = "event-hubs-stand-in-" + standIn.bootstrapServers().replaceFirst(".*:", "");
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }

  private SSLSocket connect() throws IOException {
    String port = standIn.bootstrapServers().replaceFirst(".*:", "");
    return (SSLSocket)
        broker
            .certificates()
            .tls()
            .getSocketFactory()
            .createSocket("localhost", Integer.parseInt(port));
  }

  private Admin admin() {
    return Admin.create(
        settings(
            broker.plainClient(),
            Map.of("request.timeout.ms", 1_000, "default.api.timeout.ms", 2_000)));
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> changes) {
    return producer(broker.plainClient(), changes);
  }

  private KafkaProducer<byte[], byte[]> producer(
      Map<String, String> login, Map<String, Object> changes) {
    return new KafkaProducer<>(
        settings(login, changes), new ByteArraySerializer(), new ByteArraySerializer());
  }

  private Map<String, Object> settings(Map<String, String> login, Map<String, Object> changes) {
    Map<String, Object> settings = new HashMap<>(login);
    settings.put("bootstrap.servers", standIn.bootstrapServers());
    settings.putAll(changes);
    return settings;
  }

  private static Future<RecordMetadata> send(
      KafkaProducer<byte[], byte[]> producer, String topic, int size) {
    return producer.send(new ProducerRecord<>(topic, 0, null, new byte[size]));
  }

  private static double metric(KafkaProducer<byte[], byte[]> producer, String name) {
    return producer.metrics().entrySet().stream()
        .filter(metric -> metric.getKey().name().equals(name))
        .mapToDouble(metric -> (double) metric.getValue().metricValue())
        .max()
        .orElseThrow();
  }

  private static String address(Node node) {
    return node.host() + ":" + node.port();
  }
}
