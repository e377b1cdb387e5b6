package io.streampulse.testing;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** The SQL alerts below {@code deploy}, as a module's tests find them. */
public final class DeployedAlerts {
  private static final String SUFFIX = ".dbalert.json";

  private DeployedAlerts() {}

  /**
   * Their queries by the names of the alerts, over views of no catalog and schema.
   *
   * @throws IOException if they can't be read
   */
  public static Map<String, String> queries() throws IOException {
    Map<String, String> queries = new TreeMap<>();
    try (Stream<Path> files = Files.list(Path.of("../deploy/databricks/alerts"))) {
      for (Path file : files.toList()) {
        JsonNode lines = new ObjectMapper().readTree(file.toFile()).path("query_lines");
        queries.put(
            file.getFileName().toString().replace(SUFFIX, ""),
            StreamSupport.stream(lines.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining("\n"))
                .replace("main.streaming_monitoring.", ""));
      }
    }
    return queries;
  }
}
