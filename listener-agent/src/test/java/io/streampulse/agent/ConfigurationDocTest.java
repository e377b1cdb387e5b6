package io.streampulse.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.testing.ConfigDocs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The reference lists the settings as they are; run with -Dstreampulse.docs=write to mend it. */
class ConfigurationDocTest {
  private static final Path DOC = Path.of("../docs/configuration.md");

  @Test
  void referenceListsTheAgentsSettings() throws IOException {
    String doc = Files.readString(DOC);
    String written = ConfigDocs.withTable(doc, "agent", AgentKeys.ALL);
    if ("write".equals(System.getProperty("streampulse.docs"))) {
      Files.writeString(DOC, written);
    }

    assertThat(Files.readString(DOC)).isEqualTo(written);
  }
}
