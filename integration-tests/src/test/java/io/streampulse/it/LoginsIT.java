package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.streampulse.connection.ConnectionAdvice;
import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.source.TopicRange;
import io.streampulse.testing.ChildJvm;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every login that people use, from the agent over the topic and the consumer into the table; and
 * every way in which it goes wrong: the agent warns and its job runs, the consumer exits with a
 * line that says what to do, and nobody prints a secret.
 */
@Tag("kafka-matrix")
class LoginsIT {
  /** Consumers as users submit them, with the login modules in a jar of {@code --jars}. */
  private static final List<String> SUBMITTED =
      List.of("scram-sha-256", "oauthbearer", "mutual-tls-pem", "wrong-client-secret");

  private static final LoginCases CASES = new LoginCases("logins");
  private static Turns agents;
  private static Turns consumers;

  @BeforeAll
  static void runAll() {
    agents = Turns.ofJobs(CASES.agents);
    Map<String, Map<String, String>> submitted = new LinkedHashMap<>();
    SUBMITTED.forEach(name -> submitted.put(name, CASES.consumers.get(name)));
    consumers = Turns.ofConsumers(submitted);
  }

  @AfterAll
  static void close() {
    CASES.close();
  }

  /** The same logins, written otherwise: as far as the consumer's Kafka client goes. */
  @ParameterizedTest
  @ValueSource(
      strings = {"scram-sha-512", "oauthbearer-as-kafka-has-it", "managed-identity", "mutual-tls"})
  void recordsGoFromTheAgentToTheConsumersClient(String name) {
    assertAllPublished(name);
    ConsumerConfig config = ConsumerConfig.read(CASES.consumers.get(name));
    AtomicInteger messages = new AtomicInteger();
    new TopicRange(config.kafka(), config.topic())
        .read(Optional.empty(), 0, Optional.empty(), message -> messages.incrementAndGet());
    assertThat(messages).hasValueGreaterThan(3);
  }

