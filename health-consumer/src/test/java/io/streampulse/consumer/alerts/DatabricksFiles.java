package io.streampulse.consumer.alerts;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** SQL alerts, a dashboard and the bundle that deploys them to Databricks. */
final class DatabricksFiles {
  private static final int GRID = 6;

  private DatabricksFiles() {}

  /** An alert over the rows that its query finds. */
  static ObjectNode alert(AlertList list, AlertList.Alert alert) {
    ObjectNode file = AlertList.JSON.createObjectNode();
    file.put("custom_summary", alert.name() + " ({{ALERT_STATUS}})");
    file.put(
        "custom_description",
        alert.description() + " See " + alert.runbook() + ".\n\n{{QUERY_RESULT_TABLE}}");
    ObjectNode evaluation = file.putObject("evaluation");
    String column = "found";
    evaluation
        .putObject("source")
        .put("name", column)
        .put("display", column)
        .put("aggregation", "SUM");
    evaluation.put("comparison_operator", "GREATER_THAN").put("empty_result_state", "OK");
    evaluation.putObject("threshold").putObject("value").put("double_value", 0.0);
    evaluation.putObject("notification").put("notify_on_ok", true).put("retrigger_seconds", 3600);
    file.putObject("schedule")
        .put("pause_status", "UNPAUSED")
        .put("quartz_cron_schedule", "0 0/5 * * * ?")
        .put("timezone_id", "UTC");
    query(list, alert).lines().forEach(file.putArray("query_lines")::add);
    return file;
  }

  /** The alert's query; if it is of single queries, it finds nothing during an outage. */
  static String query(AlertList list, AlertList.Alert alert) {
    String found = "SELECT 1 AS found, *\nFROM (\n" + rows(alert) + ")\n";
    return alert.scope().equals("query")
        ? found + "WHERE NOT EXISTS (\n" + rows(list.alert("TelemetryOutage")) + ")\n"
        : found;
  }

  private static String rows(AlertList.Alert alert) {
    return alert.query().orElseThrow().strip().indent(2);
  }

  static String bundle(AlertList list) {
    ObjectNode file = AlertList.YAML.createObjectNode();
    file.putObject("bundle").put("name", "streampulse");
    file.putArray("include").add("consumer.yml");
    String[] views = list.views().split("\\.", 2);
    ObjectNode variables = file.putObject("variables");
    variables
        .putObject("warehouse_id")
        .put("description", "The SQL warehouse that runs alerts and dashboard.");
    variable(variables, "catalog", "Of the tables and views; alerts read " + views[0], views[0]);
    variable(variables, "schema", "Of the tables and views; alerts read " + views[1], views[1]);
    variable(variables, "node_type", "Of the jobs' clusters.", "Standard_D4ds_v5");
    variable(variables, "pause_status", "Whether jobs run by themselves: UNPAUSED.", "PAUSED");
    variables
        .putObject("notify")
        .put(
            "description",
            "E-mail addresses that are told of a failure or a backlog of the consumer.")
        .put("type", "complex")
        .putArray("default");
    ObjectNode targets = file.putObject("targets");
    targets.putObject("dev").put("mode", "development").put("default", true);
    ObjectNode prod = targets.putObject("prod").put("mode", "production");
    prod.putObject("workspace")
        .put(
            "root_path",
            "/Workspace/Users/${workspace.current_user.userName}/.bundle/${bundle.name}/${bundle.target}");
    prod.putObject("variables").put("pause_status", "UNPAUSED");
    // Their queries name prod's views.
    ObjectNode resources = prod.putObject("resources");
    resources
        .putObject("dashboards")
        .putObject("streampulse_fleet")
        .put("display_name", "Streampulse fleet")
        .put("warehouse_id", "${var.warehouse_id}")
        .put("file_path", "./streampulse-fleet.lvdash.json");
    ObjectNode alerts = resources.putObject("alerts");
    for (AlertList.Alert alert : list.alerts()) {
      if (alert.query().isPresent()) {
        alerts
            .putObject("streampulse_" + alert.key())
            .put("display_name", "Streampulse: " + alert.name())
            .put("warehouse_id", "${var.warehouse_id}")
            .put("file_path", "./alerts/" + alert.key() + ".dbalert.json");
      }
    }
    return PrometheusFiles.yaml(file);
  }

