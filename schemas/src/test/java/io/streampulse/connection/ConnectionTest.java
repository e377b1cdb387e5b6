package io.streampulse.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.Secret;
import io.streampulse.registry.RegistryKeys;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConnectionTest {
  private static final String KEY = "abcdefghijklmnopqrstuvwxyz0123456789+/ABCDE=";
  private static final String NAMESPACE =
      "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=" + KEY;
  private static final String PLAIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\""
          + " password=\"%s\";";
  private static final String PLAIN_MODULE =
      "org.apache.kafka.common.security.plain.PlainLoginModule";
  private static final KafkaClient SPARKS = new KafkaClient("org.apache.kafka.", false);
  private static final KafkaClient DATABRICKS =
      new KafkaClient("kafkashaded.org.apache.kafka.", false);
  private static final KafkaClient AGENTS = new KafkaClient("agents.kafka.", true);

  private final Map<String, String> conf = new HashMap<>();

  @Nested
  class EventHubs {
    @Test
    void needsNothingButTheConnectionString() {
      set("eventhubs.connection-string", NAMESPACE);

      Connection connection = read(SPARKS);

      assertThat(connection.topic()).isEqualTo("streaming-health");
      assertThat(connection.warnings()).isEmpty();
      assertThat(connection.kafka().asMap())
          .containsExactlyInAnyOrderEntriesOf(
              Map.of(
                  "bootstrap.servers", "ns.servicebus.windows.net:9093",
                  "security.protocol", "SASL_SSL",
                  "sasl.mechanism", "PLAIN",
                  "sasl.jaas.config", PLAIN.formatted("$ConnectionString", NAMESPACE),
                  "metadata.max.age.ms", "180000",
                  "connections.max.idle.ms", "180000",
                  "request.timeout.ms", "60000",
                  "enable.metrics.push", "false"));
    }

    @Test
    void takesTheTopicOfAnEventHubsString() {
      set("eventhubs.connection-string", NAMESPACE + ";EntityPath=health");

      assertThat(read(SPARKS).topic()).isEqualTo("health");
      set("topic", "health");
      assertThat(read(SPARKS).topic()).isEqualTo("health");
    }

    @Test
    void refusesAnotherTopicThanTheStringIsOf() {
      set("eventhubs.connection-string", NAMESPACE + ";EntityPath=health");
      set("topic", "other");

      assertProblem("spark.streampulse.topic = \"other\"", "event hub health alone");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "ns.servicebus.usgovcloudapi.net",
          "ns.servicebus.chinacloudapi.cn",
          "ns.servicebus.windows.net"
        })
    void goesToTheCloudThatTheEndpointNames(String host) {
      set(
          "eventhubs.connection-string",
          NAMESPACE.replace("ns.servicebus.windows.net", host).replace("Endpoint", " endpoint "));

      assertThat(read(SPARKS).kafka().bootstrapServers()).isEqualTo(host + ":9093");
      assertThat(read(SPARKS).kafka().isEventHubs()).isTrue();
    }

    @Test
    void speaksToTheEmulatorWithoutTls() {
      set(
          "eventhubs.connection-string",
          "\"Endpoint=sb://localhost;SharedAccessKeyName=RootManageSharedAccessKey;"
              + "SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;\"");

      assertThat(read(SPARKS).kafka().asMap())
          .containsEntry("bootstrap.servers", "localhost:9092")
          .containsEntry("security.protocol", "SASL_PLAINTEXT")
          .hasEntrySatisfying(
              "sasl.jaas.config",
              jaas -> assertThat(jaas).contains("Emulator=true;\";").doesNotContain("\\"));
    }

    @Test
    void saysWhatIsMissingWithoutShowingTheRest() {
      set("eventhubs.connection-string", NAMESPACE.replace("SharedAccessKey=", "Key="));

      assertProblem("spark.streampulse.eventhubs.connection-string has no SharedAccessKey=");
      assertThatThrownBy(() -> read(SPARKS)).hasMessageNotContaining(KEY);
      set("eventhubs.connection-string", "ns.servicebus.windows.net");
      assertProblem("has no Endpoint=sb://");
    }

    @Test
    void yieldsToKafkaSettingsAndSaysSoWhereTheyContradict() {
      set("eventhubs.connection-string", NAMESPACE);
      set("kafka.bootstrap.servers", "private.example:9093");
      set("kafka.request.timeout.ms", "30000");
      set("kafka.security.protocol", "SASL_SSL");

      Connection connection = read(SPARKS);

      assertThat(connection.kafka().asMap())
          .containsEntry("bootstrap.servers", "private.example:9093")
          .containsEntry("request.timeout.ms", "30000");
      assertThat(connection.warnings())
          .singleElement()
          .asString()
          .startsWith("spark.streampulse.kafka.bootstrap.servers wins");
    }

    @Test
    void refusesAMechanismThatTheStringIsNotFor() {
      set("eventhubs.connection-string", NAMESPACE);
      set("kafka.sasl.mechanism", "SCRAM-SHA-512");

      assertProblem(
          "kafka.sasl.mechanism = \"SCRAM-SHA-512\" can't be used with a login for PLAIN");
    }

    @Test
    void refusesASecondLogin() {
      set("eventhubs.connection-string", NAMESPACE);
      set("sasl.username", "u");
      set("sasl.password", "p");

      assertProblem(
          "eventhubs.connection-string and spark.streampulse.sasl.username are both logins");
    }
  }

  @Nested
  class Logins {
    @Test
    void makesTheLineOfUserAndPassword() {
      brokers("broker.example:9093");
      set("sasl.username", "u");
      set("sasl.password", "a\"b\\c");

      assertThat(read(DATABRICKS).kafka().asMap())
          .containsEntry("security.protocol", "SASL_SSL")
          .containsEntry("sasl.mechanism", "PLAIN")
          .containsEntry("sasl.jaas.config", "kafkashaded." + PLAIN.formatted("u", "a\\\"b\\\\c"));
      set("kafka.sasl.mechanism", "SCRAM-SHA-256");
      assertThat(read(SPARKS).kafka().asMap().get("sasl.jaas.config"))
          .startsWith("org.apache.kafka.common.security.scram.ScramLoginModule required");
    }

    @Test
    void givesTheAgentLoginModulesOfItsOwn() {
      brokers("broker.example:9093");
      set("kafka.sasl.mechanism", "SCRAM-SHA-512");
      for (String module : List.of("plain.PlainLoginModule", "scram.ScramLoginModule")) {
        for (String prefix :
            List.of(
                "org.apache.kafka.",
                "kafkashaded.org.apache.kafka.",
                "io.streampulse.agent.shaded.kafka.")) {
          set(
              "kafka.sasl.jaas.config",
              prefix
                  + "common.security."
                  + module
                  + " required username=u\n password=\"a;b\" tokenauth=true;");

          assertThat(read(AGENTS).kafka().asMap())
              .containsEntry(
                  "sasl.jaas.config",
                  "io.streampulse.connection.%sPasswordLoginModule required username=\"u\""
                          .formatted(module.startsWith("scram") ? "Scram" : "")
                      + " password=\"a;b\" tokenauth=\"true\";");
          assertThat(read(SPARKS).kafka().asMap().get("sasl.jaas.config"))
              .startsWith("org.apache.kafka.common.security." + module);
        }
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "%s required username='u' password='a \"b';",
          "// of the agents\n%s REQUIRED username=u /* the user */ password=\"a \\\"b\" ; // end",
          "'%s' required username=\"u\" password=\"a \\42b\";"
        })
    void readsALineAsKafkaDoes(String line) {
      brokers("broker.example:9093");
      set("kafka.sasl.jaas.config", line.formatted(PLAIN_MODULE));

      assertThat(read(AGENTS).kafka().asMap())
          .containsEntry("sasl.mechanism", "PLAIN")
          .containsEntry(
              "sasl.jaas.config",
              "io.streampulse.connection.PasswordLoginModule required username=\"u\""
                  + " password=\"a \\\"b\";");
      assertThat(read(AGENTS).kafka().blotted("it is a \"b!")).isEqualTo("it is ***!");
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "%1$s required username=u password=p; %1$s required username=v password=q;",
          "%s required username=u password=p",
          "%s required username=u password;",
          "%s username=u password=p;",
          "nonsense"
        })
    void refusesInTheAgentALineThatKafkaCanNotRead(String line) {
      brokers("broker.example:9093");
      set("kafka.sasl.jaas.config", line.formatted(PLAIN_MODULE));

      assertThatThrownBy(() -> read(AGENTS)).hasMessageContaining("sasl.jaas.config can't be read");
    }

    @Test
    void asksForTheMechanismThatAScramLineLeavesOpen() {
      brokers("broker.example:9093");
      set(
          "kafka.sasl.jaas.config",
          "org.apache.kafka.common.security.scram.ScramLoginModule required username=u password=p;");

      assertProblem("spark.streampulse.kafka.sasl.mechanism is required with a SCRAM login");
    }

    @Test
    void refusesALoginThatTheProtocolLeavesOut() {
      brokers("broker.example:9093");
      set("sasl.username", "u");
      set("sasl.password", "p");
      set("kafka.security.protocol", "SSL");

      assertProblem("kafka.security.protocol = \"SSL\" makes no use of the login that is set");
    }

    @Test
    void leavesAnOAuthLoginWithMoreOptionsToTheClientThatKnowsThem() {
      brokers("broker.example:9093");
      set("kafka.sasl.oauthbearer.token.endpoint.url", "https://idp.example/token");
      String jaas =
          "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
              + " clientId=\"id\" clientSecret=\"s\" extension_logicalCluster=\"lkc-1\";";
      set("kafka.sasl.jaas.config", jaas);

      assertThat(read(SPARKS).kafka().asMap())
          .containsEntry("sasl.jaas.config", jaas)
          .containsEntry("sasl.mechanism", "OAUTHBEARER")
          .containsKey("sasl.oauthbearer.token.endpoint.url");
      assertThatThrownBy(() -> read(AGENTS)).hasMessageContaining("of its options it knows");
    }

    @Test
    void rewritesClassNamesToTheClientsOwnAndLeavesOthers() {
      brokers("broker.example:9093");
      set("kafka.security.protocol", "SSL");
      set("kafka.interceptor.classes", "org.apache.kafka.A,com.acme.B");
      set("kafka.client.rack", "org.apache.kafka.rack");
      set("kafka.sasl.jaas.config", "com.acme.org.apache.kafka.Module required;");

      assertThat(read(DATABRICKS).kafka().asMap())
          .containsEntry("interceptor.classes", "kafkashaded.org.apache.kafka.A,com.acme.B")
          .containsEntry("client.rack", "org.apache.kafka.rack")
          .containsEntry("sasl.jaas.config", "com.acme.org.apache.kafka.Module required;");
    }

    @ParameterizedTest
    @CsvSource({
      "windows.net, login.microsoftonline.com",
      "usgovcloudapi.net, login.microsoftonline.us",
      "chinacloudapi.cn, login.partner.microsoftonline.cn"
    })
    void derivesEntrasEndpointAndScopeFromTheNamespace(String cloud, String authority) {
      brokers("ns.servicebus.%s:9093".formatted(cloud));
      set("oauth.entra-tenant", "contoso.example");
      set("oauth.client-id", "id");
      set("oauth.client-secret", "s3cret");

      Map<String, String> kafka = read(SPARKS).kafka().asMap();

      assertThat(kafka)
          .containsEntry("sasl.mechanism", "OAUTHBEARER")
          .containsEntry("security.protocol", "SASL_SSL")
          .containsEntry("connections.max.idle.ms", "180000");
      assertThat(login(kafka))
          .isEqualTo(
              new OAuthLogin(
                  URI.create("https://%s/contoso.example/oauth2/v2.0/token".formatted(authority)),
                  false,
                  "id",
                  new Secret("s3cret"),
                  "https://ns.servicebus.%s/.default".formatted(cloud),
                  ""));
    }

    @Test
    void logsInAsTheMachine() {
      brokers("ns.servicebus.windows.net:9093");
      set("oauth.managed-identity", "true");

      OAuthLogin login = login(read(AGENTS).kafka().asMap());

      assertThat(login.isManagedIdentity()).isTrue();
      assertThat(login.tokenUrl()).isEqualTo(OAuthLogin.INSTANCE_METADATA);
      assertThat(login.scope()).isEqualTo("https://ns.servicebus.windows.net/.default");
      set("oauth.client-secret", "s3cret");
      assertProblem(
          "oauth.client-secret is of no use with spark.streampulse.oauth.managed-identity");
    }

    @Test
    void takesTheLoginThatIsWrittenAsKafkaDocumentsIt() {
      brokers("broker.example:9093");
      set("kafka.sasl.mechanism", "OAUTHBEARER");
      set("kafka.sasl.oauthbearer.token.endpoint.url", "https://idp.example/token");
      set(
          "kafka.sasl.login.callback.handler.class",
          "org.apache.kafka.common.security.oauthbearer.secured.OAuthBearerLoginCallbackHandler");
      set(
          "kafka.sasl.jaas.config",
          "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
              + " clientId=\"id\" scope=\"sc\" clientSecret=\"s3cret\" ;");

      Map<String, String> kafka = read(AGENTS).kafka().asMap();

      assertThat(kafka)
          .doesNotContainKeys(
              "sasl.login.callback.handler.class", "sasl.oauthbearer.token.endpoint.url");
      assertThat(login(kafka).clientSecret().value()).isEqualTo("s3cret");
      assertThat(login(kafka).scope()).isEqualTo("sc");
    }

    @Test
    void refusesInTheAgentAHandlerThatOnlyAnotherClientCanUse() {
      brokers("broker.example:9093");
      set("kafka.sasl.mechanism", "OAUTHBEARER");
      set("kafka.sasl.login.callback.handler.class", "com.acme.Handler");
      String jaas = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;";
      set("kafka.sasl.jaas.config", jaas);

      assertThat(read(SPARKS).kafka().asMap()).containsEntry("sasl.jaas.config", jaas);
      assertThatThrownBy(() -> read(AGENTS))
          .hasMessageContaining("spark.streampulse.oauth.token-url");
    }

    @Test
    void saysAllThatAnOAuthLoginLacks() {
      brokers("broker.example:9093");
      set("oauth.client-id", "id");

      assertProblem("needs spark.streampulse.oauth.client-secret");
      assertProblem(
          "needs spark.streampulse.oauth.token-url or spark.streampulse.oauth.entra-tenant");
    }

    private OAuthLogin login(Map<String, String> kafka) {
      JaasLine line = JaasLine.parse(kafka.get("sasl.jaas.config")).orElseThrow();
      assertThat(line.loginModule()).isEqualTo(OAuthLoginModule.class.getName());
      return OAuthLogin.of(line.options());
    }
  }

  @Nested
  class Safe {
    @ParameterizedTest
    @ValueSource(strings = {"PLAINTEXT", "SASL_PLAINTEXT", "sasl_plaintext", ""})
    void refusesPlaintextToAnotherMachine(String protocol) {
      brokers("localhost:1,broker.example:9092");
      if (!protocol.isEmpty()) {
        set("kafka.security.protocol", protocol);
      }

      assertProblem("broker.example is not this machine", "spark.streampulse.allow-plaintext=true");
      set("allow-plaintext", "true");
      assertThat(read(SPARKS).warnings())
          .singleElement()
          .asString()
          .contains("broker.example", "as spark.streampulse.allow-plaintext allows");
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9092", "127.0.0.1:9092", "[::1]:9092"})
    void allowsPlaintextWithinThisMachine(String servers) {
      brokers(servers);

      assertThat(read(SPARKS).warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "localhost.example:9092",
          "a.localhost:1",
          "128.0.0.1:9092",
          "[2001:db8::1]:9092"
        })
    void takesNoOtherMachineForThisOne(String servers) {
      brokers(servers);

      assertProblem("is not this machine");
    }

    @ParameterizedTest
    @CsvSource({
      "ssl.endpoint.identification.algorithm, '', host name",
      "ssl.endpoint.identification.algorithm, none, host name",
      "ssl.enabled.protocols, 'TLSv1.2,TLSv1.1', broken",
      "ssl.protocol, TLSv1, broken",
      "ssl.cipher.suites, TLS_RSA_WITH_NULL_SHA256, weakly"
    })
    void namesWhatWeakensTls(String name, String value, String said) {
      brokers("broker.example:9093");
      set("kafka.security.protocol", "SSL");
      set("kafka." + name, value);

      assertThat(read(SPARKS).warnings())
          .singleElement()
          .asString()
          .contains("spark.streampulse.kafka." + name, said);
    }

    @Test
    void saysNothingOfStrongSettings() {
      brokers("broker.example:9093");
      set("kafka.security.protocol", "SSL");
      set("kafka.ssl.endpoint.identification.algorithm", "HTTPS");
      set("kafka.ssl.enabled.protocols", "TLSv1.2,TLSv1.3");

      assertThat(read(SPARKS).warnings()).isEmpty();
    }

    @Test
    void refusesATokenEndpointWithoutTls() {
      brokers("broker.example:9093");
      set("oauth.client-id", "id");
      set("oauth.client-secret", "s");
      set("oauth.token-url", "http://idp.example/token");

      assertProblem("a secret would travel where anyone can read it");
      set("oauth.token-url", "http://127.0.0.1:1/token");
      assertThat(read(SPARKS).warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=HUNTER2",
          "user:HUNTER2@broker.example:9093",
          "broker.example"
        })
    void showsNothingOfWhatIsNoAddress(String servers) {
      brokers(servers);

      assertProblem("spark.streampulse.kafka.bootstrap.servers is not a list of host:port");
      assertThatThrownBy(() -> read(SPARKS)).hasMessageNotContaining("HUNTER2");
    }

    @Test
    void showsNothingOfATokenUrlWithALogin() {
      brokers("broker.example:9093");
      set("kafka.sasl.oauthbearer.token.endpoint.url", "https://id:HUNTER2@idp.example/token");
      set(
          "kafka.sasl.jaas.config",
          "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required"
              + " clientId=\"id\" clientSecret=\"s\";");

      assertProblem("token.endpoint.url is no URL of a token endpoint");
      assertThatThrownBy(() -> read(SPARKS)).hasMessageNotContaining("HUNTER2");
    }

    @Test
    void refusesNamesThatSparkWouldTakeInAnyCase() {
      brokers("broker.example:9093");
      set("kafka.ssl.endpoint.identification.Algorithm", "");

      assertProblem("identification.Algorithm: Kafka's settings are written in lower case");
    }

    @Test
    void doesNotPrintSecrets() {
      set("eventhubs.connection-string", NAMESPACE);
      set("kafka.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----");

      Connection connection = read(SPARKS);

      assertThat(connection.toString())
          .contains("ns.servicebus.windows.net")
          .doesNotContain(KEY, "PRIVATE KEY");
      assertThat(connection.kafka().blotted("can't use " + NAMESPACE + "!"))
          .isEqualTo("can't use ***!");
      assertThat(OAuthLogin.of(Map.of("tokenUrl", "https://x", "password", "s3cret")).toString())
          .doesNotContain("s3cret");
    }
  }

  @Nested
  class Stores {
    @ParameterizedTest
    @CsvSource({
      "/certs/trust.p12, PKCS12",
      "/certs/trust.PFX, PKCS12",
      "file:/certs/ca.pem, PEM",
      "file:///certs/ca.crt, PEM"
    })
    void tellsTheTypeByTheName(String location, String type) {
      brokers("broker.example:9093");
      set("kafka.ssl.truststore.location", location);

      Map<String, String> kafka = read(SPARKS).kafka().asMap();

      assertThat(kafka)
          .containsEntry("ssl.truststore.type", type)
          .containsEntry("security.protocol", "SSL");
      assertThat(kafka.get("ssl.truststore.location")).startsWith("/certs/");
    }

    @Test
    void takesPemAsText() {
      brokers("broker.example:9093");
      set("kafka.ssl.truststore.certificates", "-----BEGIN CERTIFICATE-----");
      set("kafka.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----");
      set("kafka.ssl.keystore.certificate.chain", "-----BEGIN CERTIFICATE-----");

      assertThat(read(SPARKS).kafka().asMap())
          .containsEntry("ssl.truststore.type", "PEM")
          .containsEntry("ssl.keystore.type", "PEM");
    }

    @Test
    void takesAPkcs12StoreOutOfTheEnvironment(@TempDir Path folder) throws Exception {
      Path file = folder.resolve("k.p12");
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "a",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=x",
                  "-storetype",
                  "PKCS12",
                  "-keystore",
                  file.toString(),
                  "-storepass",
                  "HUNTER2")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      assertThat(keytool.waitFor()).isZero();
      String uri =
          "data:application/x-pkcs12;base64,"
              + Base64.getEncoder().encodeToString(Files.readAllBytes(file));
      brokers("broker.example:9093");
      set("kafka.ssl.keystore.location", uri);
      set("kafka.ssl.keystore.password", "HUNTER2");
      set("kafka.ssl.truststore.location", uri);
      set("kafka.ssl.truststore.password", "HUNTER2");

      Map<String, String> kafka = read(SPARKS).kafka().asMap();

      assertThat(kafka.keySet())
          .containsExactlyInAnyOrder(
              "bootstrap.servers",
              "security.protocol",
              "ssl.keystore.type",
              "ssl.keystore.key",
              "ssl.keystore.certificate.chain",
              "ssl.truststore.type",
              "ssl.truststore.certificates");
      assertThat(kafka)
          .containsEntry("ssl.keystore.type", "PEM")
          .containsEntry("ssl.truststore.type", "PEM");
      assertThat(kafka.get("ssl.keystore.key")).startsWith("-----BEGIN PRIVATE KEY-----\n");
      set("kafka.ssl.keystore.password", "wrong");
      assertProblem(
          "spark.streampulse.kafka.ssl.keystore.location holds no PKCS12 store that"
              + " ssl.keystore.password (and ssl.key.password) opens");
      set("kafka.ssl.keystore.location", "data:nothing");
      assertProblem("ssl.keystore.location is no data:;base64,... URI");
    }

    @Test
    void leavesATypeThatIsGiven() {
      brokers("broker.example:9093");
      set("kafka.ssl.truststore.location", "/certs/trust.p12");
      set("kafka.ssl.truststore.type", "JKS");

      assertThat(read(SPARKS).kafka().asMap()).containsEntry("ssl.truststore.type", "JKS");
    }
  }

  @Test
  void missesTheBrokers() {
    assertProblem("spark.streampulse.kafka.bootstrap.servers is required");
  }

  @Test
  void warnsOfSecretsThatSparkShows() {
    conf.put("spark.streampulse.schema-registry.basic-auth", "user:pass");
    conf.put("spark.streampulse.kafka.ssl.keystore.key", "-----BEGIN PRIVATE KEY-----");
    conf.put("spark.streampulse.kafka.ssl.key.password", "x");
    conf.put("spark.streampulse.eventhubs.connection-string", NAMESPACE);
    List<ConfigKey<?>> keys = List.of(RegistryKeys.BASIC_AUTH, ConnectionKeys.EVENT_HUBS);

    assertThat(ExposedSecrets.in(conf, keys))
        .hasSize(2)
        .allSatisfy(warning -> assertThat(warning).doesNotContain("user:pass", "BEGIN"))
        .anySatisfy(warning -> assertThat(warning).contains("schema-registry.basic-auth"))
        .anySatisfy(warning -> assertThat(warning).contains("ssl.keystore.key"));
    conf.put("spark.redaction.regex", ExposedSecrets.COVERING);
    assertThat(ExposedSecrets.in(conf, keys)).isEmpty();
    conf.put("spark.redaction.regex", "nothing");
    assertThat(ExposedSecrets.in(conf, keys)).hasSize(4);
    conf.put("spark.streampulse.schema-registry.basic-auth", "${env:LOGIN}");
    assertThat(ExposedSecrets.in(conf, keys)).hasSize(3);
  }

  private void set(String name, String value) {
    conf.put("spark.streampulse." + name, value);
  }

  private void brokers(String servers) {
    set("kafka.bootstrap.servers", servers);
  }

  private Connection read(KafkaClient client) {
    ConfigReader reader = new ConfigReader(conf);
    Connection connection = Connection.read(reader, client);
    reader.throwIfProblems();
    return connection;
  }

  private void assertProblem(String... parts) {
    assertThatThrownBy(() -> read(SPARKS))
        .isInstanceOf(ConfigException.class)
        .message()
        .contains(parts);
  }
}
