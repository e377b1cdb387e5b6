package io.streampulse.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.config.ConfigReader;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegistryKeysTest {
  private static final String PREFIX = "spark.streampulse.schema-registry.";

  @Test
  void noUrlNoRegistry() {
    assertThat(read(Map.of())).isEmpty();
  }

  @Test
  void severalUrlsAndALogin() {
    RegistrySettings settings =
        read(Map.of(
                "url",
                "https://a:8081, https://b/path/",
                "basic-auth",
                "u:p",
                "retry-timeout",
                "0s"))
            .orElseThrow();
    assertThat(settings.urls())
        .containsExactly(URI.create("https://a:8081"), URI.create("https://b/path/"));
    assertThat(settings.basicAuth().value()).isEqualTo("u:p");
    assertThat(settings.retryTimeout()).isEqualTo(Duration.ZERO);
  }

  @Test
  void problemsAreNamedTogetherAndNoneShowsASecret() {
    assertThatThrownBy(
            () ->
                read(
                    Map.of(
                        "url", "ftp://registry",
                        "basic-auth", "hush",
                        "bearer-token", "hush-too",
                        "ca-file", "/nowhere/ca.pem",
                        "subject-name-strategy", "mine")))
        .hasMessageContaining(PREFIX + "url = \"ftp://registry\" is not a valid URL list")
        .hasMessageContaining(PREFIX + "basic-auth = \"***\" must be user:password")
        .hasMessageContaining(PREFIX + "ca-file = \"/nowhere/ca.pem\" can't be read")
        .hasMessageContaining(PREFIX + "subject-name-strategy = \"mine\"")
        .hasMessageNotContainingAny("hush");
    assertThatThrownBy(() -> read(Map.of("basic-auth", "u:p", "bearer-token", "t")))
        .hasMessageContaining("are both set");
    assertThatThrownBy(() -> read(Map.of("url", "https://me:pa#ss@host:8081")))
        .hasMessageContaining("url = \"***\" is not a valid URL list")
        .hasMessageNotContainingAny("pa#ss");
    assertThatThrownBy(() -> read(Map.of("url", "https://host/?token=x")))
        .hasMessageContaining("without a query");
    assertThatThrownBy(() -> read(Map.of("url", "https://host", "ca-file", "/dev/null")))
        .hasMessageContaining("holds no certificate in PEM");
    assertThatThrownBy(() -> read(Map.of("url", "https://me:secret@host")))
        .hasMessageContaining("holds a login: it belongs in " + PREFIX + "basic-auth")
        .hasMessageNotContainingAny("secret@");
  }

  private static Optional<RegistrySettings> read(Map<String, String> settings) {
    Map<String, String> conf = new HashMap<>();
    settings.forEach((name, value) -> conf.put(PREFIX + name, value));
    ConfigReader reader = new ConfigReader(conf);
    Optional<RegistrySettings> read = RegistryKeys.read(reader);
    reader.value(RegistryKeys.SUBJECT_NAME_STRATEGY);
    reader.throwIfProblems();
    return read;
  }
}