  private static void variable(ObjectNode variables, String name, String what, String value) {
    variables.putObject(name).put("description", what).put("default", value);
  }

  static ObjectNode dashboard(AlertList list) {
    ObjectNode dashboard = AlertList.JSON.createObjectNode();
    ArrayNode datasets = dashboard.putArray("datasets");
    dataset(
        datasets,
        "query_status",
        "SELECT state, severity, queryName, applicationName, reason, stateSince, lagRecords,"
            + " lagSeconds, headroom, lastEventAt\nFROM %s.query_status\nORDER BY severity, queryName"
                .formatted(list.views()));
    dataset(
        datasets,
        "top_lag",
        "SELECT queryName, lagSeconds, lagRecords\nFROM %s.top_lag".formatted(list.views()));
    dataset(
        datasets,
        "lag_trend",
        "SELECT minute, queryName, lagRecords\nFROM %s.lag_trend".formatted(list.views()));
    dataset(
        datasets,
        "batch_duration_hourly",
        "SELECT hour, queryName, p95Ms\nFROM %s.batch_duration_hourly".formatted(list.views()));
    dataset(
        datasets,
        "phase_share",
        "SELECT queryName, phase, share\nFROM %s.phase_share".formatted(list.views()));
    dataset(
        datasets,
        "errors",
        "SELECT lastAt, errorClass, failures, queries, isNewToday, lastQueryName, lastMessage\nFROM %s.errors"
            .formatted(list.views()));
    dataset(
        datasets,
        "telemetry_health",
        "SELECT agentId, applicationName, host, agentVersion, lastHeardAt, closed, produced, inTable,"
            + " missing, droppedTotal, ingestDelaySeconds, quarantined\nFROM %s.telemetry_health"
                .formatted(list.views()));

    ObjectNode page = dashboard.putArray("pages").addObject();
    page.put("name", "fleet").put("displayName", "Fleet");
    ArrayNode layout = page.putArray("layout");
    counter(
        layout,
        "down",
        "query_status",
        "count_if(`state` IN ('FAILED', 'HUNG', 'SILENT'))",
        "Down",
        0);
    counter(layout, "queries", "query_status", "count(`state`)", "Queries", 2);
    counter(layout, "newest", "query_status", "max(`lastEventAt`)", "Newest event", 4);
    chart(layout, "states", "bar", "query_status", "Queries by state", 0, 3, 3)
        .x("state", "categorical")
        .y("queries", "count(`state`)")
        .color("state");
    chart(layout, "top-lag", "bar", "top_lag", "Top lag, seconds", 3, 3, 3)
        .x("queryName", "categorical")
        .y("lag", "max(`lagSeconds`)");
    table(
        layout,
        "status",
        "query_status",
        "State of every query",
        8,
        List.of(
            "state",
            "queryName",
            "applicationName",
            "reason",
            "stateSince",
            "lagRecords",
            "lagSeconds",
            "headroom"));
    chart(layout, "lag", "line", "lag_trend", "Lag, records", 0, 14, 6)
        .x("minute", "temporal")
        .y("lag", "max(`lagRecords`)")
        .color("queryName");
    chart(layout, "durations", "line", "batch_duration_hourly", "Micro-batch p95, ms", 0, 19, 3)
        .x("hour", "temporal")
        .y("p95", "max(`p95Ms`)")
        .color("queryName");
    chart(layout, "phases", "bar", "phase_share", "Share of the phases", 3, 19, 3)
        .x("queryName", "categorical")
        .y("of the micro-batch", "sum(`share`)")
        .color("phase");
    table(
        layout,
        "errors",
        "errors",
        "Errors",
        24,
        List.of(
            "lastAt",
            "errorClass",
            "failures",
            "queries",
            "isNewToday",
            "lastQueryName",
            "lastMessage"));
    table(
        layout,
        "telemetry",
        "telemetry_health",
        "Agents",
        30,
        List.of(
            "agentId",
            "applicationName",
            "host",
            "agentVersion",
            "lastHeardAt",
            "closed",
            "produced",
            "inTable",
            "missing",
            "droppedTotal",
            "ingestDelaySeconds",
            "quarantined"));
    return dashboard;
  }

