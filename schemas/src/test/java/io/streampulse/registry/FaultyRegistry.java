package io.streampulse.registry;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A registry that gives the answers it is told to, one after the other, the last for ever. */
final class FaultyRegistry implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Deque<Answer> answers = new ArrayDeque<>();
  final List<String> requests = new CopyOnWriteArrayList<>();
  final List<String> logins = new CopyOnWriteArrayList<>();

  FaultyRegistry() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  URI url() {
    return URI.create("http://localhost:" + server.getAddress().getPort());
  }

  FaultyRegistry answers(int status, String body) {
    return answers(
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
        });
  }

  synchronized FaultyRegistry answers(Answer answer) {
    answers.add(answer);
    return this;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(
        "%s %s %s".formatted(exchange.getRequestMethod(), exchange.getRequestURI(), body).strip());
    logins.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    try (exchange) {
      next().give(exchange);
    }
  }

  private synchronized Answer next() {
    return answers.size() > 1 ? answers.poll() : answers.element();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  interface Answer {
    void give(HttpExchange exchange) throws IOException;
  }
}