  private static void assertAllPublished(String name) {
    assertThat(agents.output(name))
        .containsPattern("agent stopped: (\\d+) records produced, \\1 published, 0 dropped")
        .doesNotContain("Health records wait");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "scram-sha-256", "oauthbearer", "mutual-tls-pem", "rights"})
  void recordsGoFromTheAgentIntoTheTable(String name) throws Exception {
    assertAllPublished(name);
    if (SUBMITTED.contains(name)) {
      assertThat(consumers.output(name)).contains("=== end " + name + ": exit code 0");
    } else {
      HealthConsumer.start(Environment.spark(), ConsumerConfig.read(CASES.consumers.get(name)))
          .awaitTermination();
    }
    Row rows =
        Environment.spark()
            .read()
            .format("delta")
            .load(CASES.folder.resolve("table").toString())
            .where("kafka.topic = '%s'".formatted(name))
            .selectExpr("count(*)", "count_if(eventType = 'AGENT_STOPPED')", "max(sequence) + 1")
            .head();
    assertThat(rows.getLong(0)).isGreaterThan(3).isEqualTo(rows.getLong(2));
    assertThat(rows.getLong(1)).isOne();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "wrong-password|the broker refused the login",
        "wrong-client-secret|no token: http",
        "unknown-authority|the broker's certificate is not trusted",
        "expired-certificate|the broker's certificate has expired",
        "other-host|the broker's certificate is for another host name",
        "no-client-certificate|the broker refuses this client's certificate, or wants one",
        "unknown-client-certificate|the broker refuses this client's certificate, or wants one",
        "rights-reversed|this login may not use topic"
      })
  void whatGoesWrongIsSaidAndTheJobIsNotAffected(String name, String said) {
    assertThat(agents.output(name).lines())
        .anyMatch(line -> line.contains("WARN") && line.contains(said));
    assertThat(agents.output(name)).containsPattern("=== end %s: [1-9]\\d* rows".formatted(name));
    assertThat(adviceOf(name)).contains(said);
  }

  /** What a consumer with these settings says when it is refused for good. */
  private static String adviceOf(String name) {
    ConsumerConfig config = ConsumerConfig.read(CASES.consumers.get(name));
    Throwable refusal =
        catchThrowable(
            () ->
                new TopicRange(config.kafka(), config.topic())
                    .read(Optional.empty(), 0, Optional.empty(), message -> {}));
    assertThat(ConnectionAdvice.mayPass(refusal, config.topic())).isFalse();
    return ConnectionAdvice.of(refusal, config.topic()).orElseThrow();
  }

  @Test
  void agentAndSparksKafkaSourceLogInByTheSameMechanismInOneJvm() {
    for (String name : List.of("beside-scram", "beside-oauthbearer")) {
      assertThat(agents.output(name))
          .containsPattern("=== end %s: [1-9]\\d* rows".formatted(name))
          .containsPattern("agent stopped: (\\d+) records produced, \\1 published, 0 dropped");
    }
  }

  @Test
  void theConsumerThatIsRefusedEndsWithTheLineThatSaysWhy() {
    assertThat(consumers.output("wrong-client-secret"))
        .contains("=== end wrong-client-secret: exit code 4")
        .containsPattern("(?m)^health-consumer: no token: http.* answered 401 invalid_client");
  }

  /**
   * The control: with Kafka's own login module in the agent's copy, the job's client is cut off.
   */
  @Test
  void kafkasOwnLoginModuleInASecondCopyShutsTheFirstOut() throws Exception {
    String module = "common.security.oauthbearer.OAuthBearerLoginModule";

    assertThat(clash("org.apache.kafka." + module)).contains("logged in: ");
    assertThat(clash("io.streampulse.agent.shaded.kafka." + module)).contains("failed: ");
  }

  private static String clash(String firstModule) throws Exception {
    Properties settings = new Properties();
    settings.putAll(CASES.kafkasOAuth());
    LoginCases.tls(CASES.broker.certificates())
        .forEach(
            (key, value) -> settings.put(key.replace("kafka.", ""), value.replace("file:", "")));
    settings.put("bootstrap.servers", CASES.broker.bootstrapServers());
    settings.put("security.protocol", "SASL_SSL");
    settings.put("default.api.timeout.ms", "10000");
    settings.put("request.timeout.ms", "9000");
    Path file = CASES.folder.resolve("clash.properties");
    try (Writer writer = Files.newBufferedWriter(file)) {
      settings.store(writer, null);
    }
    try (ChildJvm jvm =
        ChildJvm.start(
            "clash",
            CASES.folder.resolve("clash.log"),
            ChildJvm.classPath(entry -> true),
            List.of("-Xmx256m"),
            List.of(SaslClash.class.getName(), firstModule, file.toString()))) {
      assertThat(jvm.awaitExit(Duration.ofMinutes(1))).isZero();
      return jvm.output();
    }
  }

  /** Databricks' connector has Kafka's client below a package of its own. */
  @Test
  void theConsumersSettingsFitAKafkaClientOfAnotherPackage() throws Exception {
    Path folder = CASES.folder.resolve("kafkashaded");
    OtherBuild.maven("kafkashaded/pom.xml", "package", "-DbuildDirectory=" + folder);
    Map<String, Map<String, String>> confs = new LinkedHashMap<>();
    List<String> names = List.of("plain", "scram-sha-512", "oauthbearer", "mutual-tls-pem");
    names.forEach(name -> confs.put(name, CASES.consumers.get(name)));

    Turns clients =
        Turns.ofMain(
            KafkaShadedClient.class,
            confs,
            folder.resolve("streampulse-kafkashaded-0.1.0-SNAPSHOT.jar"));

    names.forEach(
        name ->
            assertThat(clients.output(name))
                .containsPattern("sees [1-9]\\d* topics by kafkashaded[.]org[.]apache[.]kafka"));
  }

  /** The broker ends a session with its token; a record of each moment gets through. */
  @Test
  void aTokenIsRenewedBeforeItEnds() {
    Map<String, String> conf = new HashMap<>(CASES.agents.get("oauthbearer"));
    conf.put(JobsInTurn.SECONDS, "12");
    int before = CASES.tokens.issued();
    CASES.tokens.setLifetime(Duration.ofSeconds(5));
    try {
      Turns job = Turns.ofJobs(Map.of("renewal", conf));

      assertThat(job.output("renewal"))
          .containsPattern("agent stopped: (\\d+) records produced, \\1 published, 0 dropped")
          .doesNotContain("Health records wait");
    } finally {
      CASES.tokens.setLifetime(Duration.ofHours(1));
    }
    assertThat(CASES.tokens.issued() - before).isBetween(3, 10);
  }

  @Test
  void aTokenThatTheBrokerRefusesIsSaid() {
    CASES.tokens.signWithAnotherKey(true);
    try {
      Turns job = Turns.ofJobs(Map.of("refused", CASES.agents.get("oauthbearer")));

      assertThat(job.output("refused"))
          .contains("Health records wait", ": the broker refused the token")
          .containsPattern("=== end refused: [1-9]\\d* rows");
      assertThat(adviceOf("oauthbearer")).contains("the broker refused the token");
    } finally {
      CASES.tokens.signWithAnotherKey(false);
    }
    CASES.tokens.issueExpired(true);
    try {
      assertThat(adviceOf("oauthbearer")).contains("this machine's clock");
    } finally {
      CASES.tokens.issueExpired(false);
    }
  }

  @Test
  void nobodyPrintsASecret() {
    for (String output : List.of(agents.whole(), consumers.whole())) {
      assertThat(output).doesNotContain(CASES.secrets());
    }
  }
}
