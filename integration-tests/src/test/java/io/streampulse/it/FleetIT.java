package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.consumer.page.FleetJson;
import io.streampulse.consumer.table.HealthTable;
import io.streampulse.consumer.table.TableName;
import io.streampulse.testing.ChildJvm;
import io.streampulse.testing.HealthRows;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The commands that look at the fleet as users give them, over a Delta table. */
class FleetIT {
  private static final String HOSTILE = "<img src=x onerror=alert(1)>";
  private static final TableName TABLE = TableName.parse("spark_catalog.fleet_it.streaming_health");
  private static final TableName QUARANTINE =
      TableName.parse("spark_catalog.fleet_it.streaming_health_quarantine");
  private static final int SIGTERM = 143;
  private static final Map<String, String> STATES =
      new TreeMap<>(
          Map.of(
              "orders",
              "FAILED",
              "images",
              "FALLING_BEHIND",
              "nightly",
              "STOPPED",
              "rare",
              "IDLE",
              "clicks",
              "OK",
              HOSTILE,
              "OK"));

  private static Path folder;
  private static Map<String, String> conf;

  @BeforeAll
  static void writeTheTable() {
    folder = Environment.newFolder("fleet");
    // It has no topic: what looks at the table needs none.
    conf = Environment.consumerConf(Map.of(), "none", folder, TABLE.toString());
    SparkSession spark = Environment.spark();
    String location = folder.resolve("table").toString();
    HealthTable.health(TABLE).prepare(spark, Optional.of(location), Map.of());
    HealthTable.quarantine(QUARANTINE)
        .prepare(spark, Optional.of(HealthTable.quarantineLocation(location)), Map.of());
    spark
        .read()
        .schema(spark.table(TABLE.sql()).schema())
        .json(spark.createDataset(rows().json(), Encoders.STRING()))
        .write()
        .format("delta")
        .mode("append")
        .save(location);
  }

  /** Ten minutes from batch to batch: so all stays as it is for longer than the test takes. */
  private static HealthRows rows() {
    Instant now = Instant.now();
    Duration gap = Duration.ofMinutes(10);
    Instant begin = now.minus(Duration.ofHours(10));
    HealthRows rows = new HealthRows();
    rows.agent("shop")
        .run("orders", "1")
        .starts(begin)
        .batches(20, gap, now.minusSeconds(1200), batch -> {})
        .fails(now.minusSeconds(1000), "no currency");
    rows.agent("web").run("clicks", "2").starts(begin).batches(50, gap, now, batch -> {});
    rows.agent("media")
        .run("images", "3")
        .starts(begin)
        .batches(
            50,
            gap,
            now,
            batch -> {
              batch.streak = Math.max(0, 5 - batch.toEnd());
              batch.lag = 1000L * batch.streak;
            });
    rows.agent("reports")
        .run("nightly", "4")
        .starts(begin)
        .batches(20, gap, now.minusSeconds(1200), batch -> {})
        .stops(now.minusSeconds(1000));
    rows.agent("mail")
        .run("rare", "5")
        .starts(begin)
        .batches(49, gap, now.minus(gap), batch -> {})
        .idles(now);
    rows.agent("elsewhere").run(HOSTILE, "6").starts(begin).batches(50, gap, now, batch -> {});
    return rows;
  }

  @Test
  void commandsSayHowTheFleetIs() throws Exception {
    Path report = folder.resolve("fleet.html");
    Map<String, Map<String, String>> turns = new LinkedHashMap<>();
    turns.put("missing", command("status"));
    turns
        .get("missing")
        .put("spark.streampulse.consumer.table-location", folder.resolve("none").toString());
    turns.put("print", command("views", "print"));
    turns.put(
        "print-temporary",
        command(
            "views",
            "print",
            "--temporary",
            "run_totals",
            "query_runs",
            "query_baseline",
            "telemetry_health",
            "state_growth",
            "query_status"));
    turns.put("install", platform(command("views", "install")));
    turns.put("install-again", command("views", "install"));
    turns.put("select", sql("SELECT queryName, state FROM spark_catalog.fleet_it.query_status"));
    turns.put("status", command("status"));
    turns.put("json", command("status", "--json"));
    turns.put("report", command("report", "--out", report.toString()));
    Turns ran;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      turns.put("no-port", command("serve", "--port", String.valueOf(taken.getLocalPort())));
      ran = Turns.ofCommands(turns);
    }
    assertThat(ran.whole()).doesNotContainPattern("(?m)^\\s+at ");

    assertThat(ran.output("missing")).contains("missing: exit code 6");
    assertThat(lines(ran, "missing", CommandsInTurn.OUT)).isEmpty();
    assertThat(lines(ran, "missing", CommandsInTurn.ERR))
        .singleElement()
        .asString()
        .startsWith("health-consumer: ")
        .contains("spark_catalog.fleet_it.streaming_health");

    assertRunAsPrinted(ran, "print", 23);
    assertRunAsPrinted(ran, "print-temporary", 6);

    for (String install : List.of("install", "install-again")) {
      assertThat(ran.output(install)).contains(install + ": exit code 0");
      assertThat(lines(ran, install, CommandsInTurn.OUT))
          .hasSize(23)
          .contains("health-consumer: view spark_catalog.fleet_it.query_status");
    }
    Map<String, String> selected = new TreeMap<>();
    for (String row : lines(ran, "select", CommandsInTurn.OUT)) {
      JsonNode json = new ObjectMapper().readTree(row);
      selected.put(json.path("queryName").asText(), json.path("state").asText());
    }
    assertThat(selected).isEqualTo(STATES);

