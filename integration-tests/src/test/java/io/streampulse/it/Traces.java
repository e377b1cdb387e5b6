package io.streampulse.it;

import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;

/** What an application shows of itself while it runs, put into files: Spark's UI and JMX. */
final class Traces {
  private static final List<String> PAGES =
      List.of(
          "/environment/",
          "/jobs/",
          "/stages/",
          "/executors/",
          "/SQL/",
          "/StreamingQuery/",
          "/metrics/json/",
          "/api/v1/applications/%s/environment",
          "/api/v1/applications/%s/jobs",
          "/api/v1/applications/%s/executors",
          "/api/v1/applications/%s/sql?details=true&planDescription=true",
          "/SQL/execution/?id=0",
          "/SQL/execution/?id=1");

  private Traces() {}

  /** Lets our classes and both Kafka clients log all they have to say; Spark's DEBUG shows conf. */
  static void logEverything() {
    for (String logger : List.of("io.streampulse", "org.apache.kafka")) {
      Configurator.setLevel(logger, Level.DEBUG);
    }
  }

  /** Writes them. */
  static void write(SparkSession spark, Path folder) throws Exception {
    Files.createDirectories(folder);
    HttpClient http = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    String root = spark.sparkContext().uiWebUrl().get();
    for (String page : PAGES) {
      String path = page.formatted(spark.sparkContext().applicationId());
      HttpResponse<String> answer =
          http.send(
              HttpRequest.newBuilder(URI.create(root + path)).build(),
              HttpResponse.BodyHandlers.ofString());
      Files.writeString(
          folder.resolve("ui" + page.replaceAll("\\W+", "-") + answer.statusCode() + ".txt"),
          answer.body());
    }
    Files.writeString(folder.resolve("jmx.txt"), jmx());
    Files.writeString(
        folder.resolve("plans.txt"),
        String.join("\n", Arrays.stream(spark.streams().active()).map(Traces::describe).toList()));
  }

  private static String describe(StreamingQuery query) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    scala.Console.withOut(
        printed,
        () -> {
          query.explain(true);
          return null;
        });
    return printed.toString(StandardCharsets.UTF_8) + query + query.lastProgress() + query.status();
  }

  private static String jmx() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Set<ObjectName> names = server.queryNames(null, null);
    StringBuilder text = new StringBuilder();
    for (ObjectName name : names) {
      for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
        text.append(name).append(' ').append(attribute.getName()).append(' ');
        try {
          text.append(text(server.getAttribute(name, attribute.getName())));
        } catch (Exception e) {
          text.append(e); // not every attribute can be read
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  private static String text(Object value) {
    return value instanceof Object[] array ? List.of(array).toString() : String.valueOf(value);
  }
}
