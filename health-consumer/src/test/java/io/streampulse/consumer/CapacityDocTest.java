package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.testing.ConfigDocs;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The worked example is what the command prints; run with -Dstreampulse.docs=write to mend it. */
class CapacityDocTest {
  private static final Path DOC = Path.of("../docs/capacity.md");
  private static final Path SETTINGS = Path.of("../docs/configuration.md");
  private static final String COMMAND = "health-consumer capacity --queries 10000 --trigger 1s";

  @Test
  void theExampleIsWhatTheCommandPrints() throws IOException {
    String doc = Files.readString(DOC);
    String written =
        ConfigDocs.withText(doc, "capacity", "```\n$ " + COMMAND + "\n" + printed() + "```\n");
    if ("write".equals(System.getProperty("streampulse.docs"))) {
      Files.writeString(DOC, written);
    }

    assertThat(Files.readString(DOC)).isEqualTo(written);
  }

  @ParameterizedTest
  @CsvSource({
    "--heartbeat, agent.heartbeat-interval",
    "--flush-interval, agent.flush-interval",
    "--consumer-trigger, consumer.trigger"
  })
  void theCommandsDefaultsAreThoseOfTheSettings(String option, String key) throws IOException {
    String value =
        Main.commandLine()
            .getSubcommands()
            .get("capacity")
            .getCommandSpec()
            .findOption(option)
            .defaultValue();

    assertThat(Files.readString(SETTINGS).lines())
        .anyMatch(
            line ->
                line.matches(
                    "\\| `spark\\.streampulse\\.%s` \\| \\w+ \\| `%s` \\|.*"
                        .formatted(key, value)));
  }

  @Test
  void theLimitsArePassedWhereTheTableSays() throws IOException {
    Pattern row = Pattern.compile("\\| ([\\d,]+) \\| `([^`]+)` \\|.*");
    List<MatchResult> limits =
        Files.readString(DOC).lines().flatMap(line -> row.matcher(line).results()).toList();
    assertThat(limits).hasSize(6);
    for (MatchResult limit : limits) {
      long queries = Long.parseLong(limit.group(1).replace(",", ""));
      assertThat(warnings(queries * 95 / 100)).as(limit.group()).doesNotContain(limit.group(2));
      assertThat(warnings(queries * 105 / 100)).as(limit.group()).contains(limit.group(2));
    }
  }

  private static String warnings(long queries) throws IOException {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine().setOut(new PrintWriter(out, true));
    assertThat(
            commandLine.execute(
                "capacity", "--queries", String.valueOf(queries), "--trigger", "1s", "--json"))
        .isZero();
    return new ObjectMapper().readTree(out.toString()).path("warnings").toString();
  }

  private static String printed() {
    StringWriter out = new StringWriter();
    CommandLine commandLine = Main.commandLine().setOut(new PrintWriter(out, true));
    String[] arguments = COMMAND.substring(COMMAND.indexOf(' ') + 1).split(" ", -1);
    assertThat(commandLine.execute(arguments)).isZero();
    return out.toString().lines().map(line -> line + "\n").reduce("", String::concat);
  }
}
