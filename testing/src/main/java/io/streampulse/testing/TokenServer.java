package io.streampulse.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * An OAuth 2 token endpoint on loopback, by plain HTTP, that knows one client. Its tokens are JSON
 * Web Tokens with real signatures, for a broker that has {@link #keySet() its public key}; it can
 * be told to issue tokens that no broker takes. It also answers as the metadata service of an Azure
 * machine does, which gives the machine's identity to all who can reach it.
 *
 * <p>Thread-safe. What it is told applies to each request that is answered after it.
 */
public final class TokenServer implements AutoCloseable {
  /** The audience of all tokens. */
  public static final String AUDIENCE = "streampulse-test";

  /** The subject of the tokens of {@link #identityUrl()}. */
  public static final String MANAGED_IDENTITY = "managed-identity";

  private static final String TOKEN_PATH = "/token";
  private static final String IDENTITY_PATH = "/metadata/identity/oauth2/token";
  private static final String IDENTITY_VERSION = "2018-02-01";
  private static final Duration EXPIRED_FOR = Duration.ofDays(1);

  private final String clientSecret = UUID.randomUUID().toString();
  private final TokenSigner signer = TokenSigner.create();
  private final TokenSigner anotherSigner = TokenSigner.create();
  private final Path keySet;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Map<String, String>> requests = new ArrayList<>();

  private Duration lifetime = Duration.ofHours(1);
  private boolean signsWithAnotherKey;
  private boolean issuesExpired;
  private int issued;

  private TokenServer(Path keySet) throws IOException {
    this.keySet = keySet;
    Files.createDirectories(keySet.getParent());
    Files.writeString(keySet, signer.keySet());
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(TOKEN_PATH, exchange -> handle(exchange, this::token));
    server.createContext(IDENTITY_PATH, exchange -> handle(exchange, this::identity));
  }

  /**
   * Starts a server on a free port.
   *
   * @param folder for the file with its public key; made where it is not there
   */
  public static TokenServer start(Path folder) {
    try {
      TokenServer tokens = new TokenServer(folder.resolve("token-keys.json"));
      tokens.server.start();
      return tokens;
    } catch (IOException e) {
      throw new IllegalStateException("Can't start a token server", e);
    }
  }

  /**
   * Where a client gets a token: by POST of a form with {@code grant_type=client_credentials}, its
   * id and secret either by HTTP Basic or as {@code client_id} and {@code client_secret}.
   */
  public URI tokenUrl() {
    return URI.create(url() + TOKEN_PATH);
  }

  /**
   * Where a machine gets a token for its managed identity: by GET with the header {@code Metadata:
   * true}, {@code api-version=2018-02-01} and a {@code resource}.
   */
  public URI identityUrl() {
    return URI.create(url() + IDENTITY_PATH);
  }

  /** The file with the public key, a JSON Web Key Set; written before the server answers. */
  public Path keySet() {
    return keySet;
  }

  /** The id of the only client it knows, and the subject of that client's tokens. */
  public String clientId() {
    return "streampulse-client";
  }

  /** The secret of the client, another one for each server. */
  public String clientSecret() {
    return clientSecret;
  }

  /** Sets how long a token is valid; an hour at first. */
  public synchronized void setLifetime(Duration lifetime) {
    this.lifetime = lifetime;
  }

  /**
   * Whether tokens are signed with a key that is not in the key set, under the id of one that is.
   */
  public synchronized void signWithAnotherKey(boolean another) {
    signsWithAnotherKey = another;
  }

  /** Whether tokens had expired a day ago, as from a server whose clock is wrong. */
  public synchronized void issueExpired(boolean expired) {
    issuesExpired = expired;
  }

  /**
   * The parameters of all requests so far, of the form or of the query, in the order they came in;
   * also of those that were refused. A login by HTTP Basic is not among them.
   */
  public synchronized List<Map<String, String>> requests() {
    return List.copyOf(requests);
  }

  /** How many tokens it has issued. */
  public synchronized int issued() {
    return issued;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange, Function<TokenRequest, TokenAnswer> endpoint)
      throws IOException {
    try (exchange) {
      TokenRequest request = TokenRequest.read(exchange);
      synchronized (this) {
        requests.add(request.parameters());
      }
      endpoint.apply(request).send(exchange);
    }
  }

  private TokenAnswer token(TokenRequest request) {
    if (!request.method().equals("POST")) {
      return TokenAnswer.refused(405, "invalid_request", "A token is asked for by POST");
    }
    if (!request.parameter("grant_type").equals("client_credentials")) {
      return TokenAnswer.refused(
          400, "unsupported_grant_type", "The only grant type is client_credentials");
    }
    if (!request.login().equals(clientId() + ":" + clientSecret)) {
      return TokenAnswer.refused(
          401, "invalid_client", "The client is unknown or its secret is wrong");
    }
    Token token = issue(clientId(), request.parameter("scope"));
    return TokenAnswer.granted(
        Map.of(
            "access_token",
            token.text(),
            "token_type",
            "Bearer",
            "expires_in",
            token.lifetime().toSeconds()));
  }

  private TokenAnswer identity(TokenRequest request) {
    if (!request.method().equals("GET")) {
      return TokenAnswer.refused(405, "invalid_request", "An identity is asked for by GET");
    }
    if (!request.metadata().equals("true")) {
      return TokenAnswer.refused(400, "invalid_request", "Required metadata header not specified");
    }
    if (!request.parameter("api-version").equals(IDENTITY_VERSION)) {
      return TokenAnswer.refused(
          400, "invalid_request", "The only api-version is " + IDENTITY_VERSION);
    }
    if (request.parameter("resource").isEmpty()) {
      return TokenAnswer.refused(400, "invalid_request", "Required parameter resource is missing");
    }
    Token token = issue(MANAGED_IDENTITY, "");
    return TokenAnswer.granted(
        Map.of(
            "access_token",
            token.text(),
            "expires_in",
            Long.toString(token.lifetime().toSeconds()),
            "expires_on",
            Long.toString(token.expiry().getEpochSecond()),
            "resource",
            request.parameter("resource"),
            "token_type",
            "Bearer"));
  }

  private synchronized Token issue(String subject, String scope) {
    issued++;
    Instant now = Instant.now();
    Instant start = issuesExpired ? now.minus(lifetime).minus(EXPIRED_FOR) : now;
    Instant expiry = start.plus(lifetime);
    Map<String, Object> claims = new LinkedHashMap<>();
    claims.put("sub", subject);
    claims.put("aud", AUDIENCE);
    claims.put("iss", url());
    claims.put("iat", start.getEpochSecond());
    claims.put("exp", expiry.getEpochSecond());
    claims.put("jti", UUID.randomUUID());
    if (!scope.isBlank()) {
      claims.put("scope", scope);
    }
    TokenSigner by = signsWithAnotherKey ? anotherSigner : signer;
    return new Token(by.sign(claims), expiry, lifetime);
  }

  private record Token(String text, Instant expiry, Duration lifetime) {}
}
