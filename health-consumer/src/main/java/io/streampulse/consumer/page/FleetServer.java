package io.streampulse.consumer.page;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the page, its data, metrics and a health check over HTTP, for reading only.
 *
 * <p>It knows no login and no TLS. Bound to this machine, as is the default of its callers, it
 * answers only requests that name this machine, so that no web site in a browser here can read it
 * under a name of its own. To let others in, put a proxy in front that knows who may.
 *
 * <p>Thread-safe. Its threads are daemons and don't keep the process alive.
 */
public final class FleetServer implements AutoCloseable {
  /**
   * What is served. Called from several threads at once, at most {@value FleetServer#THREADS}; what
   * it throws is logged, and the caller gets status 500 without the cause.
   */
  public interface Content {
    /** The fleet as JSON; empty as long as it was not read for the first time. */
    Optional<byte[]> fleetJson();

    /** The history of a query as JSON; empty if the query is not known. */
    Optional<byte[]> queryJson(String queryId);

    /** Metrics in Prometheus' text format. */
    String metrics();

    /** Why what is served can't be relied upon, in one line; empty if all is well. */
    Optional<String> problem();
  }

  private static final Logger LOG = LoggerFactory.getLogger(FleetServer.class);
  private static final int THREADS = 4;
  private static final int SMALLEST_ZIPPED = 1024;
  private static final String HTML = "text/html; charset=utf-8";
  private static final String JSON = "application/json; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";
  private static final String POLICY =
      FleetPage.POLICY
          + "; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'";

  static {
    // The JDK's server waits without end for a request or a reader that is slow, and each holds a
    // thread. In seconds; only the first server of a process reads them.
    limit("sun.net.httpserver.maxReqTime", "10");
    limit("sun.net.httpserver.maxRspTime", "60");
  }

  private final Content content;
  private final Map<String, Answer> files = new HashMap<>();
  private final HttpServer server;
  private final ExecutorService threads;

