package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.matches;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * event-hubs.tf makes the topic of the settings, and logins with the rights they need. It is not
 * run.
 */
class TerraformTest {
  private static final String FILE =
      ProjectFiles.read(ProjectFiles.ROOT.resolve("deploy/azure/event-hubs.tf"));

  @Test
  void agentsMaySendAndTheConsumerMayListen() {
    assertThat(value("azurerm_eventhub_authorization_rule\" \"send", "send")).isEqualTo("true");
    assertThat(value("azurerm_eventhub_authorization_rule\" \"send", "listen")).isEqualTo("false");
    assertThat(value("azurerm_eventhub_authorization_rule\" \"listen", "send"))
        .isEqualTo("var.consumer_reports_itself");
    assertThat(value("azurerm_eventhub_authorization_rule\" \"listen", "listen")).isEqualTo("true");
    assertThat(matches("(?m)^ +manage +=(.*)$", FILE))
        .extracting(found -> found.group(1).strip())
        .containsExactly("false", "false");
  }

  @Test
  void theTopicIsThatOfTheSettings() {
    assertThat(ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/configuration.md")))
        .contains(
            "| `spark.streampulse.topic` | text | `%s` |"
                .formatted(value("topic", "default").replace("\"", "")));
  }

  @Test
  void whatItNamesIsDeclared() {
    Set<String> declared = new TreeSet<>();
    matches("(?m)^variable \"(\\w+)\"", FILE)
        .forEach(found -> declared.add("var." + found.group(1)));
    matches("(?m)^resource \"(\\w+)\" \"(\\w+)\"", FILE)
        .forEach(found -> declared.add(found.group(1) + "." + found.group(2)));
    matches("(?m)^data \"(\\w+)\" \"(\\w+)\"", FILE)
        .forEach(found -> declared.add("data." + found.group(1) + "." + found.group(2)));

    Set<String> named =
        matches("(?<=[= ])(var\\.\\w+|(?:data\\.)?azurerm_\\w+\\.\\w+)", FILE)
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(declared).containsAll(named);
    assertThat(named).hasSizeGreaterThan(7);
  }

  /** The value of a name in the block that begins so. */
  private static String value(String block, String name) {
    String text =
        matches("(?ms)^\\w+ \"" + Pattern.quote(block) + "\" \\{\n(.*?)^\\}", FILE)
            .findFirst()
            .orElseThrow()
            .group(1);
    return matches("(?m)^ +" + name + " += (.*)$", text).findFirst().orElseThrow().group(1);
  }
}
