package io.streampulse.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.config.ConfigKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigDocsTest {
  @Test
  void documentsAKeyInOneRow() {
    assertThat(
            ConfigDocs.table(
                List.of(
                    ConfigKey.duration("spark.streampulse.interval")
                        .withDefault("10s")
                        .check("must be at least 1s", d -> d.toSeconds() >= 1)
                        .doc("How often."),
                    ConfigKey.string("spark.streampulse.place").mustBeGiven().doc("Where."))))
        .contains(
            "| `spark.streampulse.interval` | duration | `10s` | How often. (must be at least 1s) |\n")
        .contains("| `spark.streampulse.place` | text | required | Where. |\n");
  }

  @Test
  void refusesADocumentWithoutThePlace() {
    assertThat(ConfigDocs.withText("<!-- x:begin -->old<!-- x:end -->", "x", "new\n"))
        .isEqualTo("<!-- x:begin -->\n\nnew\n\n<!-- x:end -->");
    assertThatThrownBy(() -> ConfigDocs.withText("<!-- x:begin -->", "x", "new\n"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
