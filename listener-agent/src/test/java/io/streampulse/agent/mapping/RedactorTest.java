package io.streampulse.agent.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {
  private final Redactor redactor = Redactor.of(Map.of());

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password=\"HUNTER2\" more",
        "password = HUNTER2, next",
        "ssl.truststore.password: HUNTER2",
        "PlainLoginModule required username=\"u\" password=\"HUNTER2\";",
        "password=\"HUNTER2 whose quote was cut off",
        "Endpoint=sb://ns/;SharedAccessKeyName=n;SharedAccessKey=HUNTER2=;EntityPath=x",
        "DefaultEndpointsProtocol=https;AccountKey=HUNTER2==;",
        "fs.azure.account.key.x.dfs.core.windows.net=HUNTER2",
        "Authorization: Bearer HUNTER2HUNTER2.abc",
        "Authorization: Basic HUNTER2HUNTER2=",
        "jdbc:postgresql://user:HUNTER2@host:5432/db",
        "https://x.blob.core.windows.net/c?sv=1&sig=HUNTER2%3D&se=2",
        "{\"client_secret\": \"HUNTER2\"}",
        "aws_secret_access_key=HUNTER2",
        "api-key: 'HUNTER2'",
        "username=\"u\" password=\"a\\\"HUNTER2\";",
        "password=\"HUNTER2\\",
        "redis://:HUNTER2@host:6379"
      })
  void takesTheSecretOut(String text) {
    assertThat(redactor.text(text)).doesNotContain("HUNTER2").contains("***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.spark.SparkException: Job aborted due to stage failure",
        "KafkaV2[Subscribe[orders]]",
        "Table or view not found: passengers",
        "jdbc:postgresql://host:5432/db"
      })
  void leavesOtherTextsAlone(String text) {
    assertThat(redactor.text(text)).isEqualTo(text);
  }

  @Test
  void appliesSparksPatternsToo() {
    Redactor custom =
        Redactor.of(
            Map.of(
                "spark.redaction.string.regex", "ssn-\\d+",
                "spark.redaction.regex", "(?i)owner"));

    assertThat(custom.text("of ssn-123")).isEqualTo("of ***");
    assertThat(custom.labels(Map.of("owner", "me", "team", "data", "note", "password=x")))
        .isEqualTo(Map.of("owner", "***", "team", "data", "note", "password=***"));
  }

  @Test
  void livesWithAPatternThatCanNotBeRead() {
    assertThat(Redactor.of(Map.of("spark.redaction.string.regex", "(")).text("a")).isEqualTo("a");
  }

  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void isNotHeldUpByHostileText() {
    assertThat(redactor.text("password".repeat(8_000))).isNotNull();
    assertThat(redactor.text("://a".repeat(16_000))).isNotNull();
    assertThat(redactor.text("=\"".repeat(32_000))).isNotNull();
    assertThat(redactor.text("a.".repeat(32_000))).isNotNull();
    assertThat(redactor.text("password=\"" + "\\a".repeat(32_000))).isNotNull();
  }
}
