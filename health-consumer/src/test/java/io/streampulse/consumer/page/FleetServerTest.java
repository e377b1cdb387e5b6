package io.streampulse.consumer.page;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FleetServerTest {
  private static final String FLEET = "{\"queries\":[\"" + "x".repeat(2000) + "\"]}";

  private final FakeContent content = new FakeContent();
  private final HttpClient http = HttpClient.newHttpClient();
  private FleetServer server;

  @BeforeEach
  void start() throws IOException {
    server = new FleetServer("127.0.0.1", 0, content);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/,text/html; charset=utf-8,<!doctype html>",
    "/page.css,text/css; charset=utf-8,:root",
    "/page.js,text/javascript; charset=utf-8,'''use strict'''",
    "/uPlot.min.css,text/css; charset=utf-8,.uplot",
    "/uPlot.iife.min.js,text/javascript; charset=utf-8,/*! https://github.com/leeoniya/uPlot",
    "/api/fleet.json,application/json; charset=utf-8,{\"queries\"",
    "/api/query/q%201.json,application/json; charset=utf-8,{\"queryId\":\"q 1\"}",
    "/metrics,text/plain; version=0.0.4; charset=utf-8,streampulse_up 1",
    "/healthz,text/plain; charset=utf-8,ok",
  })
  void servesWhatItHas(String path, String type, String start) throws Exception {
    HttpResponse<String> answer = get(path);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).contains(type);
    assertThat(answer.body()).contains(start);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/nothing",
        "/api/",
        "/api/query/.json",
        "/api/query/unknown.json",
        "/index.html",
        "/..%2fpage.js"
      })
  void saysThatThereIsNothing(String path) throws Exception {
    HttpResponse<String> answer = get(path);

    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.headers().firstValue("Content-Type"))
        .contains("application/json; charset=utf-8");
    assertThat(answer.body()).startsWith("{\"message\":\"");
  }

  @Test
  void saysThatTheTableIsBeingReadForTheFirstTime() throws Exception {
    content.fleet = Optional.empty();

    HttpResponse<String> answer = get("/api/fleet.json");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("first time");
    assertThat(answer.headers().firstValue("Cache-Control")).contains("no-store");
  }

  @Test
  void isNotHealthyWithAProblem() throws Exception {
    content.problem = Optional.of("the table was last read 5 min ago");

    HttpResponse<String> answer = get("/healthz");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).isEqualTo("the table was last read 5 min ago\n");
  }

  @Test
  void doesNotTellWhatWentWrong() throws Exception {
    content.failure = new IllegalStateException("jdbc:password=secret");

    HttpResponse<String> answer = get("/api/query/q1.json");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).doesNotContain("secret", "Exception", "at io.");
  }

  @Test
  void anExceptionThatNobodyDeclaresIsAnsweredToo() throws Exception {
    content.failure = new IOException("the table is gone");

    assertThat(get("/api/query/q1.json").statusCode()).isEqualTo(500);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "TRACE"})
  void onlyReads(String method) throws Exception {
    HttpResponse<String> answer =
        http.send(
            request("/").method(method, HttpRequest.BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(405);
    assertThat(answer.headers().firstValue("Allow")).contains("GET, HEAD");
  }

  @Test
  void headHasTheHeadersOfGet() throws Exception {
    HttpResponse<String> get = get("/api/fleet.json");
    HttpResponse<String> head =
        http.send(
            request("/api/fleet.json").method("HEAD", HttpRequest.BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());

    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    assertThat(head.headers().firstValue("Content-Length"))
        .contains(String.valueOf(get.body().length()));
    assertThat(head.headers().firstValue("ETag")).isEqualTo(get.headers().firstValue("ETag"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/page.js", "/api/fleet.json", "/nothing"})
  void letsNothingElseIntoThePage(String path) throws Exception {
    var headers = get(path).headers();

    assertThat(headers.firstValue("Content-Security-Policy").orElseThrow())
        .contains(
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'")
        .doesNotContain("unsafe");
    assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
    assertThat(headers.map()).doesNotContainKey("access-control-allow-origin");
  }

  @ParameterizedTest
  @CsvSource({
    "localhost:8080,200",
    "127.0.0.1,200",
    "[::1]:4040,200",
    "LOCALHOST,200",
    "evil.example,403",
    "localhost.evil.example,403",
    "127.0.0.1.evil.example:80,403",
  })
  void answersOnlyToNamesOfThisMachine(String host, int status) throws Exception {
    assertThat(raw("GET /api/fleet.json HTTP/1.1\r\nHost: " + host + "\r\n"))
        .startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void refusesARequestToNoHost() throws Exception {
    assertThat(raw("GET /api/fleet.json HTTP/1.0\r\n")).contains(" 403 ");
  }

  @ParameterizedTest
  @CsvSource({
    "gzip,true",
    "'deflate, gzip;q=0.5, br',true",
    "GZIP,true",
    "gzip;q=0,false",
    "'gzip;q=0, br',false",
    "br,false",
    "identity,false"
  })
  void packsWhatTheBrowserCanUnpack(String accepted, boolean packed) throws Exception {
    HttpResponse<byte[]> answer =
        http.send(
            request("/api/fleet.json").header("Accept-Encoding", accepted).build(),
            BodyHandlers.ofByteArray());

    assertThat(answer.headers().firstValue("Content-Encoding").isPresent()).isEqualTo(packed);
    assertThat(new String(packed ? unpacked(answer.body()) : answer.body(), UTF_8))
        .isEqualTo(FLEET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/page.js", "/api/fleet.json"})
  void sendsNothingAgainThatIsUnchanged(String path) throws Exception {
    String tag = get(path).headers().firstValue("ETag").orElseThrow();

    HttpResponse<String> answer =
        http.send(request(path).header("If-None-Match", tag).build(), BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(304);
    assertThat(answer.body()).isEmpty();
  }

  @Test
  void sendsAgainWhatHasChanged() throws Exception {
    String tag = get("/api/fleet.json").headers().firstValue("ETag").orElseThrow();
    content.fleet = Optional.of("{}".getBytes(UTF_8));

    HttpResponse<String> answer =
        http.send(
            request("/api/fleet.json").header("If-None-Match", tag).build(),
            BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{}");
  }

  @Test
  void endsWithItsPort() throws Exception {
    URI uri = server.uri();
    server.close();

    server = new FleetServer("127.0.0.1", uri.getPort(), content);

    assertThat(server.uri()).isEqualTo(uri);
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
  }

  /** What the JDK's client does not let through. */
  private String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      OutputStream out = socket.getOutputStream();
      out.write((request + "Connection: close\r\n\r\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private static byte[] unpacked(byte[] bytes) throws IOException {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  private static final class FakeContent implements FleetServer.Content {
    private final Map<String, String> queries = new ConcurrentHashMap<>();
    private volatile Optional<byte[]> fleet = Optional.of(FLEET.getBytes(UTF_8));
    private volatile Optional<String> problem = Optional.empty();
    private volatile Exception failure;

    FakeContent() {
      queries.put("q 1", "{\"queryId\":\"q 1\"}");
    }

    @Override
    public Optional<byte[]> fleetJson() {
      return fleet;
    }

    @Override
    public Optional<byte[]> queryJson(String queryId) {
      if (failure != null) {
        FakeContent.<RuntimeException>fail(failure);
      }
      return Optional.ofNullable(queries.get(queryId)).map(json -> json.getBytes(UTF_8));
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void fail(Throwable failure) throws T {
      throw (T) failure;
    }

    @Override
    public String metrics() {
      return "streampulse_up 1\n";
    }

    @Override
    public Optional<String> problem() {
      return problem;
    }
  }
}
