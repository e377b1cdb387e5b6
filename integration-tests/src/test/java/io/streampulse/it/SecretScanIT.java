package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.TokenServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Job, agent and consumer with a secret in every place that takes one, all of them in use; then
 * these secrets are looked for in all that was printed and written and shown.
 */
class SecretScanIT {
  private static final String SEEN = "rack-seven-of-nine";

  private final Path folder = Environment.newFolder("secrets");
  private final Map<String, String> secrets = new TreeMap<>();

  @Test
  void noSecretIsPrintedOrWrittenOrShown() throws Exception {
    Map<String, Path> places = new LinkedHashMap<>();
    HttpServer registry = registry();
    try (TokenServer tokens = TokenServer.start(folder.resolve("tokens"));
        EmbeddedBroker broker = EmbeddedBroker.withEveryLogin(folder.resolve("broker"), tokens)) {
      broker.createTopic("secrets", 1);
      String registryLogin = secret("registry login");
      secrets.put("broker password", broker.password().replaceFirst(".*SharedAccessKey=", ""));
      secrets.put("store password", broker.certificates().password());
      secrets.put("client secret", tokens.clientSecret());
      String key = Files.readString(broker.clientCertificate().keyPem());
      secrets.put("private key", key.lines().skip(1).findFirst().orElseThrow());

      Map<String, String> shared = new TreeMap<>();
      shared.put("spark.streampulse.kafka.bootstrap.servers", broker.bootstrapServers());
      shared.put("spark.streampulse.kafka.client.rack", SEEN);
      shared.put(
          "spark.streampulse.kafka.ssl.truststore.location",
          broker.certificates().trustStore().toString());
      shared.put(
          "spark.streampulse.kafka.ssl.truststore.password", broker.certificates().password());
      shared.put(
          "spark.streampulse.schema-registry.url",
          "http://127.0.0.1:" + registry.getAddress().getPort());
      shared.put("spark.ui.enabled", "true");
      shared.put("spark.ui.port", "0");
      shared.put("spark.log.level", "INFO");
      shared.put("spark.eventLog.enabled", "true");
      shared.put("spark.eventLog.compress", "false");
      Path login = Files.writeString(folder.resolve("login"), "u:" + registryLogin);

      Map<String, Map<String, String>> jobs = new LinkedHashMap<>();
      Map<String, String> job = job(places, "job", shared);
      // Spark's own expression does not find these two, so a job keeps them out of its conf.
      job.put("spark.streampulse.schema-registry.basic-auth", "${file:%s}".formatted(login));
      job.put(
          "spark.streampulse.kafka.ssl.keystore.key",
          "${file:%s}".formatted(broker.clientCertificate().keyPem()));
      String chain = "${file:%s}".formatted(broker.clientCertificate().chainPem());
      job.put("spark.streampulse.kafka.ssl.keystore.certificate.chain", chain);
      job.put("spark.streampulse.kafka.sasl.mechanism", "SCRAM-SHA-512");
      job.put("spark.streampulse.sasl.username", "streampulse");
      job.put("spark.streampulse.sasl.password", broker.password());
      jobs.put("job", job);
      Map<String, String> again = job(places, "job-with-oauth", shared);
      again.put("spark.streampulse.oauth.client-id", tokens.clientId());
      again.put("spark.streampulse.oauth.client-secret", tokens.clientSecret());
      again.put("spark.streampulse.oauth.token-url", tokens.tokenUrl().toString());
      again.put("spark.streampulse.schema-registry.bearer-token", secret("registry token"));
      jobs.put("job-with-oauth", again);
      Turns agents = Turns.ofJobs(jobs);
      jobs.keySet()
          .forEach(
              name ->
                  assertThat(agents.output(name))
                      .containsPattern("records produced, [1-9]\\d* published, 0 dropped"));

      Map<String, Map<String, String>> runs = new LinkedHashMap<>();
      Map<String, String> byString = consumer(places, "consumer", shared);
      byString.put("spark.streampulse.eventhubs.connection-string", broker.password());
      byString.put("spark.streampulse.schema-registry.basic-auth", "u:" + registryLogin);
      byString.put("spark.streampulse.kafka.ssl.keystore.key", key);
      byString.put("spark.streampulse.kafka.ssl.keystore.certificate.chain", chain);
      runs.put("consumer", byString);
      Map<String, String> byToken = consumer(places, "consumer-with-oauth", shared);
      byToken.put("spark.streampulse.oauth.client-id", tokens.clientId());
      byToken.put("spark.streampulse.oauth.client-secret", tokens.clientSecret());
      byToken.put("spark.streampulse.oauth.token-url", tokens.tokenUrl().toString());
      runs.put("consumer-with-oauth", byToken);
      Turns consumers = Turns.ofConsumers(runs);
      runs.keySet()
          .forEach(name -> assertThat(consumers.output(name)).contains(name + ": exit code 0"));

      Files.writeString(places.get("job").resolve("output"), agents.whole());
      Files.writeString(places.get("consumer").resolve("output"), consumers.whole());
      places.forEach(this::assertLooked);
      assertThat(agents.whole()).contains(" DEBUG ");
      assertThat(places.values()).allSatisfy(place -> assertThat(hits(place)).isEmpty());
      // A control: what is there is found.
      Files.writeString(folder.resolve("planted"), "x" + tokens.clientSecret());
      assertThat(hits(folder.resolve("planted"))).hasSize(1);
    } finally {
      registry.stop(0);
    }
  }