  /**
   * Binds the address and serves from now on.
   *
   * @param host the address to bind; {@code 127.0.0.1} for this machine alone
   * @param port the port; 0 for any that is free
   * @throws IOException if the address can't be bound
   */
  public FleetServer(String host, int port, Content content) throws IOException {
    this.content = content;
    files.put("/", new Answer(200, HTML, FleetPage.served()));
    FleetPage.assets()
        .forEach((name, bytes) -> files.put("/" + name, new Answer(200, type(name), bytes)));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), 0);
    AtomicInteger number = new AtomicInteger();
    threads =
        Executors.newFixedThreadPool(
            THREADS,
            task -> {
              Thread thread = new Thread(task, "fleet-page-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Where the page is. */
  public URI uri() {
    InetAddress address = server.getAddress().getAddress();
    String host = address.getHostAddress();
    return URI.create(
        "http://%s:%d/".formatted(host.contains(":") ? "[" + host + "]" : host, port()));
  }

  public int port() {
    return server.getAddress().getPort();
  }

  /** Ends it at once; answers that are being sent are cut off. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer;
      try {
        answer = answer(exchange);
      } catch (Exception e) { // Spark throws checked ones that it does not declare
        if (!threads.isShutdown()) {
          LOG.warn("{} can't be answered: {}", exchange.getRequestURI(), e.toString());
          LOG.debug("It failed", e);
        }
        answer = message(500, "this can't be answered now; the log says why");
      }
      send(exchange, answer);
    }
  }

  private Answer answer(HttpExchange exchange) {
    if (!namesThisMachine(exchange)) {
      return message(403, "the request is for another host");
    }
    if (!exchange.getRequestMethod().equals("GET") && !isHead(exchange)) {
      exchange.getResponseHeaders().set("Allow", "GET, HEAD");
      return message(405, "only GET and HEAD");
    }
    String path = exchange.getRequestURI().getPath();
    Answer file = files.get(path);
    if (file != null) {
      return file;
    }
    return switch (path) {
      case "/api/fleet.json" ->
          content
              .fleetJson()
              .map(json -> new Answer(200, JSON, json))
              .orElseGet(() -> message(503, "the table is being read for the first time"));
      case "/metrics" -> new Answer(200, METRICS, bytes(content.metrics()));
      case "/healthz" ->
          content
              .problem()
              .map(problem -> new Answer(503, TEXT, bytes(problem + "\n")))
              .orElseGet(() -> new Answer(200, TEXT, bytes("ok\n")));
      default -> query(path);
    };
  }

  private Answer query(String path) {
    String before = "/api/query/";
    String after = ".json";
    if (!path.startsWith(before)
        || !path.endsWith(after)
        || path.length() <= before.length() + after.length()) {
      return message(404, "there is nothing here");
    }
    String queryId = path.substring(before.length(), path.length() - after.length());
    return content
        .queryJson(queryId)
        .map(json -> new Answer(200, JSON, json))
        .orElseGet(() -> message(404, "no query has the id " + queryId));
  }

  private static void send(HttpExchange exchange, Answer answer) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", answer.type());
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("X-Frame-Options", "DENY");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Vary", "Accept-Encoding");
    int status = answer.status();
    // Kept by the browser, but asked for each time: what is unchanged costs no transfer.
    headers.set("Cache-Control", status == 200 ? "no-cache" : "no-store");
    boolean zipped = answer.bytes().length >= SMALLEST_ZIPPED && takesGzip(exchange);
    if (status == 200) {
      String tag = tag(answer.bytes(), zipped);
      headers.set("ETag", tag);
      if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
        exchange.sendResponseHeaders(304, -1);
        return;
      }
    }
    byte[] bytes = zipped ? gzip(answer.bytes()) : answer.bytes();
    if (zipped) {
      headers.set("Content-Encoding", "gzip");
    }
    if (isHead(exchange)) {
      headers.set("Content-Length", String.valueOf(bytes.length));
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    try (OutputStream out = exchange.getResponseBody()) {
      out.write(bytes);
    }
  }

  private boolean namesThisMachine(HttpExchange exchange) {
    if (!server.getAddress().getAddress().isLoopbackAddress()) {
      return true;
    }
    String host = exchange.getRequestHeaders().getFirst("Host");
    if (host == null) {
      return false;
    }
    String name = host.replaceFirst(":\\d+$", "").toLowerCase(Locale.ROOT);
    return name.equals("localhost")
        || name.equals("[::1]")
        || name.matches("127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}");
  }

  private static boolean isHead(HttpExchange exchange) {
    return exchange.getRequestMethod().equals("HEAD");
  }

  private static boolean takesGzip(HttpExchange exchange) {
    String accepted = exchange.getRequestHeaders().getFirst("Accept-Encoding");
    return accepted != null
        && accepted.matches("(?i).*\\bgzip\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$)).*");
  }

  private static String tag(byte[] bytes, boolean zipped) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      String text = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
      return "\"" + text.substring(0, 22) + (zipped ? "-gzip\"" : "\"");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] gzip(byte[] bytes) {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream(bytes.length / 4);
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return zipped.toByteArray();
  }

  private static Answer message(int status, String message) {
    return new Answer(
        status,
        JSON,
        bytes(JsonNodeFactory.instance.objectNode().put("message", message).toString()));
  }

  private static String type(String file) {
    return file.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void limit(String property, String seconds) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, seconds);
    }
  }

  /** An answer before it is packed. */
  private static final class Answer {
    private final int status;
    private final String type;
    private final byte[] bytes;

    Answer(int status, String type, byte[] bytes) {
      this.status = status;
      this.type = type;
      this.bytes = bytes;
    }

    int status() {
      return status;
    }

    String type() {
      return type;
    }

    byte[] bytes() {
      return bytes;
    }
  }
}
