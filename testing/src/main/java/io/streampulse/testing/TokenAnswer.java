package io.streampulse.testing;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What the token server answers. Thread-safe.
 *
 * @param status of HTTP
 * @param json an object
 */
record TokenAnswer(int status, String json) {
  /** An answer that holds a token. */
  static TokenAnswer granted(Map<String, Object> members) {
    return new TokenAnswer(200, TokenSigner.json(members));
  }

  /** An answer without a token, in the form OAuth 2 gives it. */
  static TokenAnswer refused(int status, String error, String description) {
    return new TokenAnswer(
        status, TokenSigner.json(Map.of("error", error, "error_description", description)));
  }

  /** Sends it. */
  void send(HttpExchange exchange) throws IOException {
    byte[] body = json.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    if (status == 401) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Basic realm=\"tokens\"");
    }
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }
}
