package io.streampulse.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigReaderTest {
  private static final ConfigKey<Duration> INTERVAL =
      ConfigKey.duration("spark.streampulse.interval")
          .withDefault("10s")
          .check("must be at least 1s", d -> d.toSeconds() >= 1)
          .doc("How often.");
  private static final ConfigKey<String> PLACE =
      ConfigKey.string("spark.streampulse.place").mustBeGiven().doc("Where.");
  private static final ConfigKey<Long> LIMIT =
      ConfigKey.longInteger("spark.streampulse.limit").doc("How many.");

  private final Map<String, String> conf = new HashMap<>();

  @Test
  void takesDefaultsWhereNothingIsGiven() {
    ConfigReader reader = reader();

    assertThat(reader.value(INTERVAL)).isEqualTo(Duration.ofSeconds(10));
    assertThat(reader.find(LIMIT)).isEmpty();
    reader.throwIfProblems();
  }

  @Test
  void reportsAllProblemsTogether() {
    conf.put("spark.streampulse.interval", "soon");
    conf.put("spark.streampulse.limit", "many");
    ConfigReader reader = reader();

    assertThat(reader.value(INTERVAL)).isEqualTo(Duration.ofSeconds(10));
    assertThat(reader.value(PLACE)).isNull();
    assertThat(reader.find(LIMIT)).isEmpty();
    assertThatThrownBy(reader::throwIfProblems)
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.problems())
                    .containsExactly(
                        "spark.streampulse.interval = \"soon\" is not a valid duration: write 500ms,"
                            + " 10s, 2min or 1h",
                        "spark.streampulse.place is required: Where.",
                        "spark.streampulse.limit = \"many\" is not a valid integer: write a whole"
                            + " number"));
  }

  @Test
  void saysTheRuleThatAValueBreaks() {
    conf.put("spark.streampulse.interval", "10ms");
    ConfigReader reader = reader();
    reader.value(INTERVAL);

    assertThatThrownBy(reader::throwIfProblems)
        .hasMessage("spark.streampulse.interval = \"10ms\" must be at least 1s");
  }

  @Test
  void refusesASecretThatDatabricksHasNotPutThere() {
    conf.put("spark.streampulse.kafka.ssl.key.password", "x{{secrets/scope/key}}");
    ConfigReader reader = reader();
    reader.below("spark.streampulse.kafka.");

    assertThatThrownBy(reader::throwIfProblems)
        .hasMessageContaining("spark.streampulse.kafka.ssl.key.password still holds {{secrets/")
        .hasMessageContaining("whole value");
  }

  @Test
  void findsUnknownSettingsAndSuggestsTheNearest() {
    conf.put("spark.streampulse.intervall", "1s");
    conf.put("spark.streampulse.other.side", "1s");
    conf.put("spark.streampulse.kafka.anything", "1");
    conf.put("spark.app.name", "x");

    assertThat(reader().unknown(List.of(INTERVAL, PLACE), List.of("spark.streampulse.other.")))
        .containsExactly(
            "spark.streampulse.intervall is not a setting; did you mean"
                + " spark.streampulse.interval?");
  }

  @Test
  void resolvesReferencesToEnvironmentAndFiles(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("secret"), "from $file\n");
    conf.put("spark.streampulse.place", "${env:HOME_TOWN} and ${file:" + file + "}");
    ConfigReader reader = reader();

    assertThat(reader.value(PLACE)).isEqualTo("town and from $file");
    reader.throwIfProblems();
  }

  @Test
  void namesTheReferenceThatCanNotBeResolvedAndNoValue() {
    conf.put("spark.streampulse.place", "secret ${env:NOT_SET}");
    conf.put("spark.streampulse.limit", "${file:/not/there}");
    ConfigReader reader = reader();
    reader.value(PLACE);
    reader.find(LIMIT);

    assertThatThrownBy(reader::throwIfProblems)
        .hasMessageContaining(
            "spark.streampulse.place: the environment variable NOT_SET is not set")
        .hasMessageContaining("spark.streampulse.limit: the file /not/there can't be read")
        .hasMessageNotContaining("secret");
  }

  private ConfigReader reader() {
    return new ConfigReader(
        conf, new ValueReferences(name -> name.equals("HOME_TOWN") ? "town" : null));
  }
}
