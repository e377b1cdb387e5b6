package io.streampulse.consumer.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import scala.Option;

class CapacityCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine capacity =
      new CommandLine(new CapacityCommand())
          .setOut(new PrintWriter(out, true))
          .setErr(new PrintWriter(err, true));

  @Test
  void printsAlignedFiguresWithTheirRules() {
    assertThat(capacity.execute("--queries", "100", "--trigger", "1s")).as(err.toString()).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.get(0)).isEqualTo("100 queries, a batch of each every 1s, in 25 applications");
    assertThat(lines)
        .contains("Topic", "Event Hubs, Standard tier", "Consumer", "Table", "A look at the fleet")
        .anyMatch(line -> line.matches("  records +100 /s +one for each query and trigger, .*"))
        .anyMatch(line -> line.matches("  throughput units +1 TU +1 MB/s or 1,000 events/s in.*"))
        .anyMatch(line -> line.matches("  ingress +0\\.104 MB/s +990 B a record, .*"));
    List<String> rows = lines.stream().filter(line -> line.startsWith("  ")).toList();
    int rule = rows.get(0).indexOf("one for each query");
    assertThat(rows).allMatch(row -> row.substring(rule - 2, rule).isBlank());
    assertThat(rows).allMatch(row -> row.charAt(rule) != ' ');
    assertThat(out.toString()).doesNotContain("Limits passed");
  }

  @Test
  void limitsThatArePassedStandAtTheEndAndAreNoFailure() {
    assertThat(capacity.execute("--queries", "50000", "--trigger", "1s")).isZero();
    List<String> lines = out.toString().lines().toList();
    assertThat(lines.subList(lines.indexOf("Limits passed"), lines.size()))
        .hasSizeGreaterThan(2)
        .allMatch(line -> line.length() <= 100)
        .anyMatch(line -> line.startsWith("  - 53 throughput units are over the 40 of one Event"));
  }

  @Test
  void jsonHasTheLoadTheFiguresAndTheWarnings() throws Exception {
    assertThat(
            capacity.execute(
                "--queries",
                "1000",
                "--queries-per-application",
                "10",
                "--trigger",
                "1s",
                "--json"))
        .isZero();
    JsonNode json = new ObjectMapper().readTree(out.toString());
    assertThat(json.path("load").path("agents").asLong()).isEqualTo(100);
    assertThat(json.path("load").path("trigger").asText()).isEqualTo("1s");
    JsonNode records = json.path("figures").path("recordsPerSecond");
    assertThat(records.path("value").asDouble()).isEqualTo(1_000);
    assertThat(records.path("unit").asText()).isEqualTo("/s");
    assertThat(records.path("rule").asText()).isNotBlank();
    assertThat(json.path("figures").path("catchUpSeconds").path("unit").asText()).isEqualTo("s");
    assertThat(json.path("warnings").isArray()).isTrue();
  }

  @Test
  void saysAllThatIsWrongAtOnce() {
    assertThat(
            capacity.execute(
                "--queries",
                "0",
                "--agents",
                "3",
                "--queries-per-application",
                "4",
                "--trigger",
                "0s",
                "--topic-retention",
                "0"))
        .isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "health-consumer: --queries 0 must be from 1 to 100000000",
            "health-consumer: --agents and --queries-per-application say the same: leave one out",
            "health-consumer: --topic-retention 0 must be from 1 to 36500",
            "health-consumer: --trigger must be from 1ms to 365d: for a query without a trigger of"
                + " its own, say how long its batches take");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void namesTheOptionThatCanNotBeRead() {
    assertThat(capacity.execute()).isEqualTo(2);
    assertThat(err.toString()).contains("Missing required option: '--queries=N'");
    assertThat(capacity.execute("--queries", "10", "--trigger", "often")).isEqualTo(2);
    assertThat(err.toString()).contains("'--trigger'", "'often' is not a duration: write 10min");
    assertThat(capacity.execute("--queries", "10", "--agents", "11")).isEqualTo(2);
    assertThat(err.toString()).contains("--agents 11 must be from 1 to the number of --queries");
  }

  @Test
  void startsNoSpark() {
    Option<SparkSession> before = SparkSession.getDefaultSession();
    assertThat(capacity.execute("--queries", "10")).isZero();
    assertThat(SparkSession.getDefaultSession()).isEqualTo(before);
  }
}
