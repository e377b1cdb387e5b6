package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.consumer.ConsumerConfig;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docker-compose.yml and what belongs to it speak of files, versions, settings and classes that are
 * there. It is not run: that takes a Docker engine.
 */
@SuppressWarnings("unchecked")
class ComposeTest {
  private static final Path FOLDER = ProjectFiles.ROOT.resolve("deploy/compose");
  private static final String COMPOSE =
      ProjectFiles.read(ProjectFiles.ROOT.resolve("docker-compose.yml"));
  private static final Map<String, Object> FILE = ProjectFiles.yaml(COMPOSE).get(0);
  private static final Map<String, Map<String, Object>> SERVICES =
      (Map<String, Map<String, Object>>) FILE.get("services");
  private static final char[] PASSWORD = "abcdef".toCharArray();

  /** Services that end when they have done their work. */
  private static final Set<String> ENDING = Set.of("certificates", "topic", "bucket");

  /** Whether they live is for the fleet page to say. */
  private static final Set<String> WITHOUT_CHECK = Set.of("consumer", "job");

  @Test
  void imagesArePinnedAndHaveTheVersionsOfTheProject() {
    SERVICES.forEach(
        (name, service) ->
            assertThat((String) service.get("image"))
                .as(name)
                .matches(".+:.*\\d.*")
                .doesNotContain("latest"));
    assertThat(SERVICES.get("kafka")).containsEntry("image", SERVICES.get("topic").get("image"));
    assertThat(SERVICES.get("kafka"))
        .containsEntry("image", "apache/kafka:" + ProjectFiles.property("kafka.broker.version"));
    assertThat((Map<String, Object>) build("consumer").get("args"))
        .containsEntry("SPARK_VERSION", ProjectFiles.property("spark.version"))
        .containsEntry("SCALA_VERSION", ProjectFiles.property("scala.binary.version"))
        .containsEntry("DELTA_VERSION", ProjectFiles.property("delta.version"))
        .containsEntry("STREAMPULSE_VERSION", ProjectFiles.projectVersion());
    assertThat(ProjectFiles.read(FOLDER.resolve("packages.xml")))
        .contains(
            ProjectFiles.property("delta.spark.artifact")
                .replace("${scala.binary.version}", "${scala.version}"));
  }

  @Test
  void everyFileItNamesIsThere() {
    for (Map<String, Object> service : SERVICES.values()) {
      for (String volume : (List<String>) service.getOrDefault("volumes", List.of())) {
        String source = volume.substring(0, volume.indexOf(':'));
        if (source.startsWith(".")) {
          assertThat(ProjectFiles.ROOT.resolve(source)).exists();
        } else {
          assertThat((Map<String, Object>) FILE.get("volumes")).containsKey(source);
        }
      }
    }
    assertThat(ProjectFiles.ROOT.resolve((String) build("consumer").get("dockerfile"))).exists();
    String dockerfile = ProjectFiles.read(FOLDER.resolve("spark.Dockerfile"));
    for (String service : List.of("consumer", "fleet", "spark-master", "spark-worker", "job")) {
      assertThat(dockerfile).contains(" AS " + build(service).get("target") + "\n");
    }
    assertThat(ProjectFiles.matches("(?m)^USER \\S+", dockerfile).map(MatchResult::group))
        .containsExactly("USER root", "USER spark", "USER root", "USER root", "USER spark");
    for (MatchResult copy :
        ProjectFiles.matches("COPY (?!--from)(?:--\\S+ )?(\\S+) ", dockerfile).toList()) {
      String source =
          copy.group(1).replace("${STREAMPULSE_VERSION}", ProjectFiles.projectVersion());
      if (source.contains("/target/")) {
        assertThat(source)
            .matches(
                "([a-z-]+)/target/streampulse-\\1-" + ProjectFiles.projectVersion() + "\\.jar");
      } else {
        assertThat(ProjectFiles.ROOT.resolve(source)).exists();
      }
      assertThat(ProjectFiles.read(ProjectFiles.ROOT.resolve(".dockerignore")).lines())
          .as("sent to the builder: " + source)
          .anyMatch(
              line ->
                  line.startsWith("!")
                      && source.matches(line.substring(1).replace("*", "[^/]+") + "(/.*)?"));
    }
  }

