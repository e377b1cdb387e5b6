package io.streampulse.consumer.alerts;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.QueryState;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The fleet's dashboard for Grafana. */
final class GrafanaDashboard {
  private static final String CHOSEN = "{application=~\"$application\", query_name=~\"$query\"}";
  private static final String QUERY = "{{application}} {{query_name}}";

  private final ObjectNode dashboard = AlertList.JSON.createObjectNode();
  private final ArrayNode panels;
  private int x;
  private int y;
  private int rowHeight;

  private GrafanaDashboard() {
    dashboard
        .put("uid", "streampulse-fleet")
        .put("title", "Streampulse fleet")
        .put(
            "description",
            "Streaming queries, their state and lag, and the way of their telemetry.")
        .put("schemaVersion", 39)
        .put("version", 1)
        .put("editable", true)
        .put("graphTooltip", 1)
        .put("refresh", "1m")
        .put("timezone", "browser");
    dashboard.putNull("id");
    dashboard.putArray("tags").add("streampulse");
    dashboard.putArray("links");
    dashboard.putObject("annotations").putArray("list");
    dashboard.putObject("time").put("from", "now-6h").put("to", "now");
    variables();
    panels = dashboard.putArray("panels");
  }

  static ObjectNode of(AlertList list) {
    GrafanaDashboard grafana = new GrafanaDashboard();
    grafana.panels(list.objective().get("lagTargetSeconds"));
    return grafana.dashboard;
  }

  private void panels(String lagTarget) {
    ObjectNode age =
        stat("Age of the newest row", "time() - streampulse_newest_row_timestamp_seconds", "s", 4);
    thresholds(age, "120", "600");
    ObjectNode outage = stat("Telemetry outage", "streampulse_telemetry_outage", "bool_yes_no", 4);
    thresholds(outage, "1");
    ObjectNode down =
        stat("Down", "sum(streampulse_queries{status=~\"FAILED|HUNG|SILENT\"})", "none", 4);
    thresholds(down, "1");
    stat("Queries", "sum(streampulse_queries)", "none", 4);
    stat("Ingest delay, median", "streampulse_ingest_delay_seconds", "s", 4);
    ObjectNode missing = stat("Missing records", "streampulse_agent_missing_records", "none", 4);
    thresholds(missing, "1");

    ObjectNode counts = timeSeries("Queries by state", "none", 12);
    target(counts, "sum by (status) (streampulse_queries)", "{{status}}");
    custom(counts).put("fillOpacity", 40).putObject("stacking").put("mode", "normal");
    ObjectNode alerts = panel("Alerts", "table", 12, 8);
    target(
            alerts,
            "sum by (alertname, severity, application, query_name) (ALERTS{alertstate=\"firing\","
                + " scope=~\"query|telemetry\"})",
            "")
        .put("format", "table")
        .put("instant", true)
        .put("range", false);

    states();

    ObjectNode top = panel("Top lag", "bargauge", 8, 8);
    unit(top, "s");
    thresholds(top, lagTarget);
    target(top, "topk(10, streampulse_query_lag_seconds" + CHOSEN + ")", QUERY)
        .put("instant", true)
        .put("range", false);
    top.putObject("options").put("orientation", "horizontal").put("displayMode", "basic");
    target(timeSeries("Lag by query", "s", 8), "streampulse_query_lag_seconds" + CHOSEN, QUERY);
    target(
        timeSeries("Lag by query, records", "short", 8),
        "streampulse_query_lag_records" + CHOSEN,
        QUERY);

    ObjectNode rates = timeSeries("Rows in and out", "rowsps", 12);
    target(rates, "sum(streampulse_query_input_rows_per_second" + CHOSEN + ")", "in, all together");
    target(
        rates,
        "sum(streampulse_query_processed_rows_per_second" + CHOSEN + ")",
        "out, all together");
    ObjectNode headroom = timeSeries("Headroom (below 1: can't keep up)", "none", 12);
    target(headroom, "streampulse_query_headroom_ratio" + CHOSEN, QUERY);

    ObjectNode phases = timeSeries("Micro-batch by phase", "s", 12);
    target(
        phases,
        "avg by (phase) (streampulse_query_phase_duration_seconds" + CHOSEN + ")",
        "{{phase}}");
    custom(phases).put("fillOpacity", 40).putObject("stacking").put("mode", "normal");
    target(
        timeSeries("Micro-batch by query", "s", 12),
        "streampulse_query_batch_duration_seconds" + CHOSEN,
        QUERY);

    target(timeSeries("State rows", "short", 8), "streampulse_query_state_rows" + CHOSEN, QUERY);
    ObjectNode losses = timeSeries("Records dropped and missing", "short", 8);
    target(
        losses,
        "sum by (reason) (increase(streampulse_agent_dropped_records_total[$__rate_interval]))",
        "dropped: {{reason}}");
    target(losses, "streampulse_agent_missing_records", "missing");
    target(losses, "streampulse_quarantined_messages", "quarantined");
    ObjectNode reading = timeSeries("Reading the views", "s", 8);
    target(reading, "streampulse_refresh_duration_seconds", "duration");
    target(reading, "time() - streampulse_read_timestamp_seconds", "age");
  }

