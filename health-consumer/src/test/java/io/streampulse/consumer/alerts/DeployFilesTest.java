package io.streampulse.consumer.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.QuerySignal;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.metrics.Metric;
import io.streampulse.consumer.metrics.MetricCatalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.junit.jupiter.api.Test;

/**
 * The files below deploy are those that the list of alerts gives, and speak of nothing that is not
 * there; run with -Dstreampulse.docs=write to mend them.
 */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("../deploy");
  private static final AlertList LIST = AlertList.read();
  private static final Map<String, String> FILES = files();

  private static final Pattern METRIC =
      Pattern.compile("([a-z_:]*streampulse_[a-z0-9_:]*)(?:\\{([^}]*)\\})?");

  private static final Pattern MATCHER =
      Pattern.compile("([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");
  private static final Pattern GROUPING = Pattern.compile("(?:by|on) \\(([^)]*)\\)");
  private static final Pattern NAMED =
      Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?([a-z_]+)\\s*\\}\\}");

  @Test
  void filesAreThoseOfTheList() throws IOException {
    if ("write".equals(System.getProperty("streampulse.docs"))) {
      for (Map.Entry<String, String> file : FILES.entrySet()) {
        Path path = DEPLOY.resolve(file.getKey());
        Files.createDirectories(path.getParent());
        Files.writeString(path, file.getValue());
      }
    }

    for (Map.Entry<String, String> file : FILES.entrySet()) {
      assertThat(DEPLOY.resolve(file.getKey())).hasContent(file.getValue());
    }
    try (Stream<Path> alerts = Files.list(DEPLOY.resolve("databricks/alerts"))) {
      assertThat(alerts.map(path -> "databricks/alerts/" + path.getFileName()))
          .allSatisfy(path -> assertThat(FILES).containsKey(path));
    }
  }

  @Test
  void filesAreJsonAndYaml() throws IOException {
    for (Map.Entry<String, String> file : FILES.entrySet()) {
      JsonNode read =
          (file.getKey().endsWith(".json") ? AlertList.JSON : AlertList.YAML)
              .readTree(file.getValue());
      assertThat(read.isObject()).as(file.getKey()).isTrue();
      assertThat(file.getValue()).as(file.getKey()).doesNotContain("${lag", "${error", "${views");
    }
  }

  @Test
  void everyAlertIsWholeAndHasItsRunbook() throws IOException {
    String operations = Files.readString(Path.of("../docs/operations.md"));
    for (AlertList.Alert alert : LIST.alerts()) {
      assertThat(alert.severity()).as(alert.name()).isIn("critical", "warning");
      assertThat(alert.scope()).as(alert.name()).isIn("query", "telemetry");
      assertThat(alert.pending()).as(alert.name()).matches("[0-9]+m");
      assertThat(alert.summary()).as(alert.name()).isNotBlank();
      assertThat(alert.description()).as(alert.name()).isNotBlank();
      assertThat(operations).contains("\n### " + alert.name() + "\n");
    }
    assertThat(LIST.alerts()).extracting(AlertList.Alert::name).doesNotHaveDuplicates();
    List<String> documented =
        Pattern.compile("\n### ([A-Za-z]+)\n")
            .matcher(operations.substring(operations.indexOf("\n## Alerts\n")))
            .results()
            .map(match -> match.group(1))
            .toList();
    assertThat(LIST.alerts())
        .extracting(AlertList.Alert::name)
        .containsExactlyElementsOf(documented);
  }

  @Test
  void expressionsUseMetricsAndLabelsThatAreThere() {
    Map<String, Set<String>> known = new HashMap<>();
    for (Metric metric : MetricCatalog.ALL) {
      known.put(metric.name(), new HashSet<>(metric.labels()));
    }
    for (AlertList.Rule rule : LIST.records()) {
      known.put(rule.record(), Set.of("query_id", "query_name", "application"));
    }

    for (AlertList.Rule rule : LIST.records()) {
      checkExpression(rule.expr(), known);
    }
    for (AlertList.Alert alert : LIST.alerts()) {
      Set<String> labels = checkExpression(alert.expr(), known);
      assertThat(labels).containsAll(named(alert.summary() + alert.description()));
    }
    for (JsonNode panel : GrafanaDashboard.of(LIST).path("panels")) {
      for (JsonNode target : panel.path("targets")) {
        String expression = target.path("expr").asText();
        if (!expression.contains("ALERTS{")) {
          Set<String> labels = checkExpression(expression, known);
          assertThat(labels).containsAll(named(target.path("legendFormat").asText()));
        }
      }
    }
    for (JsonNode variable : GrafanaDashboard.of(LIST).at("/templating/list")) {
      String definition = variable.path("definition").asText();
      if (!definition.isEmpty()) {
        Set<String> labels = checkExpression(definition, known);
        assertThat(labels).contains(definition.replaceAll(".*, |\\)", ""));
      }
    }
  }

  @Test
  void queriesUseColumnsThatAreThere() {
    for (AlertList.Alert alert : LIST.alerts()) {
      alert.query().ifPresent(sql -> checkSql(DatabricksFiles.query(LIST, alert)));
    }
    ObjectNode dashboard = DatabricksFiles.dashboard(LIST);
    Map<String, Set<String>> selected = new HashMap<>();
    for (JsonNode dataset : dashboard.path("datasets")) {
      String sql = text(dataset.path("queryLines"));
      checkSql(sql);
      selected.put(
          dataset.path("name").asText(),
          words(sql.substring("SELECT ".length(), sql.indexOf("\nFROM")).replace(",", "")));
    }
    for (JsonNode item : dashboard.at("/pages/0/layout")) {
      JsonNode query = item.at("/widget/queries/0/query");
      Set<String> fields = new HashSet<>();
      for (JsonNode field : query.path("fields")) {
        fields.add(field.path("name").asText());
        String expression = field.path("expression").asText();
        assertThat(CatalystSqlParser$.MODULE$.parseExpression(expression)).isNotNull();
        Pattern.compile("`([^`]+)`")
            .matcher(expression)
            .results()
            .forEach(
                column ->
                    assertThat(selected.get(query.path("datasetName").asText()))
                        .contains(column.group(1)));
      }
      item.at("/widget/spec/encodings")
          .findValuesAsText("fieldName")
          .forEach(field -> assertThat(fields).contains(field));
    }
  }

  @Test
  void widgetsDoNotOverlap() {
    Set<String> taken = new HashSet<>();
    for (JsonNode item : DatabricksFiles.dashboard(LIST).at("/pages/0/layout")) {
      JsonNode at = item.path("position");
      take(taken, at.path("x"), at.path("y"), at.path("width"), at.path("height"), 6);
    }
    taken.clear();
    for (JsonNode panel : GrafanaDashboard.of(LIST).path("panels")) {
      JsonNode at = panel.path("gridPos");
      take(taken, at.path("x"), at.path("y"), at.path("w"), at.path("h"), 24);
    }
  }

  private static void take(
      Set<String> taken, JsonNode x, JsonNode y, JsonNode width, JsonNode height, int grid) {
    assertThat(x.asInt() + width.asInt()).isLessThanOrEqualTo(grid);
    for (int column = x.asInt(); column < x.asInt() + width.asInt(); column++) {
      for (int row = y.asInt(); row < y.asInt() + height.asInt(); row++) {
        assertThat(taken.add(column + " " + row)).isTrue();
      }
    }
  }

  /** The labels that the series of an expression may have. */
  private static Set<String> checkExpression(String expression, Map<String, Set<String>> known) {
    Set<String> labels = new TreeSet<>(Set.of("job", "instance"));
    Matcher metric = METRIC.matcher(expression);
    assertThat(metric.find()).as(expression).isTrue();
    metric
        .reset()
        .results()
        .forEach(
            match -> {
              assertThat(known).as(expression).containsKey(match.group(1));
              labels.addAll(known.get(match.group(1)));
              if (match.group(2) != null) {
                checkMatchers(match.group(2), known.get(match.group(1)));
              }
            });
    GROUPING
        .matcher(expression)
        .results()
        .forEach(match -> assertThat(labels).containsAll(words(match.group(1).replace(",", ""))));
    return labels;
  }

  private static void checkMatchers(String matchers, Set<String> labels) {
    for (MatchResult matcher : MATCHER.matcher(matchers).results().toList()) {
      assertThat(labels).contains(matcher.group(1));
      Set<String> values =
          Arrays.stream(matcher.group(3).split("\\|", -1)).collect(Collectors.toSet());
      switch (matcher.group(1)) {
        case "status" -> assertThat(names(QueryState.values())).containsAll(values);
        case "signal" -> assertThat(names(QuerySignal.values())).containsAll(values);
        default -> {}
      }
    }
  }

  /** Its columns are checked where there are views to ask: by the test of those. */
  private static void checkSql(String sql) {
    assertThat(CatalystSqlParser$.MODULE$.parsePlan(sql)).isNotNull();
    List<String> literals = new ArrayList<>();
    for (MatchResult literal : Pattern.compile("'([^']*)'").matcher(sql).results().toList()) {
      literals.add(literal.group(1));
    }
    Set<String> values = new HashSet<>(names(QueryState.values()));
    values.addAll(names(QuerySignal.values()));
    assertThat(values).as(sql).containsAll(literals);
  }

  private static Map<String, String> files() {
    Map<String, String> files = new TreeMap<>();
    files.put("prometheus/streampulse-alerts.yaml", PrometheusFiles.rules(LIST));
    files.put("prometheus/alertmanager-inhibit.yaml", PrometheusFiles.inhibition());
    files.put("grafana/streampulse-fleet.json", json(GrafanaDashboard.of(LIST)));
    files.put("databricks/databricks.yml", DatabricksFiles.bundle(LIST));
    files.put("databricks/streampulse-fleet.lvdash.json", json(DatabricksFiles.dashboard(LIST)));
    for (AlertList.Alert alert : LIST.alerts()) {
      if (alert.query().isPresent()) {
        files.put(
            "databricks/alerts/" + alert.key() + ".dbalert.json",
            json(DatabricksFiles.alert(LIST, alert)));
      }
    }
    return files;
  }

  private static String json(JsonNode tree) {
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(
            Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator(""));
    DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
    printer.indentObjectsWith(indenter);
    printer.indentArraysWith(indenter);
    try {
      return AlertList.JSON.writer(printer).writeValueAsString(tree) + "\n";
    } catch (JsonProcessingException e) {
      return fail(e);
    }
  }

  private static Set<String> named(String template) {
    return NAMED
        .matcher(template)
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toSet());
  }

  private static String text(JsonNode lines) {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(line.asText()));
    return text.toString();
  }

  private static Set<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).collect(Collectors.toSet());
  }

  private static Set<String> words(String text) {
    return Set.of(text.trim().split("\\s+", -1));
  }
}
