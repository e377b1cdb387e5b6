package io.streampulse.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A registry that also gives each schema a GUID, as Confluent's does since version 8: another one
 * with GUIDs made of its ids.
 */
final class GuidRegistry implements AutoCloseable {
  private static final Pattern GUID_PATH = Pattern.compile("/schemas/guids/([0-9a-f-]{36})");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ApicurioRegistry registry;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  GuidRegistry(ApicurioRegistry registry) throws IOException {
    this.registry = registry;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Matcher guid = GUID_PATH.matcher(exchange.getRequestURI().getPath());
    String path =
        guid.matches()
            ? "/schemas/ids/" + UUID.fromString(guid.group(1)).getLeastSignificantBits()
            : exchange.getRequestURI().toString();
    try (exchange) {
      HttpResponse<String> response = registry.call(exchange.getRequestMethod(), path, body);
      byte[] answer = withGuid(response.body()).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(response.statusCode(), answer.length);
      exchange.getResponseBody().write(answer);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  private static String withGuid(String body) throws IOException {
    JsonNode json = JSON.readTree(body);
    if (json instanceof ObjectNode answer && answer.has("id")) {
      return answer.put("guid", new UUID(0, answer.get("id").asLong()).toString()).toString();
    }
    return body;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
