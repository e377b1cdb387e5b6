package io.streampulse.consumer.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ConfigDocs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The documentation lists the metrics as they are; run with -Dstreampulse.docs=write to mend it.
 */
class MetricsDocTest {
  private static final Path DOC = Path.of("../docs/metrics.md");

  @Test
  void documentationListsTheMetrics() throws IOException {
    String doc = Files.readString(DOC);
    String written = ConfigDocs.withText(doc, "metrics", table());
    if ("write".equals(System.getProperty("streampulse.docs"))) {
      Files.writeString(DOC, written);
    }

    assertThat(Files.readString(DOC)).isEqualTo(written);
  }

  private static String table() {
    return "| name | type | unit | labels | meaning |\n| --- | --- | --- | --- | --- |\n"
        + MetricCatalog.ALL.stream().map(MetricsDocTest::row).collect(Collectors.joining());
  }

  private static String row(Metric metric) {
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            metric.name(),
            metric.type().name().toLowerCase(Locale.ROOT),
            metric.unit(),
            metric.labels().stream()
                .map(label -> "`" + label + "`")
                .collect(Collectors.joining(", ")),
            metric.help());
  }
}