  @Test
  void whatRunsIsCheckedAndWaitedFor() {
    SERVICES.forEach(
        (name, service) -> {
          boolean checked = service.containsKey("healthcheck");
          assertThat(checked)
              .as(name)
              .isEqualTo(!ENDING.contains(name) && !WITHOUT_CHECK.contains(name));
          Object needs = service.getOrDefault("depends_on", List.of());
          if (needs instanceof List) {
            assertThat(SERVICES.keySet()).containsAll((List<String>) needs);
          } else {
            ((Map<String, Map<String, String>>) needs)
                .forEach((other, need) -> assertMeetable(other, need.get("condition")));
          }
        });
  }

  private static void assertMeetable(String service, String condition) {
    assertThat(SERVICES).containsKey(service);
    if (condition.equals("service_healthy")) {
      assertThat(SERVICES.get(service)).containsKey("healthcheck");
    } else if (condition.equals("service_completed_successfully")) {
      assertThat(ENDING).contains(service);
    }
  }

  @Test
  void onlyPagesListenAndOnlyOnTheLoopback() {
    Set<String> ports = new TreeSet<>();
    for (Map<String, Object> service : SERVICES.values()) {
      ports.addAll((List<String>) service.getOrDefault("ports", List.of()));
    }
    assertThat(ports)
        .allMatch(port -> port.matches("127\\.0\\.0\\.1:(\\d+):\\1"))
        .hasSize(4)
        .contains("127.0.0.1:8088:8088");
    assertThat(ProjectFiles.read(FOLDER.resolve("submit.sh")))
        .contains("--host 0.0.0.0 --port 8088");
    assertThat(ProjectFiles.read(FOLDER.resolve("prometheus.yml"))).contains("[fleet:8088]");
  }

  @Test
  void secretsStandInOneFileThatIsNotCommitted() {
    Set<String> asked =
        ProjectFiles.matches("\\$\\{([A-Z_]+)(:\\?in \\.env)?\\}", COMPOSE)
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> offered =
        ProjectFiles.matches("(?m)^([A-Z_]+)=", ProjectFiles.read(FOLDER.resolve("env.example")))
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(asked).isEqualTo(offered);
    assertThat(ProjectFiles.matches("\\$\\{[A-Z_]+\\}", COMPOSE)).as("without a message").isEmpty();
    assertThat(ProjectFiles.matches("(?im)^ *\\S*(PASSWORD|SECRET\\S*): (?!\\$\\{)", COMPOSE))
        .isEmpty();
    assertThat(ProjectFiles.read(ProjectFiles.ROOT.resolve(".gitignore")).lines()).contains(".env");
  }

  @Test
  void theSettingsOfTheConsumerAreAccepted(@TempDir Path folder) throws Exception {
    Path authority = Files.writeString(folder.resolve("authority.pem"), "PEM");
    Map<String, String> conf = new HashMap<>();
    conf.putAll(defaults());
    conf.putAll(submitted("consumer"));
    conf.replaceAll(
        (name, value) ->
            value
                .replace("/certificates/authority.pem", authority.toString())
                .replace("${env:STREAMPULSE_PASSWORD}", "secret"));

    ConsumerConfig config = ConsumerConfig.read(conf);

    assertThat(config.table().sql()).contains("unity").contains("streaming_health");
    assertThat(config.kafka().asMap()).containsEntry("security.protocol", "SASL_SSL");
    assertThat(config.topic()).isEqualTo("streaming-health");
    assertThat(ProjectFiles.read(FOLDER.resolve("topic.sh"))).contains("topic=" + config.topic());
    // A control: a name that is not a setting is refused.
    conf.put("spark.streampulse.consumer.tabel", "x");
    assertThatThrownBy(() -> ConsumerConfig.read(conf)).hasMessageContaining("tabel");
  }

