package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.streampulse.config.Secret;
import io.streampulse.registry.RegistrySettings;
import io.streampulse.registry.SchemaRegistryClient;
import io.streampulse.testing.Certificates;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry over TLS whose certificate the JVM does not know. */
class RegistryTlsTest {
  private static final byte[] FOUND =
      "{\"schema\":\"\\\"string\\\"\"}".getBytes(StandardCharsets.UTF_8);

  @TempDir private static Path folder;
  private static SSLContext context;
  private static HttpsServer server;
  private static String authority;

  @BeforeAll
  static void start() throws Exception {
    Certificates certificates = Certificates.create(folder);
    context = certificates.tls();
    server = serve(InetAddress.getLoopbackAddress());
    authority = Files.readString(certificates.trustPem());
  }

  @AfterAll
  static void stop() {
    server.stop(0);
  }

  @Test
  void isTrustedByItsOwnAuthority() {
    assertThat(client(server, "localhost", authority).schema(1))
        .isEqualTo(Schema.create(Schema.Type.STRING));
  }

  @Test
  void isNotTrustedWithoutIt() {
    assertThatThrownBy(() -> client(server, "localhost", "").schema(1))
        .hasMessageContaining("SSLHandshakeException")
        .hasMessageContaining("spark.streampulse.schema-registry.ca-file");
  }

  @Test
  void isNotTrustedUnderAnotherName() throws Exception {
    HttpsServer elsewhere = null;
    try {
      elsewhere = serve(InetAddress.getByName("127.0.0.2"));
    } catch (IOException e) {
      assumeThat(false).as("One loopback address only: " + e.getMessage()).isTrue();
    }
    try {
      SchemaRegistryClient client = client(elsewhere, "127.0.0.2", authority);
      assertThatThrownBy(() -> client.schema(1))
          .hasMessageContaining("SSLHandshakeException")
          .hasMessageContaining("host name that its certificate has");
    } finally {
      elsewhere.stop(0);
    }
  }

  private static HttpsServer serve(InetAddress address) throws IOException {
    HttpsServer serving = HttpsServer.create(new InetSocketAddress(address, 0), 0);
    serving.setHttpsConfigurator(new HttpsConfigurator(context));
    serving.createContext(
        "/",
        exchange -> {
          try (exchange) {
            exchange.sendResponseHeaders(200, FOUND.length);
            exchange.getResponseBody().write(FOUND);
          }
        });
    serving.start();
    return serving;
  }

  private static SchemaRegistryClient client(HttpsServer of, String host, String caCertificates) {
    return new SchemaRegistryClient(
        new RegistrySettings(
            List.of(URI.create("https://" + host + ":" + of.getAddress().getPort())),
            Secret.NONE,
            Secret.NONE,
            caCertificates,
            Duration.ofSeconds(10),
            Duration.ZERO));
  }
}
