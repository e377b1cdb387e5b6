package io.streampulse.consumer.alerts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

/** Rules for Prometheus and an inhibition for Alertmanager. */
final class PrometheusFiles {
  static final String GENERATED =
      "# Generated from alerts.yaml, do not edit; deploy/README.md says how.\n";

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  private PrometheusFiles() {}

  static String rules(AlertList list) {
    ObjectNode file = YAML.createObjectNode();
    ArrayNode groups = file.putArray("groups");
    ArrayNode records = groups.addObject().put("name", "streampulse-slo").putArray("rules");
    for (AlertList.Rule rule : list.records()) {
      records.addObject().put("record", rule.record()).put("expr", rule.expr());
    }
    ArrayNode alerts = groups.addObject().put("name", "streampulse-alerts").putArray("rules");
    for (AlertList.Alert alert : list.alerts()) {
      ObjectNode rule = alerts.addObject();
      rule.put("alert", alert.name()).put("expr", alert.expr()).put("for", alert.pending());
      rule.putObject("labels").put("severity", alert.severity()).put("scope", alert.scope());
      rule.putObject("annotations")
          .put("summary", alert.summary())
          .put("description", alert.description())
          .put("runbook", alert.runbook());
    }
    return yaml(file);
  }

  /** While the telemetry as a whole is out, nothing that is said of single queries is known. */
  static String inhibition() {
    ObjectNode file = YAML.createObjectNode();
    ObjectNode rule = file.putArray("inhibit_rules").addObject();
    rule.putArray("source_matchers").add("alertname=~\"TelemetryOutage|DataOld\"");
    rule.putArray("target_matchers").add("scope=\"query\"");
    rule.putArray("equal").add("job");
    return yaml(file);
  }

  static String yaml(JsonNode file) {
    try {
      return GENERATED + YAML.writeValueAsString(file);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