  /** The search sees what it is meant to see. */
  private void assertLooked(String name, Path place) {
    assertThat(filesWith(place, SEEN))
        .as(name)
        .anyMatch(file -> file.contains("ui-api-v1"))
        .anyMatch(file -> file.contains("events"));
    assertThat(filesWith(place, "<html"))
        .as(name)
        .anyMatch(file -> file.contains("ui-environment-200"))
        .anyMatch(file -> file.contains("ui-StreamingQuery-200"));
    assertThat(filesWith(place, "java.lang:type=Memory"))
        .as(name)
        .anyMatch(file -> file.endsWith("jmx.txt"));
  }

  private List<String> hits(Path place) {
    return secrets.entrySet().stream()
        .flatMap(
            secret ->
                filesWith(place, secret.getValue()).stream().map(f -> secret.getKey() + " in " + f))
        .toList();
  }

  private static List<String> filesWith(Path place, String text) {
    try (Stream<Path> files = Files.walk(place)) {
      return files
          .filter(Files::isRegularFile)
          .filter(
              file -> {
                try {
                  return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              })
          .map(Path::toString)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Map<String, String> job(
      Map<String, Path> places, String name, Map<String, String> shared) {
    Map<String, String> conf = Environment.agentConf(Map.of(), "secrets");
    conf.put("spark.streampulse.agent.flush-interval", "200ms");
    return traced(places, name, conf, shared);
  }

  private Map<String, String> consumer(
      Map<String, Path> places, String name, Map<String, String> shared) {
    Map<String, String> conf =
        Environment.consumerConf(
            Map.of(),
            "secrets",
            folder.resolve("traces-of-" + name),
            "spark_catalog.secrets.streaming_health");
    return traced(places, name, conf, shared);
  }

  private Map<String, String> traced(
      Map<String, Path> places, String name, Map<String, String> conf, Map<String, String> shared) {
    Path place = folder.resolve("traces-of-" + name);
    try {
      Files.createDirectories(place.resolve("events"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    places.put(name, place);
    conf.putAll(shared);
    conf.put("spark.eventLog.dir", place.resolve("events").toUri().toString());
    conf.put(Turns.TRACES, place.resolve("shown").toString());
    return conf;
  }

  private String secret(String name) {
    String value = "marker-" + UUID.randomUUID();
    secrets.put(name, value);
    return value;
  }

  /** As much of a schema registry as an agent needs. */
  private static HttpServer registry() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    Map<String, String> schemas = new ConcurrentHashMap<>();
    server.createContext(
        "/",
        exchange -> {
          String question =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          if (exchange.getRequestMethod().equals("POST")) {
            schemas.put("7", question);
          }
          String answer =
              exchange.getRequestMethod().equals("POST") ? "{\"id\":7}" : schemas.get("7");
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }
}
