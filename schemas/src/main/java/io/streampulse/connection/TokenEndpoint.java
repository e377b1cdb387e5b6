package io.streampulse.connection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.http.HttpCaller;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * Asks for access tokens: by RFC 6749's client credentials, or as Azure's instance metadata service
 * wants to be asked. What is answered with 5xx or not at all is asked again, for some seconds.
 *
 * <p>Blocks its caller. Thread-safe.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc6749#section-4.4">RFC 6749</a>
 * @see <a
 *     href="https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token">Managed
 *     identities</a>
 */
final class TokenEndpoint {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int LONGEST_ANSWER = 100_000;
  private static final int LONGEST_QUOTE = 200;
  private static final int ATTEMPTS = 3;
  private static final Duration PAUSE = Duration.ofMillis(500);

  /** Of a token that does not say how long it lives. */
  private static final Duration SHORTEST_LIFE = Duration.ofMinutes(5);

  private static final Duration LONGEST_LIFE = Duration.ofDays(2);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final OAuthLogin login;
  private final Clock clock;
  private final Duration timeout;

  TokenEndpoint(OAuthLogin login) {
    this(login, Clock.systemUTC(), TIMEOUT);
  }

  TokenEndpoint(OAuthLogin login, Clock clock, Duration timeout) {
    this.login = login;
    this.clock = clock;
    this.timeout = timeout;
  }

  /**
   * A new token.
   *
   * @throws TokenException if there is none
   */
  AccessToken token() throws TokenException {
    HttpCaller caller = caller();
    for (int attempt = 1; ; attempt++) {
      try {
        return ask(caller);
      } catch (TokenException e) {
        if (!e.mayPass() || attempt == ATTEMPTS || !isPauseOver(attempt)) {
          throw e;
        }
      }
    }
  }

  private boolean isPauseOver(int attempt) {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE.toMillis() * attempt);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private AccessToken ask(HttpCaller caller) throws TokenException {
    Instant now = clock.instant();
    try {
      HttpResponse<byte[]> answer = caller.call(request());
      JsonNode body = json(answer.body());
      if (answer.statusCode() != 200) {
        throw refused(answer.statusCode(), body);
      }
      String token = body.path("access_token").asText("");
      if (token.isEmpty()) {
        throw noToken(
            "answered 200%s without an access_token; is it a token endpoint?".formatted(said(body)),
            false,
            null);
      }
      return new AccessToken(token, now, expires(body, now));
    } catch (IOException e) {
      throw noToken("does not answer: " + reason(e), true, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw noToken("does not answer: interrupted", true, e);
    }
  }

  private HttpRequest.Builder request() {
    if (login.isManagedIdentity()) {
      String query =
          "api-version=2018-02-01&resource="
              + encoded(login.scope().replaceFirst("/\\.default$", ""))
              + (login.clientId().isEmpty() ? "" : "&client_id=" + encoded(login.clientId()));
      return HttpRequest.newBuilder(URI.create(login.tokenUrl() + "?" + query))
          .header("Metadata", "true")
          .GET();
    }
    String form =
        "grant_type=client_credentials"
            + (login.scope().isEmpty() ? "" : "&scope=" + encoded(login.scope()));
    String client = encoded(login.clientId()) + ":" + encoded(login.clientSecret().value());
    return HttpRequest.newBuilder(login.tokenUrl())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .header("Accept", "application/json")
        .header(
            "Authorization",
            "Basic "
                + Base64.getEncoder().encodeToString(client.getBytes(StandardCharsets.US_ASCII)))
        .POST(BodyPublishers.ofString(form));
  }

  private TokenException refused(int status, JsonNode body) {
    String said = "answered %d%s".formatted(status, said(body));
    // Of a machine's identity 404 and 410 are said to pass too.
    boolean mayPass =
        status >= 500
            || status == 429
            || status == 408
            || (login.isManagedIdentity() && (status == 404 || status == 410));
    if (mayPass) {
      return noToken("does not answer: it " + said, true, null);
    }
    return noToken(
        said
            + ": check "
            + (login.isManagedIdentity()
                ? "that this machine has that identity, %s and %s"
                    .formatted(ConnectionKeys.CLIENT_ID.name(), ConnectionKeys.SCOPE.name())
                : "%s, %s and %s"
                    .formatted(
                        ConnectionKeys.CLIENT_ID.name(),
                        ConnectionKeys.CLIENT_SECRET.name(),
                        ConnectionKeys.SCOPE.name())),
        false,
        null);
  }

  private String said(JsonNode body) {
    String error = quote(body.path("error").asText(""));
    String description = quote(body.path("error_description").asText(""));
    return (error.isEmpty() ? "" : " " + error)
        + (description.isEmpty() ? "" : " (" + description + ")");
  }

  private HttpCaller caller() throws TokenException {
    try {
      return login.isManagedIdentity()
          ? HttpCaller.withoutProxy(timeout, LONGEST_ANSWER)
          : new HttpCaller(timeout, login.certificateAuthorities(), LONGEST_ANSWER);
    } catch (GeneralSecurityException e) {
      throw noToken(
          "can't be asked: %s holds no certificates in PEM"
              .formatted(ConnectionKeys.CA_FILE.name()),
          false,
          e);
    }
  }

  private TokenException noToken(String what, boolean mayPass, Throwable cause) {
    return new TokenException(
        "%s%s %s".formatted(ConnectionAdvice.NO_TOKEN, login.shownUrl(), what), mayPass, cause);
  }

  /** The server's words, which may quote what it was asked. */
  private String quote(String text) {
    String line = text.replaceAll("\\s+", " ").strip();
    if (login.clientSecret().isGiven()) {
      line = line.replace(login.clientSecret().value(), "***");
    }
    return line.length() <= LONGEST_QUOTE ? line : line.substring(0, LONGEST_QUOTE) + "...";
  }

  private static Instant expires(JsonNode body, Instant now) {
    long seconds = body.path("expires_in").asLong(0);
    return now.plus(
        seconds > 0
            ? Duration.ofSeconds(Math.min(seconds, LONGEST_LIFE.toSeconds()))
            : SHORTEST_LIFE);
  }

  private static JsonNode json(byte[] body) {
    try {
      JsonNode json = JSON.readTree(body);
      return json == null ? JSON.createObjectNode() : json;
    } catch (IOException e) {
      return JSON.createObjectNode();
    }
  }

  private static String reason(IOException failure) {
    String message = failure.getMessage();
    String name = failure.getClass().getSimpleName();
    return message == null ? name : name + ": " + message;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
