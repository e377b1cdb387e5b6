package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.source.TopicRange;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.EventHubsStandIn;
import io.streampulse.testing.EventHubsStandIn.UnknownApiVersions;
import io.streampulse.testing.TokenServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Agent and consumer with nothing but a connection string, at an endpoint that behaves as Event
 * Hubs is said to: a stand-in, no Azure service was reached. The brokers' address is set besides,
 * since the stand-in's port is not that of Event Hubs.
 */
class EventHubsIT {
  private static final String OFFSETS_BY_CONSUMER =
      "spark.sql.streaming.kafka.useDeprecatedOffsetFetching";
  private static final String STOP_TIMEOUT = "spark.sql.streaming.stopTimeout";
  private static final List<String> SUBMITTED =
      List.of("connection-string", "oauth", "asked-by-admin", "reset");
  private static final Map<String, EventHubsStandIn> STAND_INS = new LinkedHashMap<>();
  private static final Map<String, Map<String, String>> AGENTS = new LinkedHashMap<>();
  private static final Map<String, Map<String, String>> CONSUMERS = new LinkedHashMap<>();

  /** What nobody needs who only sends and listens. */
  private static final Set<ApiKeys> ADMINISTRATION =
      Set.of(
          ApiKeys.CREATE_TOPICS,
          ApiKeys.DELETE_TOPICS,
          ApiKeys.CREATE_PARTITIONS,
          ApiKeys.DESCRIBE_CONFIGS,
          ApiKeys.INCREMENTAL_ALTER_CONFIGS,
          ApiKeys.DESCRIBE_CLUSTER,
          ApiKeys.DESCRIBE_TOPIC_PARTITIONS,
          ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS);

  private static Path folder;
  private static TokenServer tokens;
  private static EmbeddedBroker broker;
  private static Turns agents;
  private static Turns consumers;

  @BeforeAll
  static void runAll() {
    folder = Environment.newFolder("event-hubs");
    tokens = TokenServer.start(folder.resolve("tokens"));
    broker = EmbeddedBroker.withEveryLogin(folder.resolve("broker"), tokens);
    Map<String, String> byString = Map.of("eventhubs.connection-string", broker.password());
    standIn("connection-string", byString).refuseEmptyMetadata(true);
    standIn(
            "oauth",
            Map.of(
                "oauth.client-id", tokens.clientId(),
                "oauth.client-secret", tokens.clientSecret(),
                "oauth.token-url", tokens.tokenUrl().toString()))
        .refuseEmptyMetadata(true);
    standIn("idle", byString).idleTimeout(Duration.ofMillis(500));
    AGENTS.get("idle").put("spark.streampulse.agent.flush-interval", "1200ms");
    standIn("throttled", byString)
        .throttle(Duration.ofMillis(200))
        .answerProduce(Errors.POLICY_VIOLATION, 3);
    AGENTS.get("throttled").put(JobsInTurn.SECONDS, "10"); // it backs off for 1, 2 and 4 s
    standIn("forgotten", byString).answerProduce(Errors.INVALID_PRODUCER_ID_MAPPING, 2);
    standIn("reset", byString).unknownApiVersions(UnknownApiVersions.RESET);
    AGENTS.get("reset").put("spark.streampulse.agent.shutdown-timeout", "4s");
    standIn("asked-by-admin", byString).refuseEmptyMetadata(true);
    CONSUMERS.get("asked-by-admin").put(OFFSETS_BY_CONSUMER, "false");
    CONSUMERS.get("asked-by-admin").put("spark.streampulse.kafka.default.api.timeout.ms", "3000");
    CONSUMERS.get("asked-by-admin").put("spark.streampulse.kafka.request.timeout.ms", "2000");
    CONSUMERS.get("oauth").put(OFFSETS_BY_CONSUMER, "true"); // the host's name does not tell
    AGENTS.get("idle").put(JobsInTurn.SECONDS, "5");
    agents = Turns.ofJobs(AGENTS);
    Map<String, Map<String, String>> submitted = new LinkedHashMap<>();
    SUBMITTED.forEach(name -> submitted.put(name, CONSUMERS.get(name)));
    consumers = Turns.ofConsumers(submitted);
  }