  private void states() {
    ObjectNode panel = panel("States", "state-timeline", 24, 10);
    List<QueryState> states = List.of(QueryState.values());
    String expression =
        IntStream.range(0, states.size())
            .mapToObj(
                code ->
                    "(streampulse_query_status{status=\"%s\", application=~\"$application\", query_name=~\"$query\"} == 1) * %d"
                        .formatted(states.get(code), code))
            .collect(Collectors.joining("\nor\n"));
    target(panel, "max by (application, query_name) (\n" + expression + "\n)", QUERY);
    ObjectNode options = panel.putObject("options");
    options.put("mergeValues", true).put("showValue", "never").put("rowHeight", 0.9);
    options
        .putObject("legend")
        .put("showLegend", true)
        .put("displayMode", "list")
        .put("placement", "bottom");
    ObjectNode mapping =
        defaults(panel).putArray("mappings").addObject().put("type", "value").putObject("options");
    for (int code = 0; code < states.size(); code++) {
      mapping
          .putObject(String.valueOf(code))
          .put("text", states.get(code).name())
          .put("color", color(states.get(code)))
          .put("index", code);
    }
  }

  private static String color(QueryState state) {
    return switch (state) {
      case FAILED, HUNG, SILENT -> "red";
      case STALLED, FALLING_BEHIND -> "orange";
      case RESTARTING, LONG_BATCH, CATCHING_UP -> "yellow";
      case STOPPED -> "purple";
      case IDLE -> "blue";
      case OK -> "green";
    };
  }

  private void variables() {
    ArrayNode list = dashboard.putObject("templating").putArray("list");
    list.addObject()
        .put("name", "datasource")
        .put("label", "Data source")
        .put("type", "datasource")
        .put("query", "prometheus");
    variable(list, "application", "label_values(streampulse_query_info, application)");
    variable(
        list,
        "query",
        "label_values(streampulse_query_info{application=~\"$application\"}, query_name)");
  }

  private static void variable(ArrayNode list, String name, String query) {
    ObjectNode variable =
        list.addObject()
            .put("name", name)
            .put("type", "query")
            .put("definition", query)
            .put("refresh", 2)
            .put("sort", 1)
            .put("multi", true)
            .put("includeAll", true)
            .put("allValue", ".*");
    variable.set("datasource", datasource());
    variable.putObject("query").put("query", query).put("refId", name);
    variable.putObject("current").put("text", "All").put("value", "$__all");
  }

  private ObjectNode stat(String title, String expression, String unit, int width) {
    ObjectNode panel = panel(title, "stat", width, 4);
    unit(panel, unit);
    target(panel, expression, "");
    ObjectNode options = panel.putObject("options");
    options.put("colorMode", "value").put("graphMode", "area");
    options.putObject("reduceOptions").put("values", false).putArray("calcs").add("lastNotNull");
    return panel;
  }

  private ObjectNode timeSeries(String title, String unit, int width) {
    ObjectNode panel = panel(title, "timeseries", width, 8);
    unit(panel, unit);
    panel.putObject("options").putObject("tooltip").put("mode", "multi").put("sort", "desc");
    return panel;
  }

  private ObjectNode panel(String title, String type, int width, int height) {
    if (x + width > 24) {
      x = 0;
      y += rowHeight;
      rowHeight = 0;
    }
    ObjectNode panel = panels.addObject();
    panel.put("id", panels.size()).put("title", title).put("type", type);
    panel.set("datasource", datasource());
    panel.putObject("gridPos").put("h", height).put("w", width).put("x", x).put("y", y);
    panel.putObject("fieldConfig").putObject("defaults");
    panel.withObjectProperty("fieldConfig").putArray("overrides");
    panel.putArray("targets");
    x += width;
    rowHeight = Math.max(rowHeight, height);
    return panel;
  }

  private static ObjectNode target(ObjectNode panel, String expression, String legend) {
    ArrayNode targets = panel.withArrayProperty("targets");
    ObjectNode target =
        targets
            .addObject()
            .put("refId", String.valueOf((char) ('A' + targets.size() - 1)))
            .put("expr", expression)
            .put("legendFormat", legend);
    target.set("datasource", datasource());
    return target;
  }

  private static ObjectNode defaults(ObjectNode panel) {
    return panel.withObjectProperty("fieldConfig").withObjectProperty("defaults");
  }

  private static ObjectNode custom(ObjectNode panel) {
    return defaults(panel).putObject("custom");
  }

  private static void unit(ObjectNode panel, String unit) {
    defaults(panel).put("unit", unit);
  }

  /** Green below the first of these values, red from the last. */
  private static void thresholds(ObjectNode panel, String... values) {
    ArrayNode steps =
        defaults(panel).putObject("thresholds").put("mode", "absolute").putArray("steps");
    steps.addObject().put("color", "green").putNull("value");
    for (int i = 0; i < values.length; i++) {
      steps
          .addObject()
          .put("color", i == values.length - 1 ? "red" : "orange")
          .put("value", Double.parseDouble(values[i]));
    }
  }

  private static ObjectNode datasource() {
    return AlertList.JSON.createObjectNode().put("type", "prometheus").put("uid", "${datasource}");
  }
}
