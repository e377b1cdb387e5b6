package io.streampulse.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.streampulse.config.Secret;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenEndpointTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final String TOKEN =
      "{\"access_token\":\"t0ken\",\"token_type\":\"Bearer\",\"expires_in\":3600}";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private volatile int failures;
  private volatile int status = 200;
  private volatile String answer = TOKEN;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void asksByClientCredentials() throws Exception {
    AccessToken token = endpoint(client("scope/.default")).token();

    assertThat(token.value()).isEqualTo("t0ken");
    assertThat(token.issued()).isEqualTo(NOW);
    assertThat(token.expires()).isEqualTo(NOW.plusSeconds(3600));
    assertThat(requests)
        .containsExactly(
            // RFC 6749: both form-encoded before Basic.
            "POST /token Basic aWQlM0ExOnMlMkZjcmV0 null"
                + " grant_type=client_credentials&scope=scope%2F.default");
  }

  @Test
  void asksNoScopeWhereNoneIsSet() throws Exception {
    endpoint(client("")).token();

    assertThat(requests.get(0)).endsWith(" grant_type=client_credentials");
  }

  @Test
  void asksAsTheInstanceMetadataServiceWants() throws Exception {
    answer = "{\"access_token\":\"t0ken\",\"expires_in\":\"86399\",\"resource\":\"x\"}";
    AccessToken token =
        endpoint(
                new OAuthLogin(
                    url(), true, "user-assigned", Secret.NONE, "https://ns.example/.default", ""))
            .token();

    assertThat(token.expires()).isEqualTo(NOW.plusSeconds(86_399));
    assertThat(requests)
        .containsExactly(
            "GET /token?api-version=2018-02-01&resource=https%3A%2F%2Fns.example&client_id=user-assigned"
                + " null true ");
  }

  @Test
  void asksAgainWhatIsNotAnswered() throws Exception {
    failures = 2;
    status = 503;

    assertThat(endpoint(client("")).token().value()).isEqualTo("t0ken");
    assertThat(requests).hasSize(3);
  }

  @Test
  void givesUpAfterAWhileAndSaysThatItMayPass() {
    failures = 9;
    status = 500;
    answer = "<html>";

    assertFails(client(""), true, "no token: " + url() + " does not answer: it answered 500");
    assertThat(requests).hasSize(3);
  }

  @ParameterizedTest
  @CsvSource({"401", "400", "403"})
  void takesARefusalForFinalAndShowsNoSecret(int refusal) {
    failures = 1;
    status = refusal;
    answer = "{\"error\":\"invalid_client\",\"error_description\":\"s/cret is\\n not it\"}";

    assertFails(
        client(""),
        false,
        "answered %d invalid_client (*** is not it)".formatted(refusal),
        "spark.streampulse.oauth.client-secret");
    assertThat(requests).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"{}", "[]", "''", "<html>", "null"})
  void refusesAnAnswerWithoutAToken(String garbage) {
    answer = garbage;

    assertFails(client(""), false, "answered 200 without an access_token");
  }

  @Test
  void doesNotFollowWhoeverSendsItElsewhere() {
    failures = 9;
    status = 307;

    assertFails(client(""), false, "answered 307");
    assertThat(requests).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"1e30, 172800", "9223372036854775807, 172800", "-5, 300", "0, 300", "soon, 300"})
  void believesNoAbsurdLife(String seconds, long life) throws Exception {
    answer = "{\"access_token\":\"t\",\"expires_in\":\"%s\"}".formatted(seconds);

    assertThat(endpoint(client("")).token().expires()).isEqualTo(NOW.plusSeconds(life));
  }

  @Test
  void takesAMissingIdentityForOneThatMayCome() {
    failures = 1;
    status = 404;
    OAuthLogin machine = new OAuthLogin(url(), true, "", Secret.NONE, "https://ns.example", "");

    assertThatCode(() -> endpoint(machine).token()).doesNotThrowAnyException();
  }

  @Test
  void showsNoQueryOfItsUrl() {
    status = 200;
    answer = "{\"error\":\"nope\"}";
    OAuthLogin login =
        new OAuthLogin(
            URI.create(url() + "?code=s/cret"), false, "id", new Secret("s/cret"), "", "");

    assertFails(login, false, "answered 200 nope without an access_token");
  }

  @Test
  void doesNotWaitForEver() {
    answer = "hang";

    assertFails(client(""), true, "does not answer");
  }

  @Test
  void saysWhereNoOneListens() {
    server.stop(0);

    assertFails(client(""), true, "does not answer: ConnectException");
  }

  private void assertFails(OAuthLogin login, boolean mayPass, String... parts) {
    TokenException failure =
        catchThrowableOfType(TokenException.class, () -> endpoint(login).token());

    assertThat(failure).isNotNull().message().contains(parts).doesNotContain("s/cret");
    assertThat(failure.mayPass()).isEqualTo(mayPass);
    // What the operator reads in the end.
    LoginException refusal = new LoginException(failure.getMessage());
    assertThat(ConnectionAdvice.of(new RuntimeException(refusal), "t"))
        .hasValue(failure.getMessage());
    assertThat(ConnectionAdvice.mayPass(refusal, "t")).isEqualTo(mayPass);
  }

  private OAuthLogin client(String scope) {
    return new OAuthLogin(url(), false, "id:1", new Secret("s/cret"), scope, "");
  }

  private URI url() {
    return URI.create("http://127.0.0.1:%d/token".formatted(server.getAddress().getPort()));
  }

  private static TokenEndpoint endpoint(OAuthLogin login) {
    return new TokenEndpoint(login, Clock.fixed(NOW, ZoneOffset.UTC), Duration.ofMillis(500));
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.add(
        "%s %s %s %s %s"
            .formatted(
                exchange.getRequestMethod(),
                exchange.getRequestURI(),
                exchange.getRequestHeaders().getFirst("Authorization"),
                exchange.getRequestHeaders().getFirst("Metadata"),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
    if (answer.equals("hang")) {
      exchange.sendResponseHeaders(200, 100); // and no body
      return;
    }
    boolean fails = requests.size() <= failures;
    byte[] body = (fails || status == 200 ? answer : TOKEN).getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(fails ? status : 200, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
