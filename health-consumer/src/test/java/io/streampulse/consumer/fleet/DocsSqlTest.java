package io.streampulse.consumer.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.testing.HealthRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The statements of the documents run over the table and the views. */
class DocsSqlTest {
  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```sql\n(.*?)^```");

  @Test
  void run() throws IOException {
    HealthRows rows = new HealthRows();
    rows.agent("shop")
        .run("orders", "1")
        .starts(NOW.minusSeconds(600))
        .batches(50, Duration.ofSeconds(10), NOW.minusSeconds(10), batch -> {});
    List<String> statements = new ArrayList<>();
    try (ViewFixture fixture = ViewFixture.of(rows, NOW)) {
      for (String statement : statements()) {
        assertThat(fixture.rows(overTheFixture(statement))).as(statement).isNotEmpty();
        statements.add(statement);
      }
      // A control: a column that is not there.
      assertThatThrownBy(() -> fixture.rows("SELECT cookie FROM query_status"))
          .hasMessageContaining("cookie");
    }
    assertThat(statements).hasSizeGreaterThanOrEqualTo(3);
  }

  private static String overTheFixture(String statement) {
    return statement
        .replace("main.streaming_monitoring.streaming_health", "spark_catalog.fleet.health")
        .replace("main.streaming_monitoring.", "");
  }

  private static List<String> statements() throws IOException {
    List<String> statements = new ArrayList<>();
    for (Path document : documents()) {
      BLOCK
          .matcher(Files.readString(document))
          .results()
          .flatMap(block -> Stream.of(block.group(1).split(";\\s*\n", -1)))
          .filter(statement -> statement.contains("SELECT"))
          .forEach(statements::add);
    }
    return statements;
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("../docs"))) {
      return Stream.concat(Stream.of(Path.of("../README.md")), files)
          .filter(file -> file.toString().endsWith(".md"))
          .toList();
    }
  }
}
