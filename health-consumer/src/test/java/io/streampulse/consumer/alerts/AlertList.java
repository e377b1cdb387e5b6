package io.streampulse.consumer.alerts;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The alerts and recording rules of {@code alerts.yaml}, its values put in. */
record AlertList(
    Map<String, String> objective, String views, List<Rule> records, List<Alert> alerts) {
  static final YAMLMapper YAML = YAMLMapper.builder().build();
  static final JsonMapper JSON = JsonMapper.builder().build();

  /** A recording rule. */
  record Rule(String record, String expr) {}

  /** An alert; without SQL where the views can't tell. */
  record Alert(
      String name,
      String scope,
      String severity,
      @JsonProperty("for") String pending,
      String expr,
      String summary,
      String description,
      String sql) {
    String runbook() {
      return "docs/operations.md#" + name.toLowerCase(Locale.ROOT);
    }

    /** The name as file and resource names have it. */
    String key() {
      return name.replaceAll("(?<=.)(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    Optional<String> query() {
      return Optional.ofNullable(sql);
    }
  }

  Alert alert(String name) {
    return alerts.stream().filter(alert -> alert.name().equals(name)).findFirst().orElseThrow();
  }

  static AlertList read() {
    try {
      String text = Files.readString(Path.of("../deploy/alerts.yaml"));
      JsonNode raw = YAML.readTree(text);
      text = text.replace("${views}", raw.path("views").asText());
      for (Map.Entry<String, JsonNode> value : raw.path("objective").properties()) {
        text = text.replace("${" + value.getKey() + "}", value.getValue().asText());
      }
      return YAML.readValue(text, AlertList.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