  @Test
  void theSettingsOfTheJobAreDocumentedAndItsClassesAreThere() {
    Map<String, String> conf = new LinkedHashMap<>(defaults());
    conf.putAll(submitted("job"));
    assertThat(ProjectFiles.undocumented(conf.keySet())).isEmpty();
    String submit = ProjectFiles.read(FOLDER.resolve("submit.sh"));
    assertThat(ProjectFiles.matches("io\\.(streampulse|delta)\\.[\\w.]+\\w", submit))
        .extracting(MatchResult::group)
        .isNotEmpty()
        .allSatisfy(ProjectFiles::assertIsThere);
  }

  @Test
  void everyServiceOfStreampulseIsSubmitted() {
    String submit = ProjectFiles.read(FOLDER.resolve("submit.sh"));
    for (String name : List.of("consumer", "fleet", "job")) {
      assertThat((List<String>) SERVICES.get(name).get("command"))
          .containsExactly("/opt/streampulse/submit.sh", name);
      assertThat(submit).contains("\n  " + name + ")\n");
    }
  }

  @Test
  void theCertificatesAreThoseOfTheBrokerAndAreMadeOnce(@TempDir Path folder) throws Exception {
    assertThat(makeCertificates(folder)).contains("certificates: made");
    byte[] first = Files.readAllBytes(folder.resolve("broker.p12"));
    assertThat(makeCertificates(folder)).contains("certificates: there already");
    assertThat(Files.readAllBytes(folder.resolve("broker.p12"))).isEqualTo(first);

    handshake(folder, "kafka");
    assertThatThrownBy(() -> handshake(folder, "other")).isInstanceOf(SSLHandshakeException.class);
    assertThat(folder.resolve("broker-jaas.conf")).content().contains("user_agents=\"a\"");
    Map<String, Object> broker = (Map<String, Object>) SERVICES.get("kafka").get("environment");
    for (Object value : broker.values()) {
      for (MatchResult file :
          ProjectFiles.matches("/etc/kafka/secrets/([\\w.-]+)", value.toString()).toList()) {
        assertThat(folder.resolve(file.group(1))).exists();
      }
    }
    assertThat(folder.resolve((String) broker.get("KAFKA_SSL_KEYSTORE_FILENAME"))).exists();
    assertThat(folder.resolve((String) broker.get("KAFKA_SSL_KEYSTORE_CREDENTIALS")))
        .hasContent(new String(PASSWORD));
  }

  @Test
  void theConsumersLoginMayUseItsBucketAndIsMadeOnce(@TempDir Path folder) throws Exception {
    // A stand-in of MinIO's client that keeps what it was told.
    Path client = folder.resolve("mc");
    Files.writeString(
        client,
        """
        #!/bin/sh
        echo "$*" >> "$FOLDER/calls"
        case "$*" in
          "admin user info"*) cat "$FOLDER/attached" 2>/dev/null || echo "PolicyName:" ;;
          "admin policy attach"*) echo "PolicyName: $5" > "$FOLDER/attached" ;;
        esac
        """);
    assertThat(client.toFile().setExecutable(true)).isTrue();

    assertThat(makeBucket(folder)).doesNotContain("already");
    assertThat(makeBucket(folder)).contains("bucket: the login has its rights already");

    String bucket =
        URI.create(submitted("consumer").get("spark.streampulse.consumer.checkpoint")).getHost();
    Map<String, Object> environment =
        (Map<String, Object>) SERVICES.get("consumer").get("environment");
    assertThat(folder.resolve("calls"))
        .content()
        .contains("mb --ignore-existing storage/" + bucket + "\n")
        .contains("admin user add storage " + environment.get("AWS_ACCESS_KEY_ID") + " s\n")
        .containsOnlyOnce("admin policy attach storage ");
    for (MatchResult resource :
        ProjectFiles.matches(
                "\"arn:aws:s3:::([^\"]*)\"",
                ProjectFiles.read(FOLDER.resolve("bucket-policy.json")))
            .toList()) {
      assertThat(resource.group(1)).isIn(bucket, bucket + "/*");
    }
  }

