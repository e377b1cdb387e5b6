package io.streampulse.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the token server issues, what it refuses, and how it misbehaves when it is told to. */
@Timeout(60)
class TokenServerTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private TokenServer tokens;

  @BeforeEach
  void start() {
    tokens = TokenServer.start(folder);
  }

  @AfterEach
  void stop() {
    tokens.close();
  }

  @Test
  void issuesATokenToALoginInTheForm() throws Exception {
    HttpResponse<String> answer = send(byForm(tokens.clientSecret()));

    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode json = JSON.readTree(answer.body());
    assertThat(json.get("token_type").asText()).isEqualTo("Bearer");
    assertThat(json.get("expires_in").isIntegralNumber()).isTrue();
    assertThat(json.get("expires_in").asLong()).isEqualTo(3600);
    JsonNode claims = claims(json);
    assertThat(claims.get("sub").asText()).isEqualTo(tokens.clientId());
    assertThat(claims.get("aud").asText()).isEqualTo(TokenServer.AUDIENCE);
    assertThat(claims.get("iss").asText())
        .isEqualTo("http://127.0.0.1:" + tokens.tokenUrl().getPort());
    assertThat(claims.get("scope").asText()).isEqualTo("one two");
    assertThat(claims.get("exp").asLong() - claims.get("iat").asLong()).isEqualTo(3600);
    assertThat(isSignedByItsKey(json)).isTrue();
    assertThat(tokens.issued()).isEqualTo(1);
    assertThat(tokens.requests())
        .containsExactly(
            Map.of(
                "grant_type",
                "client_credentials",
                "scope",
                "one two",
                "client_id",
                tokens.clientId(),
                "client_secret",
                tokens.clientSecret()));
  }

  @Test
  void issuesATokenToALoginByHttpBasic() throws Exception {
    HttpResponse<String> answer = send(byBasic(tokens.clientId() + ":" + tokens.clientSecret()));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(claims(JSON.readTree(answer.body())).has("scope")).isFalse();
    assertThat(tokens.requests()).containsExactly(Map.of("grant_type", "client_credentials"));
  }

  @Test
  void refusesAnotherSecret() throws Exception {
    assertRefused(send(byForm("another")), 401, "invalid_client");
    assertRefused(send(byBasic(tokens.clientId() + ":another")), 401, "invalid_client");
    assertRefused(send(byBasic("no colon")), 401, "invalid_client");
    assertThat(tokens.issued()).isZero();
  }

  @Test
  void refusesAnotherGrant() throws Exception {
    HttpRequest.Builder request =
        form(Map.of("grant_type", "password", "client_id", tokens.clientId()));
    assertRefused(send(request), 400, "unsupported_grant_type");
  }

  @Test
  void givesAManagedIdentityToTheRightHeaderOnly() throws Exception {
    HttpRequest.Builder request = identity("https://a\"b\\c", "&client_id=chosen");
    assertRefused(send(request), 400, "invalid_request");

    HttpResponse<String> answer = send(request.header("Metadata", "true"));

    assertThat(answer.statusCode()).isEqualTo(200);
    JsonNode json = JSON.readTree(answer.body());
    assertThat(json.get("token_type").asText()).isEqualTo("Bearer");
    assertThat(json.get("resource").asText()).isEqualTo("https://a\"b\\c");
    assertThat(json.get("expires_in").isTextual()).isTrue();
    assertThat(json.get("expires_in").asText()).isEqualTo("3600");
    assertThat(claims(json).get("sub").asText()).isEqualTo(TokenServer.MANAGED_IDENTITY);
    assertThat(json.get("expires_on").asText()).isEqualTo(claims(json).get("exp").asText());
    assertThat(isSignedByItsKey(json)).isTrue();
    assertThat(tokens.requests().get(1))
        .isEqualTo(
            Map.of(
                "api-version", "2018-02-01",
                "resource", "https://a\"b\\c",
                "client_id", "chosen"));
  }

  @Test
  void givesNoManagedIdentityWithoutResource() throws Exception {
    HttpRequest.Builder request = identity("", "").header("Metadata", "true");
    assertRefused(send(request), 400, "invalid_request");
  }

  @Test
  void signsWithAKeyThatItDoesNotShow() throws Exception {
    tokens.signWithAnotherKey(true);
    assertThat(isSignedByItsKey(issued())).isFalse();

    tokens.signWithAnotherKey(false);
    assertThat(isSignedByItsKey(issued())).isTrue();
  }

  @Test
  void issuesTokensThatHaveExpired() throws Exception {
    tokens.issueExpired(true);
    JsonNode json = issued();
    assertThat(claims(json).get("exp").asLong()).isLessThan(Instant.now().getEpochSecond());
    assertThat(isSignedByItsKey(json)).isTrue();
  }

  @Test
  void issuesTokensForAsLongAsItIsTold() throws Exception {
    tokens.setLifetime(Duration.ofSeconds(20));
    JsonNode json = issued();
    assertThat(json.get("expires_in").asLong()).isEqualTo(20);
    assertThat(claims(json).get("exp").asLong() - claims(json).get("iat").asLong()).isEqualTo(20);
  }

  private JsonNode issued() throws Exception {
    return JSON.readTree(send(byForm(tokens.clientSecret())).body());
  }

  private HttpRequest.Builder byForm(String secret) {
    return form(
        Map.of(
            "grant_type",
            "client_credentials",
            "scope",
            "one two",
            "client_id",
            tokens.clientId(),
            "client_secret",
            secret));
  }

  private HttpRequest.Builder byBasic(String login) {
    byte[] bytes = login.getBytes(StandardCharsets.UTF_8);
    return form(Map.of("grant_type", "client_credentials"))
        .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
  }

  private HttpRequest.Builder form(Map<String, String> parameters) {
    String form =
        parameters.entrySet().stream()
            .map(parameter -> parameter.getKey() + "=" + encode(parameter.getValue()))
            .collect(Collectors.joining("&"));
    return HttpRequest.newBuilder(tokens.tokenUrl())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(form));
  }

  private HttpRequest.Builder identity(String resource, String more) {
    return HttpRequest.newBuilder(
        URI.create(
            tokens.identityUrl() + "?api-version=2018-02-01&resource=" + encode(resource) + more));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static void assertRefused(HttpResponse<String> answer, int status, String error)
      throws IOException {
    assertThat(answer.statusCode()).isEqualTo(status);
    JsonNode json = JSON.readTree(answer.body());
    assertThat(json.get("error").asText()).isEqualTo(error);
    assertThat(json.get("error_description").asText()).isNotEmpty();
  }

  private static JsonNode claims(JsonNode answer) throws IOException {
    return JSON.readTree(base64(answer.get("access_token").asText().split("\\.", -1)[1]));
  }

  /** Whether the key of the key set has made the signature of an answer's token. */
  private boolean isSignedByItsKey(JsonNode answer) throws Exception {
    String[] parts = answer.get("access_token").asText().split("\\.", -1);
    JsonNode key = JSON.readTree(tokens.keySet().toFile()).get("keys").get(0);
    assertThat(JSON.readTree(base64(parts[0])).get("kid")).isEqualTo(key.get("kid"));
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initVerify(
        KeyFactory.getInstance("RSA")
            .generatePublic(new RSAPublicKeySpec(number(key.get("n")), number(key.get("e")))));
    signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
    return signature.verify(base64(parts[2]));
  }

  private static BigInteger number(JsonNode value) {
    return new BigInteger(1, base64(value.asText()));
  }

  private static byte[] base64(String text) {
    return Base64.getUrlDecoder().decode(text);
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