    assertThat(ran.output("status")).contains("status: exit code 3");
    assertIsAligned(lines(ran, "status", CommandsInTurn.OUT));
    assertThat(ran.output("json")).contains("json: exit code 3");
    String json = String.join("\n", lines(ran, "json", CommandsInTurn.OUT));
    assertThat(states(json)).isEqualTo(STATES);
    assertThat(new ObjectMapper().readTree(json).path("version").asInt())
        .as("the page's format")
        .isEqualTo(FleetJson.VERSION);

    assertThat(ran.output("report")).contains("report: exit code 0");
    assertThat(Files.readString(report))
        .contains("\\u003cimg src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)>")
        .doesNotContain(HOSTILE)
        .doesNotContain("<script src=", "rel=\"stylesheet\"")
        .doesNotContainPattern("(?i)(src|href)\\s*=\\s*[\"']?https?:");

    assertThat(ran.output("no-port")).contains("no-port: exit code 2");
    assertThat(lines(ran, "no-port", CommandsInTurn.ERR))
        .singleElement()
        .asString()
        .matches("health-consumer: can't serve at 127.0.0.1:\\d+: Address already in use");
  }

  @Test
  void serveShowsTheFleetUntilSigterm() throws Exception {
    try (ChildJvm serve =
        Environment.submitConsumer("serve", conf, "serve", "--port", "0", "--refresh", "5")) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> serve.output().contains("health-consumer: ready") || !serve.isAlive());
      Matcher address =
          Pattern.compile("the fleet is at (http://127\\.0\\.0\\.1:\\d+/)").matcher(serve.output());
      assertThat(address.find()).as(serve.output()).isTrue();
      URI page = URI.create(address.group(1));

      assertThat(get(page, "")).startsWith("<!doctype html>");
      assertThat(states(get(page, "api/fleet.json"))).isEqualTo(STATES);
      for (String query : STATES.keySet()) {
        String id = URLEncoder.encode(query, StandardCharsets.UTF_8).replace("+", "%20");
        JsonNode detail = new ObjectMapper().readTree(get(page, "api/query/" + id + ".json"));
        assertThat(detail.path("queryId").asText()).isEqualTo(query);
        assertThat(detail.path("series").path("t")).isNotEmpty();
      }
      assertThat(get(page, "metrics").lines())
          .filteredOn(line -> line.startsWith("streampulse_query_status{"))
          .filteredOn(line -> line.contains("\"orders\"") && line.matches(".* 1(\\.0)?"))
          .singleElement()
          .asString()
          .contains("status=\"FAILED\"");
      assertThat(get(page, "healthz")).isEqualTo("ok\n");

      serve.terminate();
      assertThat(serve.awaitExit(Duration.ofSeconds(15))).as(serve.output()).isEqualTo(SIGTERM);
      assertThat(serve.output())
          .doesNotContainPattern("(?m)^\\s+at ")
          .doesNotContain("Exception")
          .doesNotContainPattern("ShutdownHook .* failed");
    }
  }

  /** Runs the statements, each by itself; Spark looks up all that a view reads as it makes it. */
  private static void assertRunAsPrinted(Turns ran, String turn, int views) {
    String statements = String.join("\n", lines(ran, turn, CommandsInTurn.OUT));
    String[] all = statements.split("(?m);$", -1);
    assertThat(all).hasSize(views + 1);
    assertThat(all[views]).isBlank();
    SparkSession spark = Environment.spark().newSession();
    Stream.of(all).limit(views).forEach(spark::sql);
  }

  private static void assertIsAligned(List<String> lines) {
    assertThat(lines.get(0)).startsWith(TABLE + ", newest row ");
    assertThat(lines.get(1))
        .isEqualTo("6 queries: 1 FAILED, 1 FALLING_BEHIND, 1 STOPPED, 1 IDLE, 2 OK");
    assertThat(lines.get(2)).isEmpty();
    assertThat(lines.get(3)).startsWith("STATE           QUERY").endsWith("  WHY");
    assertThat(lines.get(4)).startsWith("FAILED          orders").endsWith("ended: no currency");
    assertThat(lines.get(5)).startsWith("FALLING_BEHIND  images");
    assertThat(lines).hasSize(10);
    int why = lines.get(3).indexOf("WHY");
    assertThat(lines.subList(4, 10)).allMatch(line -> line.substring(why - 2, why).isBlank());
  }

  private static Map<String, String> states(String json) throws IOException {
    Map<String, String> states = new TreeMap<>();
    for (JsonNode query : new ObjectMapper().readTree(json).path("queries")) {
      states.put(query.path("queryName").asText(), query.path("state").asText());
    }
    return states;
  }

  private static String get(URI page, String path) throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(page.resolve(path)).build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(path + ": " + answer.body()).isEqualTo(200);
    return answer.body();
  }

  private static List<String> lines(Turns ran, String turn, String prefix) {
    return ran.output(turn)
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .toList();
  }

  private static Map<String, String> command(String... command) {
    Map<String, String> turn = new TreeMap<>(conf);
    turn.put(CommandsInTurn.COMMAND, String.join("\n", command));
    return turn;
  }

  private static Map<String, String> sql(String statement) {
    return Map.of(CommandsInTurn.SQL, statement);
  }

  /** With a Spark session that is there before, and stays. */
  private static Map<String, String> platform(Map<String, String> turn) {
    turn.put(CommandsInTurn.PLATFORM, "true");
    turn.put("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension");
    turn.put("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog");
    return turn;
  }
}
