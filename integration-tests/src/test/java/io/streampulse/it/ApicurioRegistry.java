package io.streampulse.it;

import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.EmbeddedBroker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A real registry in a process of its own, with Confluent's API, its schemas in memory. */
final class ApicurioRegistry implements AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final String base;
  private final ChildJvm process;

  private ApicurioRegistry(String base, ChildJvm process) {
    this.base = base;
    this.process = process;
  }

  static ApicurioRegistry start() throws Exception {
    Path folder = Path.of("target/apicurio-registry").toAbsolutePath();
    OtherBuild.maven("peers/pom.xml", "-Dregistry.folder=" + folder, "process-resources");
    int port = EmbeddedBroker.freePort();
    ChildJvm process =
        ChildJvm.start(
            "registry",
            Environment.newFolder("registry").resolve("output.log"),
            folder.resolve("apicurio-registry-app-2.6.13.Final-runner.jar").toString(),
            List.of(
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dquarkus.log.level=WARN",
                "-Dquarkus.log.category.\"io.apicurio\".level=WARN",
                "-Dquarkus.banner.enabled=false",
                "-Dquarkus.http.host=127.0.0.1",
                "-Dquarkus.http.port=" + port),
            List.of("io.quarkus.runner.GeneratedMain"));
    ApicurioRegistry registry = new ApicurioRegistry("http://127.0.0.1:" + port, process);
    await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(500))
        .ignoreExceptions()
        .until(
            () -> {
              if (!process.isAlive()) {
                throw new AssertionError(process.output());
              }
              return registry.call("GET", "/subjects", "").statusCode() == 200;
            });
    return registry;
  }

  /** Without a path. */
  String base() {
    return base;
  }

  /** The base of its Confluent API, as a user sets it. */
  String url() {
    return base + "/apis/ccompat/v7";
  }

  HttpResponse<String> call(String method, String path, String body) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(url() + path))
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** Lets it hang, as one that has lost its storage does. */
  void pause() {
    process.pause();
  }

  void resume() {
    process.resume();
  }

  @Override
  public void close() {
    process.resume();
    process.close();
  }
}