  private static String makeBucket(Path folder) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("sh", FOLDER.resolve("bucket.sh").toString());
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH",
                folder + ":" + System.getenv("PATH"),
                "FOLDER",
                folder.toString(),
                "STORAGE_CONSUMER_PASSWORD",
                "s"));
    return Script.run(builder, 0);
  }

  private static String makeCertificates(Path folder) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", FOLDER.resolve("certificates.sh").toString(), folder.toString());
    Path tools = Path.of(System.getProperty("java.home"), "bin");
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH", tools + ":" + System.getenv("PATH"),
                "KEYSTORE_PASSWORD", new String(PASSWORD),
                "BROKER_PASSWORD", "b",
                "AGENT_PASSWORD", "a",
                "CONSUMER_PASSWORD", "c"));
    return Script.run(builder, 0);
  }

  /** As a client that knows the authority alone, and asks for a host by its name. */
  private static void handshake(Path folder, String host) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(KeyStore.getInstance(folder.resolve("broker.p12").toFile(), PASSWORD), PASSWORD);
    SSLContext server = SSLContext.getInstance("TLS");
    server.init(keys.getKeyManagers(), null, null);

    KeyStore known = KeyStore.getInstance(KeyStore.getDefaultType());
    known.load(null, null);
    try (InputStream pem =
        new ByteArrayInputStream(Files.readAllBytes(folder.resolve("authority.pem")))) {
      known.setCertificateEntry(
          "authority", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(known);
    SSLContext client = SSLContext.getInstance("TLS");
    client.init(null, trust.getTrustManagers(), null);

    ExecutorService answering = Executors.newSingleThreadExecutor();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (SSLServerSocket listening =
        (SSLServerSocket) server.getServerSocketFactory().createServerSocket(0, 1, loopback)) {
      Future<Object> answered =
          answering.submit(
              () -> {
                try (SSLSocket accepted = (SSLSocket) listening.accept()) {
                  accepted.startHandshake();
                }
                return null;
              });
      Socket plain = new Socket(loopback, listening.getLocalPort());
      try (SSLSocket asking =
          (SSLSocket)
              client.getSocketFactory().createSocket(plain, host, listening.getLocalPort(), true)) {
        SSLParameters parameters = asking.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        asking.setSSLParameters(parameters);
        asking.startHandshake();
        answered.get();
      }
    } finally {
      answering.shutdownNow();
    }
  }

  private static Map<String, Object> build(String service) {
    return (Map<String, Object>) SERVICES.get(service).get("build");
  }

  private static Map<String, String> defaults() {
    Map<String, String> conf = new LinkedHashMap<>();
    ProjectFiles.read(FOLDER.resolve("spark-defaults.conf"))
        .lines()
        .filter(line -> line.startsWith("spark."))
        .forEach(line -> conf.put(line.split("\\s+", 2)[0], line.split("\\s+", 2)[1].strip()));
    return conf;
  }

  /** What the script gives by --conf in one of its cases, the login included. */
  private static Map<String, String> submitted(String name) {
    String script = ProjectFiles.read(FOLDER.resolve("submit.sh"));
    int from = script.indexOf("\n  " + name + ")\n");
    String part =
        script.substring(0, script.indexOf("case $1"))
            + script.substring(from, script.indexOf(";;", from));
    Matcher table = Pattern.compile("(?m)^table=(.*)$").matcher(script);
    assertThat(table.find()).isTrue();
    Map<String, String> conf = new LinkedHashMap<>();
    for (MatchResult found :
        ProjectFiles.matches("--conf \"?(spark\\.[\\w.-]+)=([^\\s\"]*)", part).toList()) {
      conf.put(
          found.group(1),
          found
              .group(2)
              .replace("\\$", "$")
              .replace("$table", table.group(1))
              .replace("$1", "user"));
    }
    assertThat(conf).isNotEmpty();
    return conf;
  }
}