  @AfterAll
  static void close() {
    STAND_INS.values().forEach(EventHubsStandIn::close);
    broker.close();
    tokens.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"connection-string", "oauth", "idle", "throttled", "forgotten"})
  void nothingIsLostOnTheWayIntoTheTable(String name) throws Exception {
    assertThat(agents.output(name))
        .containsPattern("agent stopped: (\\d+) records produced, \\1 published, 0 dropped");
    if (SUBMITTED.contains(name)) {
      assertThat(consumers.output(name)).contains("=== end " + name + ": exit code 0");
    } else {
      HealthConsumer.start(Environment.spark(), ConsumerConfig.read(CONSUMERS.get(name)))
          .awaitTermination();
    }
    Row rows =
        Environment.spark()
            .read()
            .format("delta")
            .load(folder.resolve("table").toString())
            .where("kafka.topic = '%s'".formatted(name))
            .selectExpr("count(*)", "count(DISTINCT sequence)", "max(sequence) + 1")
            .head();
    assertThat(rows.getLong(0))
        .isGreaterThan(3)
        .isEqualTo(rows.getLong(1))
        .isEqualTo(rows.getLong(2));
  }

  @Test
  void noAdministrativeCallIsMade() {
    for (String name : new String[] {"connection-string", "oauth"}) {
      assertThat(STAND_INS.get(name).requests())
          .containsKeys(ApiKeys.PRODUCE, ApiKeys.FETCH)
          .doesNotContainKeys(ADMINISTRATION.toArray(ApiKeys[]::new));
      assertThat(STAND_INS.get(name).refusedNotOffered()).isZero();
    }
  }

  @Test
  void aTopicIsReadByHandWithoutTheQuestionThatClosesTheConnection() {
    ConsumerConfig config = ConsumerConfig.read(CONSUMERS.get("connection-string"));
    int refused = STAND_INS.get("connection-string").refusedEmptyMetadata();
    AtomicInteger messages = new AtomicInteger();
    new TopicRange(config.kafka(), config.topic())
        .read(Optional.empty(), 0, Optional.empty(), message -> messages.incrementAndGet());

    assertThat(messages).hasValueGreaterThan(3);
    assertThat(STAND_INS.get("connection-string").refusedEmptyMetadata()).isEqualTo(refused);
  }

  /** The control: Spark's default begins with a question about no topic. */
  @Test
  void sparksAdminClientIsCutOffWhereTheLoginHasRightsOnOneHubOnly() {
    assertThat(consumers.output("asked-by-admin")).doesNotContain("asked-by-admin: exit code 0");
    assertThat(STAND_INS.get("asked-by-admin").refusedEmptyMetadata()).isPositive();
  }

  @Test
  void aConsumerThatGetsNoAnswerSaysSoAndEnds() {
    assertThat(consumers.output("reset"))
        .contains("health-consumer: the broker does not answer")
        .contains("=== end reset: exit code 1");
  }

  /** Spark itself would wait without an end and without a word. */
  @Test
  void aConsumerWhoseEndpointFallsSilentSaysSoAndEnds() throws Exception {
    EventHubsStandIn standIn =
        standIn("falls-silent", Map.of("eventhubs.connection-string", broker.password()));
    Map<String, String> settings = CONSUMERS.get("falls-silent");
    settings.put("spark.streampulse.consumer.trigger", "100ms");
    settings.put("spark.streampulse.kafka.default.api.timeout.ms", "4000");
    settings.put("spark.streampulse.kafka.request.timeout.ms", "3000");
    // Of its own: the query's thread waits on, and its name stays taken.
    SparkSession spark = Environment.spark().newSession();
    spark.conf().set(STOP_TIMEOUT, "2000");
    HealthConsumer consumer = HealthConsumer.start(spark, ConsumerConfig.read(settings));
    await().until(() -> standIn.requests().containsKey(ApiKeys.LIST_OFFSETS));
    standIn.close();

    assertThatThrownBy(consumer::awaitTermination)
        .hasMessageContaining("Timeout")
        .isInstanceOf(org.apache.kafka.common.errors.TimeoutException.class);
  }

  @Test
  void theServiceDidWhatTheTestsAreAbout() {
    assertThat(STAND_INS.get("idle").closedIdle()).isPositive();
    assertThat(STAND_INS.get("throttled").producesRefused()).isEqualTo(3);
    assertThat(agents.output("throttled"))
        .contains("Health records wait, the publisher was refused");
    assertThat(STAND_INS.get("forgotten").producesRefused()).isEqualTo(2);
    STAND_INS.values().forEach(s -> assertThat(s.refusedTooLarge()).isZero());
  }

  /**
   * kafka-clients 3.8 asks for versions by a request that such an endpoint knows; later ones don't.
   */
  @Test
  void aClientThatIsTooNewForTheEndpointIsNamedAsACause() {
    if (System.getProperty("streampulse.kafka-clients").startsWith("3.8.")) {
      assertThat(agents.output("reset"))
          .containsPattern("(\\d+) records produced, \\1 published, 0 dropped");
    } else {
      assertThat(agents.output("reset"))
          .contains("no broker tells of topic reset", "a Kafka client of this version")
          .containsPattern("=== end reset: [1-9]\\d* rows");
    }
  }

  private static EventHubsStandIn standIn(String name, Map<String, String> connection) {
    broker.createTopic(name, 1);
    EventHubsStandIn standIn = EventHubsStandIn.start(broker);
    STAND_INS.put(name, standIn);
    Map<String, String> shared = new HashMap<>();
    shared.put("spark.streampulse.kafka.bootstrap.servers", standIn.bootstrapServers());
    shared.put(
        "spark.streampulse.kafka.ssl.truststore.location",
        broker.certificates().trustStore().toString());
    shared.put("spark.streampulse.kafka.ssl.truststore.password", broker.certificates().password());
    connection.forEach((key, value) -> shared.put("spark.streampulse." + key, value));

    Map<String, String> agent = Environment.agentConf(Map.of(), name);
    agent.put("spark.streampulse.agent.flush-interval", "200ms");
    agent.putAll(shared);
    AGENTS.put(name, agent);
    Map<String, String> consumer =
        Environment.consumerConf(
            Map.of(), name, folder, "spark_catalog.event_hubs.streaming_health");
    consumer.put(
        "spark.streampulse.consumer.checkpoint", folder.resolve("checkpoints/" + name).toString());
    consumer.put("spark.streampulse.consumer.trigger", "available-now");
    consumer.put("spark.streampulse.consumer.async-progress.enabled", "false");
    consumer.put("spark.streampulse.consumer.max-restarts", "0");
    consumer.put("spark.streampulse.kafka.default.api.timeout.ms", "10000");
    consumer.put("spark.streampulse.kafka.request.timeout.ms", "9000");
    consumer.putAll(shared);
    CONSUMERS.put(name, consumer);
    return standIn;
  }
}
