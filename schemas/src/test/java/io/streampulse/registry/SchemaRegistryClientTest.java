package io.streampulse.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.streampulse.config.Secret;
import io.streampulse.registry.RegistryException.Kind;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaRegistryClientTest {
  private static final Schema SCHEMA =
      SchemaBuilder.record("x.R").fields().requiredLong("x").endRecord();
  private static final String FOUND = "{\"schema\":\"{\\\"type\\\":\\\"string\\\"}\"}";
  private static final Duration SHORT = Duration.ofMillis(300);

  private FaultyRegistry registry;

  @BeforeEach
  void start() throws IOException {
    registry = new FaultyRegistry();
  }

  @AfterEach
  void stop() {
    registry.close();
  }

  @Test
  void registersLooksUpAndReads() {
    registry.answers(200, "{\"id\":42}").answers(200, "{\"id\":43}").answers(200, FOUND);
    SchemaRegistryClient client = client(Duration.ZERO, registry.url());
    UUID guid = UUID.randomUUID();

    assertThat(client.register("a topic/é-value", SCHEMA)).isEqualTo(42);
    assertThat(client.lookUp("s", SCHEMA)).isEqualTo(43);
    assertThat(client.schema(7)).isEqualTo(Schema.create(Schema.Type.STRING));
    assertThat(client.schema(guid)).isEqualTo(Schema.create(Schema.Type.STRING));

    String body = "{\"schema\":\"%s\"}".formatted(SCHEMA.toString().replace("\"", "\\\""));
    assertThat(registry.requests)
        .containsExactly(
            "POST /subjects/a%20topic%2F%C3%A9-value/versions?normalize=true " + body,
            "POST /subjects/s?normalize=true " + body,
            "GET /schemas/ids/7",
            "GET /schemas/guids/" + guid);
  }

  @Test
  void sendsBasicOrBearerLogin() {
    registry.answers(200, FOUND);
    client(Duration.ZERO, new Secret("u:p"), Secret.NONE, registry.url()).schema(1);
    client(Duration.ZERO, Secret.NONE, new Secret("t0k"), registry.url()).schema(1);
    client(Duration.ZERO, registry.url()).schema(1);

    assertThat(registry.logins).containsExactly("Basic dTpw", "Bearer t0k", "null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "401|REFUSED|schema-registry.basic-auth or .bearer-token",
        "403|REFUSED|may not do it",
        "404|NOT_FOUND|it is not there",
        "409|INCOMPATIBLE|FULL_TRANSITIVE",
        "422|INVALID|does not take the request",
        "400|INVALID|does not take the request",
        "405|INVALID|does not take the request",
      })
  void aRefusalIsJudgedByItsStatusNotAskedAgainAndQuotesTheRegistry(
      int status, Kind kind, String advice) {
    registry.answers(
        status, "{\"error_code\":" + status + "01,\"message\":\"field 'x'\\n  is gone\"}");

    RegistryException e = failure(() -> client(SHORT, registry.url()).register("s-value", SCHEMA));

    assertThat(e.kind()).isEqualTo(kind);
    assertThat(e)
        .hasMessageStartingWith("can't register the schema of subject s-value: ")
        .hasMessageContaining("answered " + status + ": field 'x' is gone; ")
        .hasMessageContaining(advice);
    assertThat(registry.requests).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 421, 425, 429, 500, 502, 503})
  void aRegistryThatIsAwayIsAskedAgain(int status) {
    registry
        .answers(status, "<html>away</html>")
        .answers(status, "{\"error_code\":50001,\"message\":\"no leader\"}")
        .answers(200, FOUND);

    assertThat(client(Duration.ofSeconds(20), registry.url()).schema(1)).isNotNull();
    assertThat(registry.requests).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "[]",
        "{}",
        "{\"schema\":1}",
        "null",
        "<html>sign in</html>",
        "\u0000\u0001"
      })
  void anAnswerThatIsNoRegistrysIsNotBelievedAndTheUrlDoubted(String body) {
    registry.answers(200, body);

    RegistryException e = failure(() -> client(SHORT, registry.url()).schema(5));

    assertThat(e.kind()).isEqualTo(Kind.UNAVAILABLE);
    assertThat(e)
        .hasMessageStartingWith("can't get the schema with id 5: ")
        .hasMessageContaining("schema-registry.url the base of the API");
    assertThat(registry.requests).hasSizeGreaterThan(1);
  }

  @Test
  void aPageThatIsNotFoundIsNoProofThatASchemaIsNotThere() {
    registry
        .answers(404, "<html>not found</html>")
        .answers(404, "{\"error_code\":404,\"message\":\"HTTP 404 Not Found\"}")
        .answers(404, "{\"error_code\":0,\"message\":\"Could not find resource\"}");

    for (int answer = 0; answer < 3; answer++) {
      assertThat(failure(() -> client(Duration.ZERO, registry.url()).schema(5)).kind())
          .isEqualTo(Kind.UNAVAILABLE);
    }
  }

  @Test
  void aRegistryWithoutGuidsCertainlyHasNone() {
    registry.answers(404, "{\"error_code\":0,\"message\":\"Could not find resource\"}");

    assertThat(failure(() -> client(SHORT, registry.url()).schema(UUID.randomUUID())).kind())
        .isEqualTo(Kind.NOT_FOUND);
  }

  @Test
  void aRefusalOfAProxysIsNoneOfTheRegistry() {
    registry.answers(400, "<html>Bad Request</html>");

    assertThat(failure(() -> client(Duration.ZERO, registry.url()).schema(5)).kind())
        .isEqualTo(Kind.UNAVAILABLE);
  }

  @Test
  void anAnswerWithoutEndIsNotKept() {
    AtomicLong sent = new AtomicLong();
    registry.answers(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] part = new byte[100_000];
          while (sent.addAndGet(part.length) < 1_000_000_000L) {
            exchange.getResponseBody().write(part);
          }
        });

    assertThat(failure(() -> client(Duration.ZERO, registry.url()).schema(5)))
        .hasMessageContaining("an answer of more than 2,000,000 bytes");
    assertThat(sent.get()).isLessThan(1_000_000_000L);
  }

  @Test
  void anotherNodeMayKnowItAlready() throws IOException {
    registry.answers(404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
    try (FaultyRegistry leader = new FaultyRegistry().answers(200, FOUND)) {
      assertThat(client(Duration.ZERO, registry.url(), leader.url()).schema(5)).isNotNull();
    }
  }

  @Test
  void whatOneNodeDoesNotKnowIsNotGoneWhileAnotherIsAway() throws IOException {
    registry.answers(404, "{\"error_code\":40403,\"message\":\"Schema not found\"}");
    FaultyRegistry leader = new FaultyRegistry();
    leader.close();

    assertThat(failure(() -> client(Duration.ZERO, registry.url(), leader.url()).schema(5)).kind())
        .isEqualTo(Kind.UNAVAILABLE);
  }

  @Test
  void aRedirectIsNotFollowedButNamed() {
    registry.answers(
        exchange -> {
          exchange.getResponseHeaders().add("Location", "https://elsewhere/");
          exchange.sendResponseHeaders(302, -1);
        });

    assertThat(failure(() -> client(Duration.ZERO, registry.url()).schema(5)))
        .hasMessageContaining("answered 302, go to https://elsewhere/");
  }

  @Test
  void anAnswerThatDoesNotComeOrDoesNotEndIsGivenUp() {
    for (boolean begins : new boolean[] {false, true}) {
      registry.answers(
          exchange -> {
            if (begins) {
              exchange.sendResponseHeaders(200, 1000);
              exchange.getResponseBody().write('{');
              exchange.getResponseBody().flush();
            }
            sleep(10_000);
          });
      long start = System.nanoTime();
      assertThat(failure(() -> client(Duration.ZERO, registry.url()).schema(5)).kind())
          .isEqualTo(Kind.UNAVAILABLE);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    }
  }

  @Test
  void aConnectionThatBreaksIsAskedAgain() {
    registry.answers(exchange -> exchange.close()).answers(200, FOUND);

    assertThat(client(Duration.ofSeconds(20), registry.url()).schema(1)).isNotNull();
  }

  @Test
  void theNextUrlIsAskedWhereOneIsDeadAndNoOneWhereNoneAnswers() throws IOException {
    registry.answers(200, FOUND);
    URI dead;
    try (ServerSocket port = new ServerSocket(0)) {
      dead = URI.create("http://localhost:" + port.getLocalPort());
    }

    assertThat(client(Duration.ZERO, dead, registry.url()).schema(1)).isNotNull();
    assertThat(failure(() -> client(Duration.ZERO, dead).schema(1)))
        .hasMessageContaining("does not serve: ConnectException");
  }

  @Test
  void whatIsNoAvroSchemaIsCertainlyNoneOfAHealthRecord() throws IOException {
    for (String body :
        List.of(
            "{\"schema\":\"syntax = proto3\",\"schemaType\":\"PROTOBUF\"}",
            "{\"schema\":\"{\\\"type\\\":\\\"nothing\\\"}\"}",
            "{\"schema\":\"" + "[".repeat(5000) + "\"}",
            "{\"schema\":\"\\\"x.Y\\\"\",\"references\":[{\"subject\":\"y\",\"version\":1}]}")) {
      try (FaultyRegistry answering = new FaultyRegistry().answers(200, body)) {
        assertThat(failure(() -> client(SHORT, answering.url()).schema(1)).kind())
            .as(body.substring(0, 30))
            .isEqualTo(Kind.NOT_FOUND);
      }
    }
  }

  @Test
  void aSchemaInPartsIsPutTogether() {
    registry
        .answers(
            200,
            "{\"schema\":\"{\\\"type\\\":\\\"array\\\",\\\"items\\\":\\\"x.Y\\\"}\",\"references\":["
                + "{\"name\":\"x.Y\",\"subject\":\"a/b\",\"version\":3}]}")
        .answers(
            200,
            "{\"schema\":\"{\\\"type\\\":\\\"fixed\\\",\\\"name\\\":\\\"x.Y\\\",\\\"size\\\":2}\"}");

    assertThat(client(SHORT, registry.url()).schema(9).getElementType().getFullName())
        .isEqualTo("x.Y");
    assertThat(registry.requests)
        .containsExactly("GET /schemas/ids/9", "GET /subjects/a%2Fb/versions/3?deleted=true");
  }

  @Test
  void noMessageHoldsALogin() {
    // A gateway may quote what it was asked with.
    registry.answers(
        exchange -> {
          String login =
              exchange.getRequestHeaders().getFirst("Authorization").replaceFirst("\\S+ ", "");
          byte[] answer =
              "{\"message\":\"%s, hush-hush, tok-en\"}".formatted(login).getBytes(UTF_8);
          exchange.sendResponseHeaders(401, answer.length);
          exchange.getResponseBody().write(answer);
        });
    RegistrySettings basic =
        settings(Duration.ZERO, new Secret("me:hush-hush"), Secret.NONE, registry.url());
    RegistrySettings bearer =
        settings(Duration.ZERO, Secret.NONE, new Secret("tok-en"), registry.url());

    RegistryException e = failure(() -> new SchemaRegistryClient(basic).schema(1));
    assertThat(e.toString() + basic)
        .contains("401: ***, ***, tok-en", "basicAuth=***")
        .doesNotContain("hush", "bWU6");
    e = failure(() -> new SchemaRegistryClient(bearer).schema(1));
    assertThat(e.toString() + bearer).contains("401: ***, hush-hush, ***").doesNotContain("tok-en");
  }

  @Test
  void certificatesThatAreNoneAreNamed() {
    RegistrySettings settings =
        new RegistrySettings(
            List.of(registry.url()), Secret.NONE, Secret.NONE, "no PEM", SHORT, SHORT);
    assertThat(failure(() -> new SchemaRegistryClient(settings).schema(1)))
        .hasMessageContaining("schema-registry.ca-file has no certificates");
  }

  private static RegistryException failure(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    RegistryException e = catchThrowableOfType(RegistryException.class, call);
    assertThat(e).isNotNull();
    return e;
  }

  static SchemaRegistryClient client(Duration retry, URI... urls) {
    return client(retry, Secret.NONE, Secret.NONE, urls);
  }

  private static SchemaRegistryClient client(
      Duration retry, Secret basic, Secret bearer, URI... urls) {
    return new SchemaRegistryClient(settings(retry, basic, bearer, urls));
  }

  private static RegistrySettings settings(
      Duration retry, Secret basic, Secret bearer, URI... urls) {
    return new RegistrySettings(
        Arrays.asList(urls), basic, bearer, "", Duration.ofSeconds(2), retry);
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
