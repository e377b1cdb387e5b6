package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.EventHubsStandIn;
import io.streampulse.testing.EventHubsStandIn.UnknownApiVersions;
import io.streampulse.testing.HealthTopic;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The agent with other versions of its own Kafka client than the one it is released with: its unit
 * tests, and its shaded jar by every login and at the stand-in for Event Hubs.
 */
@Tag("kafka-matrix")
class KafkaMatrixIT {
  private static final List<String> LOGINS =
      List.of("plain", "scram-sha-256", "oauthbearer", "mutual-tls-pem", "beside-oauthbearer");
  private static final Map<String, String> REFUSED =
      Map.of(
          "wrong-password", "the broker refused the login",
          "wrong-client-secret", "no token: http",
          "no-client-certificate", "the broker refuses this client's certificate, or wants one");

  @ParameterizedTest
  @ValueSource(strings = {"3.8.1", "4.4.0"})
  void theAgentDoesTheSameWithAnotherKafkaClient(String version) throws Exception {
    Path jar = build(version);
    try (LoginCases cases = new LoginCases("kafka-" + version);
        EventHubsStandIn standIn = EventHubsStandIn.start(cases.broker);
        EventHubsStandIn strange = EventHubsStandIn.start(cases.broker)) {
      standIn.refuseEmptyMetadata(true).answerProduce(Errors.POLICY_VIOLATION, 1);
      strange.unknownApiVersions(UnknownApiVersions.RESET);
      Map<String, Map<String, String>> jobs = new LinkedHashMap<>();
      LOGINS.forEach(name -> jobs.put(name, cases.agents.get(name)));
      REFUSED.keySet().forEach(name -> jobs.put(name, cases.agents.get(name)));
      jobs.put("event-hubs", at(standIn, "event-hubs", cases));
      jobs.put("reset", at(strange, "reset", cases));

      Turns turns = Turns.ofJobs(jobs, jar);

      assertThat(Stream.concat(LOGINS.stream(), Stream.of("event-hubs")))
          .allSatisfy(
              name ->
                  assertThat(turns.output(name))
                      .containsPattern(
                          "agent stopped: (\\d+) records produced, \\1 published, 0 dropped"));
      assertThat(HealthTopic.ends(cases.broker, "plain").get(0)).isGreaterThan(3);
      REFUSED.forEach(
          (name, said) ->
              assertThat(turns.output(name))
                  .contains(said)
                  .containsPattern("=== end %s: [1-9]\\d* rows".formatted(name)));
      // 3.8 asks for versions by a request that such an endpoint knows; later ones don't.
      assertThat(turns.output("reset"))
          .containsPattern(
              version.startsWith("3.8.")
                  ? "agent stopped: (\\d+) records produced, \\1 published, 0 dropped"
                  : "no broker tells of topic reset.*a Kafka client of this version");
      assertThat(turns.whole()).doesNotContain(cases.secrets());
    }
  }

  private static Map<String, String> at(EventHubsStandIn standIn, String topic, LoginCases cases) {
    cases.broker.createTopic(topic, 1);
    Map<String, String> conf = new HashMap<>(cases.agents.get("plain"));
    conf.put("spark.streampulse.topic", topic);
    conf.put("spark.streampulse.kafka.bootstrap.servers", standIn.bootstrapServers());
    conf.put(JobsInTurn.SECONDS, "4");
    conf.keySet().removeIf(name -> name.startsWith("spark.streampulse.sasl."));
    conf.put("spark.streampulse.eventhubs.connection-string", cases.broker.password());
    return conf;
  }

  /** A copy of the sources, built with another client; runs the agent's unit tests. */
  private static Path build(String version) throws Exception {
    Path copy = OtherBuild.sources("kafka-" + version);
    OtherBuild.maven(
        copy.resolve("pom.xml").toString(),
        "package",
        "-Dkafka-clients.version=" + version,
        "-Dtest=io/streampulse/agent/**/*Test,!StreamPulseTest,LoginModulesTest",
        "-Dsurefire.failIfNoSpecifiedTests=false",
        "-Dspotless.check.skip=true",
        "-pl",
        "listener-agent",
        "-am");
    return OtherBuild.jar(copy, "listener-agent");
  }
}
