package io.streampulse.testing;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a client asks the token server. Thread-safe.
 *
 * @param method GET or POST
 * @param authorization the header with a login; empty where there is none
 * @param metadata the header that Azure's metadata service wants; empty where there is none
 * @param parameters of the form, or where there is no form of the query
 */
record TokenRequest(
    String method, String authorization, String metadata, Map<String, String> parameters) {
  private static final String BASIC = "Basic ";

  /** Reads a request with its form. */
  static TokenRequest read(HttpExchange exchange) throws IOException {
    String form = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String query = exchange.getRequestURI().getRawQuery();
    return new TokenRequest(
        exchange.getRequestMethod(),
        header(exchange, "Authorization"),
        header(exchange, "Metadata"),
        parameters(form.isEmpty() && query != null ? query : form));
  }

  /** A parameter; empty where there is none of this name. */
  String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  /** The client's id and secret, by HTTP Basic or else in the form, with a colon between them. */
  String login() {
    if (!authorization.startsWith(BASIC)) {
      return parameter("client_id") + ":" + parameter("client_secret");
    }
    try {
      byte[] login = Base64.getDecoder().decode(authorization.substring(BASIC.length()).strip());
      return new String(login, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private static String header(HttpExchange exchange, String name) {
    String value = exchange.getRequestHeaders().getFirst(name);
    return value == null ? "" : value;
  }

  private static Map<String, String> parameters(String text) {
    Map<String, String> parameters = new LinkedHashMap<>();
    for (String pair : text.strip().split("&", -1)) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        parameters.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
      }
    }
    return Map.copyOf(parameters);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