  private static void dataset(ArrayNode datasets, String view, String query) {
    ObjectNode dataset = datasets.addObject().put("name", view).put("displayName", view);
    ArrayNode lines = dataset.putArray("queryLines");
    query.lines().forEach(line -> lines.add(line + "\n"));
  }

  private static void counter(
      ArrayNode layout, String name, String dataset, String expression, String title, int x) {
    ObjectNode widget = widget(layout, name, x, 0, 2, 3);
    ObjectNode query = query(widget, dataset, false);
    field(query, name, expression);
    ObjectNode spec = spec(widget, "counter", 2, title);
    spec.putObject("encodings").putObject("value").put("fieldName", name).put("displayName", title);
  }

  private static void table(
      ArrayNode layout, String name, String dataset, String title, int y, List<String> columns) {
    ObjectNode widget = widget(layout, name, 0, y, GRID, 6);
    ObjectNode query = query(widget, dataset, true);
    ArrayNode encodings =
        spec(widget, "table", 1, title).putObject("encodings").putArray("columns");
    for (String column : columns) {
      field(query, column, "`" + column + "`");
      encodings.addObject().put("fieldName", column).put("displayName", column);
    }
  }

  private static Chart chart(
      ArrayNode layout,
      String name,
      String type,
      String dataset,
      String title,
      int x,
      int y,
      int width) {
    ObjectNode widget = widget(layout, name, x, y, width, 5);
    ObjectNode query = query(widget, dataset, false);
    return new Chart(query, spec(widget, type, 3, title).putObject("encodings"));
  }

  /** A chart under construction. */
  private record Chart(ObjectNode query, ObjectNode encodings) {
    Chart x(String column, String scale) {
      field(query, column, "`" + column + "`");
      encode("x", column, scale);
      return this;
    }

    Chart y(String name, String expression) {
      field(query, name, expression);
      encode("y", name, "quantitative");
      return this;
    }

    void color(String column) {
      if (!encodings.path("x").path("fieldName").asText().equals(column)) {
        field(query, column, "`" + column + "`");
      }
      encode("color", column, "categorical");
    }

    private void encode(String channel, String field, String scale) {
      encodings
          .putObject(channel)
          .put("fieldName", field)
          .put("displayName", field)
          .putObject("scale")
          .put("type", scale);
    }
  }

  private static ObjectNode widget(
      ArrayNode layout, String name, int x, int y, int width, int height) {
    ObjectNode item = layout.addObject();
    ObjectNode widget = item.putObject("widget").put("name", name);
    item.putObject("position").put("x", x).put("y", y).put("width", width).put("height", height);
    return widget;
  }

  private static ObjectNode query(ObjectNode widget, String dataset, boolean rows) {
    ObjectNode query =
        widget.putArray("queries").addObject().put("name", "main_query").putObject("query");
    query.put("datasetName", dataset).put("disaggregated", rows);
    query.putArray("fields");
    return query;
  }

  private static void field(ObjectNode query, String name, String expression) {
    query.withArrayProperty("fields").addObject().put("name", name).put("expression", expression);
  }

  private static ObjectNode spec(ObjectNode widget, String type, int version, String title) {
    ObjectNode spec = widget.putObject("spec").put("version", version).put("widgetType", type);
    spec.putObject("frame").put("showTitle", true).put("title", title);
    return spec;
  }
}
