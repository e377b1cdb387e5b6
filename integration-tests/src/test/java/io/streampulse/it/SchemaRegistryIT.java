package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.config.Secret;
import io.streampulse.consumer.HealthConsumer;
import io.streampulse.consumer.command.DecodeCommand;
import io.streampulse.registry.RegistryException;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.registry.SchemaRegistryClient;
import io.streampulse.registry.SchemaSubject;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthMessages;
import io.streampulse.testing.HealthTopic;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import io.streampulse.wire.ReleasedSchemas;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A real registry, and serializers that are not ours: they read what the agent writes, and the
 * consumer reads what they write. Run by {@code mvn verify -Pschema-registry}.
 */
@Tag("schema-registry")
class SchemaRegistryIT {
  private static final Duration LONGEST = Duration.ofMinutes(2);
  private static final String URL = "spark.streampulse.schema-registry.url";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static ApicurioRegistry registry;
  private static Path nodeModules;

  @BeforeAll
  static void start() throws Exception {
    registry = ApicurioRegistry.start();
  }

  @AfterAll
  static void stop() {
    if (registry != null) {
      registry.close();
    }
  }

  @Test
  void theAgentRegistersItsSchemaAndTheConsumerReadsAllFormatsMixed() throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("registry-it", 2)) {
      Path folder = Environment.newFolder("registry-job");
      Map<String, String> conf =
          Environment.agentConf(Environment.broker().plainClient(), it.topic);
      conf.put(URL, registry.url());
      try (ChildJvm job =
          Environment.submit(
              "registry-job",
              RateJob.class,
              conf,
              List.of(ChildJvm.jarOnClassPath("streampulse-listener-agent")),
              "3",
              folder.resolve("checkpoint").toString(),
              folder.resolve("truth").toString())) {
        assertThat(job.awaitExit(LONGEST)).as(job.output()).isZero();
        assertThat(job.output()).contains(" 0 dropped");
      }
      List<byte[]> written = HealthTopic.values(Environment.broker(), it.topic);
      assertThat(written).hasSizeGreaterThan(4).allMatch(message -> message[0] == 0);
      int id = ByteBuffer.wrap(written.get(0)).getInt(1);
      assertThat(registered(id)).isEqualTo(ReleasedSchemas.current().schema());
      assertThat(registry.call("GET", "/subjects/registry-it-value/versions", "").body())
          .isEqualTo("[1]");

      it.messages.send(0, 10);
      byte[] unknown = RecordEncoder.confluent(1_000_000).encode(record(1));
      it.messages.sendRaw(0, unknown);
      it.conf.put(URL, registry.url());
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      assertThat(it.numbers()).isEqualTo(LongStream.range(0, 10).boxed().toList());
      assertThat(it.rows(it.table).count()).isEqualTo(written.size() + 10L);
      List<Row> quarantined = it.rows(it.table + "_quarantine").collectAsList();
      assertThat(quarantined).hasSize(1);
      assertThat(quarantined.get(0).<byte[]>getAs("value")).isEqualTo(unknown);
      assertThat(quarantined.get(0).<String>getAs("reason"))
          .contains("id 1000000", "answered 404", "it is not there");

      // Exit code 1: one of them is no health record.
      assertThat(it.command(1, new DecodeCommand(), "--topic", "--from", "0").lines())
          .filteredOn(line -> line.startsWith("{"))
          .hasSize(written.size() + 11)
          .anyMatch(line -> line.contains("\"format\":\"Confluent, schema id " + id + "\""))
          .anyMatch(line -> line.contains("single object, fingerprint"))
          .anyMatch(line -> line.contains("\"undecodable\":"));
    }
  }

  @Test
  void withoutAutoRegisterTheSchemaMustBeThereHoweverItIsSpelt() throws Exception {
    SchemaSubject subject = SchemaSubject.of("looked-up", "topic-name", false);
    assertThatThrownBy(() -> subject.encoder(client()))
        .isInstanceOf(RegistryException.class)
        .hasMessageContaining("can't look up the schema of subject looked-up-value")
        .hasMessageContaining("answered 404")
        .hasMessageContaining("register it");

    String released =
        Files.readString(Path.of("../schemas/src/main/avro/released/HealthRecord.v1.avsc"));
    String body = JSON.createObjectNode().put("schema", released).toString();
    assertThat(registry.call("POST", "/subjects/looked-up-value/versions", body).statusCode())
        .isEqualTo(200);
    int id = ByteBuffer.wrap(subject.encoder(client()).encode(record(1))).getInt(1);
    assertThat(registered(id)).isEqualTo(ReleasedSchemas.current().schema());
  }

  @Test
  void aSubjectWhoseRuleForbidsTheSchemaSaysWhatDoesNotFit() throws Exception {
    String compatibility = "{\"compatibility\":\"FULL_TRANSITIVE\"}";
    registry.call("PUT", "/config/forbidding-value", compatibility);
    String other =
        ReleasedSchemas.current()
            .schema()
            .toString()
            .replace(
                "\"name\":\"sequence\",\"type\":\"long\"",
                "\"name\":\"sequence\",\"type\":\"double\"");
    String body = JSON.createObjectNode().put("schema", other).toString();
    assertThat(registry.call("POST", "/subjects/forbidding-value/versions", body).statusCode())
        .isEqualTo(200);

    assertThatThrownBy(() -> SchemaSubject.of("forbidding", "topic-name", true).encoder(client()))
        .isInstanceOf(RegistryException.class)
        .hasMessageContaining("answered 409")
        .hasMessageContaining("DOUBLE")
        .hasMessageContaining("compatibility rule");
  }

  @Test
  void whileTheRegistryIsAwayKnownIdsGoOnAndAnUnknownOneFailsTheQueryAndIsNotQuarantined()
      throws Exception {
    try (ConsumerFixture it = new ConsumerFixture("registry-away-it", 1)) {
      it.conf.put(URL, registry.url());
      it.conf.put("spark.streampulse.schema-registry.request-timeout", "500ms");
      it.conf.put("spark.streampulse.schema-registry.retry-timeout", "1s");
      RecordEncoder known = SchemaSubject.of(it.topic, "topic-name", true).encoder(client());
      String other = "{\"schema\":\"\\\"string\\\"\"}";
      int unknown =
          JSON.readTree(registry.call("POST", "/subjects/away/versions", other).body())
              .get("id")
              .intValue();
      it.messages.sendRaw(0, known.encode(record(0)));
      HealthConsumer consumer = it.start();
      try {
        it.awaitCaughtUp(consumer);
        registry.pause();
        it.messages.sendRaw(0, known.encode(record(1)));
        it.awaitCaughtUp(consumer);
        it.messages.sendRaw(0, RecordEncoder.confluent(unknown).encode(record(2)));
        it.messages.sendRaw(0, known.encode(record(3)));
        assertThatThrownBy(consumer::awaitTermination)
            .hasStackTraceContaining("RegistryException: can't get the schema with id " + unknown);
      } finally {
        registry.resume();
        consumer.stop(Duration.ofSeconds(30));
      }
      assertThat(it.rows(it.table + "_quarantine").count()).isZero();

      it.runUntilCaughtUp();
      it.assertExactlyOnce();
      assertThat(it.numbers()).containsExactly(0L, 1L, 3L);
      assertThat(it.rows(it.table + "_quarantine").head().<String>getAs("reason"))
          .contains("is no health record's");
    }
  }

  @Test
  void apicuriosSerializerReadsWhatWeWriteAndWritesWhatWeRead() throws Exception {
    String classPath = OtherBuild.classPath("peers/pom.xml");
    String topic = "apicurio-peer";
    byte[] message = message(topic);
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String printed =
        Script.run(
            new ProcessBuilder(
                java,
                "-cp",
                classPath,
                ApicurioPeer.class.getName(),
                registry.base(),
                topic,
                HexFormat.of().formatHex(message)),
            0);

    String record = line(printed, "record ");
    assertIsOurs(JSON.readTree(record));
    byte[] theirs = HexFormat.of().parseHex(line(printed, "message "));
    assertThat(body(theirs)).isEqualTo(body(message));
    assertThat(registered(ByteBuffer.wrap(theirs).getInt(1)))
        .isEqualTo(ReleasedSchemas.current().schema());
    assertConsumerReads("apicurio-it", registry.url(), theirs, null);
  }

  @Test
  void confluentsJavaScriptClientReadsWhatWeWriteAndWritesWhatWeRead() throws Exception {
    String topic = "confluent-js";
    byte[] message = message(topic);
    List<String> printed = node("confluent.js", registry.url(), topic, hex(message), "value");

    assertIsOurs(JSON.readTree(printed.get(0)));
    assertThat(printed.get(1)).isEqualTo(hex(message));
    assertConsumerReads(
        "confluent-js-it", registry.url(), HexFormat.of().parseHex(printed.get(1)), null);
  }

  @Test
  void confluentsHeaderFormIsRead() throws Exception {
    try (GuidRegistry guids = new GuidRegistry(registry)) {
      String topic = "confluent-header";
      byte[] message = message(topic);
      List<String> printed = node("confluent.js", guids.url(), topic, hex(message), "header");

      byte[] theirs = HexFormat.of().parseHex(printed.get(1));
      assertThat(theirs).as("the bare body").isEqualTo(body(message));
      assertThat(printed.get(2)).hasSize(34).startsWith("01");
      assertThat(printed.get(3)).isEqualTo(printed.get(0));
      assertConsumerReads(
          "confluent-header-it", guids.url(), theirs, HexFormat.of().parseHex(printed.get(2)));
    }
  }

  @Test
  void kafkajsReadsWhatWeWriteAndWritesWhatWeRead() throws Exception {
    String topic = "kafkajs";
    byte[] message = message(topic);
    List<String> printed = node("kafkajs.js", registry.url(), topic, hex(message));

    assertIsOurs(JSON.readTree(printed.get(0)));
    assertThat(printed.get(1)).isEqualTo(hex(message));
    assertConsumerReads(
        "kafkajs-it", registry.url(), HexFormat.of().parseHex(printed.get(1)), null);
  }

  private static void assertIsOurs(JsonNode record) throws Exception {
    assertThat(record.get("agentId").asText()).isEqualTo(HealthMessages.AGENT);
    assertThat(record.get("sequence").asLong()).isEqualTo(7);
    assertThat(record.get("eventType").asText()).isEqualTo("PROGRESS");
    assertThat(record.get("queryId").asText()).isEqualTo("query-7");
    assertThat(record.get("sources").get(0).get("endOffset").asText()).isEqualTo("{\"ü\":1}");
    assertThat(record.get("inputRowsPerSecond").asDouble()).isEqualTo(0.1);
    assertThat(record.get("durationMs").get("addBatch").asLong()).isEqualTo(4_000_000_000L);
    assertThat(record.get("exception").isNull()).isTrue();
  }

  private static void assertConsumerReads(String name, String url, byte[] message, byte[] schemaId)
      throws Exception {
    try (ConsumerFixture it = new ConsumerFixture(name, 1)) {
      it.messages.sendRaw(0, message, schemaId);
      it.conf.put(URL, url);
      it.runUntilCaughtUp();

      it.assertExactlyOnce();
      Row row = it.rows(it.table).head();
      assertThat(row.<String>getAs("agentId")).isEqualTo(HealthMessages.AGENT);
      assertThat(row.<Long>getAs("sequence")).isEqualTo(7);
      assertThat(row.<Double>getAs("inputRowsPerSecond")).isEqualTo(0.1);
      assertThat(row.<java.sql.Timestamp>getAs("eventTime").getTime())
          .isEqualTo(1_700_000_000_007L);
    }
  }

  /** A message with something of every kind, its schema registered as an agent does it. */
  private static byte[] message(String topic) throws Exception {
    HealthRecord record = record(7);
    record.setInputRowsPerSecond(0.1);
    record.setDurationMs(Map.of("addBatch", 4_000_000_000L));
    record.setSources(
        List.of(
            io.streampulse.schema.SourceProgress.newBuilder()
                .setEndOffset("{\"ü\":1}")
                .setBacklog(3L)
                .build()));
    record.setLatencies(Map.of("e2e", Map.of("P99", 1.5)));
    return SchemaSubject.of(topic, "topic-name", true).encoder(client()).encode(record);
  }

  private static HealthRecord record(long number) throws Exception {
    return new RecordDecoder().decode(HealthMessages.numbered(number));
  }

  private static List<String> node(String script, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("node", modules().resolve(script).toString()));
    command.addAll(List.of(arguments));
    return Script.run(new ProcessBuilder(command), 0).lines().toList();
  }

  /** The peers' packages, fetched once; without npm the tests are skipped and say so. */
  private static synchronized Path modules() throws Exception {
    if (nodeModules == null) {
      try {
        Script.run(new ProcessBuilder("npm", "--version"), 0);
      } catch (java.io.IOException e) {
        assumeThat(false).as("No npm here: " + e.getMessage()).isTrue();
      }
      Path folder = Files.createDirectories(Path.of("target/peers").toAbsolutePath());
      for (String file : List.of("package.json", "confluent.js", "kafkajs.js")) {
        Files.copy(
            Path.of("peers").resolve(file),
            folder.resolve(file),
            java.nio.file.StandardCopyOption.REPLACE_EXISTING);
      }
      Script.run(
          new ProcessBuilder(
                  "npm",
                  "install",
                  "--ignore-scripts",
                  "--no-package-lock",
                  "--no-audit",
                  "--no-fund")
              .directory(folder.toFile()),
          0);
      nodeModules = folder;
    }
    return nodeModules;
  }

  private static Schema registered(int id) {
    return client().schema(id);
  }

  private static SchemaRegistryClient client() {
    return new SchemaRegistryClient(
        new RegistrySettings(
            List.of(URI.create(registry.url())),
            Secret.NONE,
            Secret.NONE,
            "",
            Duration.ofSeconds(20),
            Duration.ofSeconds(20)));
  }

  private static byte[] body(byte[] message) {
    return Arrays.copyOfRange(message, 5, message.length);
  }

  private static String hex(byte[] message) {
    return HexFormat.of().formatHex(message);
  }

  private static String line(String printed, String prefix) {
    return printed
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElseThrow(() -> new AssertionError(printed));
  }
}
