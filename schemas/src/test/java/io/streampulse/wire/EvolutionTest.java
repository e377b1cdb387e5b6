package io.streampulse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.wire.ReleasedSchemas.Release;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every released schema reads every other, and controls that show what the rules catch. */
class EvolutionTest {
  private static final String V1 = ReleasedSchemas.all().get(0).schema().toString();

  @Test
  void allReleasedVersionsKeepTheRules() {
    assertThat(EvolutionRules.broken(ReleasedSchemas.all().stream().map(Release::schema).toList()))
        .as("broken rules of evolution; docs/wire-format.md says how to add a field")
        .isEmpty();
  }

  @Test
  void aNullableFieldAMapAnArrayAndAnEnumSymbolMayBeAdded() {
    String newer =
        V1.replace(
                "{\"name\":\"truncated\"",
                """
                {"name":"note","type":["null","string"],"default":null},
                {"name":"counts","type":{"type":"map","values":"long"},"default":{}},
                {"name":"parts","type":{"type":"array","items":{"type":"record","name":"Part",
                  "fields":[{"name":"x","type":"long"}]}},"default":[]},
                {"name":"truncated\"""")
            .replace("\"AGENT_STOPPED\"]", "\"AGENT_STOPPED\",\"PAUSED\"]")
            .replace(
                "{\"name\":\"backlog\"",
                "{\"name\":\"age\",\"type\":[\"null\",\"long\"],\"default\":null},{\"name\":\"backlog\"");
    assertThat(broken(newer)).isEmpty();
  }

  @ParameterizedTest(name = "{0}: {1} -> {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "no-removal: the field host|\"name\":\"host\"|\"name\":\"driverHost\"",
        "no-removal: the field sources[].backlog|\"name\":\"backlog\"|\"name\":\"behind\"",
        "no-retype: sequence was long and is int|\"name\":\"sequence\",\"type\":\"long\"|\"name\":\"sequence\",\"type\":\"int\"",
        "no-retype: fallingBehindStreak was int and is long|\"name\":\"fallingBehindStreak\",\"type\":[\"null\",\"int\"]|\"name\":\"fallingBehindStreak\",\"type\":[\"null\",\"long\"]",
        "no-retype: agentId was string and is union|\"name\":\"agentId\",\"type\":\"string\"|\"name\":\"agentId\",\"type\":[\"null\",\"string\"]",
        "no-retype: eventTime was long/timestamp-millis and is long/timestamp-micros|timestamp-millis\"},\"doc\":\"When it|timestamp-micros\"},\"doc\":\"When it",
        "new-is-optional: the new field note|{\"name\":\"truncated\"|{\"name\":\"note\",\"type\":\"string\"},{\"name\":\"truncated\"",
        "new-is-optional: the new field note|{\"name\":\"truncated\"|{\"name\":\"note\",\"type\":[\"string\",\"null\"],\"default\":\"x\"},{\"name\":\"truncated\"",
        "enum-default: the enum at eventType has no default|,\"default\":\"UNKNOWN\"|,\"was\":\"UNKNOWN\"",
        "enum-default: a symbol of eventType is gone|\"IDLE\",|",
        "new-is-optional: the new field note|{\"name\":\"truncated\"|{\"name\":\"note\",\"type\":{\"type\":\"array\",\"items\":\"string\"},\"default\":[\"x\"]},{\"name\":\"truncated\"",
        "enum-default: the default of eventType has changed|\"default\":\"UNKNOWN\"|\"default\":\"IDLE\"",
        "no-retype: eventType was io.streampulse.schema.EventType and is io.streampulse.schema.Kind|\"name\":\"EventType\"|\"name\":\"Kind\"",
        "no-retype:  was io.streampulse.schema.HealthRecord and is other.HealthRecord|\"namespace\":\"io.streampulse.schema\"|\"namespace\":\"other\"",
        "is-a-column: the name of HOST is another column's|{\"name\":\"truncated\"|{\"name\":\"HOST\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"truncated\"",
        "is-a-column: the name of kafka is another column's|{\"name\":\"truncated\"|{\"name\":\"kafka\",\"type\":[\"null\",\"string\"],\"default\":null},{\"name\":\"truncated\"",
        "is-a-column: the table has no type for note: bytes|{\"name\":\"truncated\"|{\"name\":\"note\",\"type\":[\"null\",\"bytes\"],\"default\":null},{\"name\":\"truncated\"",
        "full-transitive: an older reader, a newer writer: NAME_MISMATCH|\"name\":\"SourceProgress\"|\"name\":\"Source\"",
      })
  void aChangeThatBreaksARuleIsCaughtAndTheRuleNamed(String rule, String old, String now) {
    String newer = V1.replace(old, now == null ? "" : now);
    assertThat(newer).isNotEqualTo(V1);
    assertThat(broken(newer)).anyMatch(broken -> broken.startsWith(rule));
  }

  private static List<String> broken(String newer) {
    return EvolutionRules.broken(
        List.of(new Schema.Parser().parse(V1), new Schema.Parser().parse(newer)));
  }
}
