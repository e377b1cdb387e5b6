package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.assertIsThere;
import static io.streampulse.it.ProjectFiles.matches;
import static io.streampulse.it.ProjectFiles.read;
import static io.streampulse.it.ProjectFiles.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.testing.SettingsFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The manifests for the Spark operator speak of settings, classes and versions that are there. They
 * are not applied: that takes a cluster.
 */
@SuppressWarnings("unchecked")
class KubernetesTest {
  private static final Path FOLDER = ProjectFiles.ROOT.resolve("deploy/kubernetes");
  private static final Map<String, Object> CONSUMER = spec("health-consumer.yaml");
  private static final Map<String, Object> AGENT = spec("agent-fragment.yaml");

  @Test
  void theConsumersSettingsAreAccepted(@TempDir Path secret) throws Exception {
    Files.writeString(secret.resolve("password"), "secret");
    Files.writeString(secret.resolve("authority.pem"), "PEM");
    Map<String, String> conf = SettingsFile.read(FOLDER.resolve("consumer.properties"));
    conf.replaceAll((name, value) -> value.replace("/etc/streampulse", secret.toString()));

    ConsumerConfig config = ConsumerConfig.read(conf);

    assertThat(config.kafka().asMap()).containsEntry("security.protocol", "SASL_SSL");
    assertThat(conf).containsKey("spark.sql.catalog.main");
  }

  @Test
  void theConsumerIsWhatTheProjectBuilds() {
    assertThat(CONSUMER).containsEntry("sparkVersion", ProjectFiles.property("spark.version"));
    assertThat((String) CONSUMER.get("image")).endsWith(":" + ProjectFiles.projectVersion());
    assertThat((List<String>) CONSUMER.get("arguments"))
        .containsExactly("run", "--properties-file", "/etc/streampulse/consumer.properties");
    assertIsThere((String) CONSUMER.get("mainClass"));
    Map<String, String> conf = (Map<String, String>) CONSUMER.get("sparkConf");
    assertIsThere(conf.get("spark.sql.extensions"));
    assertIsThere(conf.get("spark.sql.catalog.spark_catalog"));
    String dockerfile = read(ProjectFiles.ROOT.resolve("deploy/compose/spark.Dockerfile"));
    assertThat(dockerfile)
        .contains(" " + local((String) CONSUMER.get("mainApplicationFile")))
        .contains(" " + local(jar(CONSUMER)))
        .contains(" " + local(jar(AGENT)));
  }

  @Test
  void pageAndMaintenanceRunCommandsOfTheSameImage() {
    List<String> arguments = new ArrayList<>();
    for (Map<String, Object> object : yaml(read(FOLDER.resolve("fleet.yaml")))) {
      assertThat((Map<String, Object>) object.get("metadata"))
          .containsEntry("namespace", "streampulse");
      matches("args=\\[(.*?)\\](?=, (?:ports|resources)=)", object.toString())
          .forEach(found -> arguments.add(found.group(1)));
      matches("image=([^,}]*)", object.toString())
          .forEach(found -> assertThat(found.group(1)).isEqualTo(CONSUMER.get("image")));
    }

    String consumer =
        "--class, %s, %s, "
            .formatted(
                CONSUMER.get("mainClass"), local((String) CONSUMER.get("mainApplicationFile")));
    String settings = "--properties-file, /etc/streampulse/consumer.properties";
    assertThat(arguments)
        .satisfiesExactly(
            serve ->
                assertThat(serve)
                    .endsWith(consumer + "serve, " + settings + ", --host, 0.0.0.0, --port, 8080"),
            maintain -> assertThat(maintain).endsWith(consumer + "maintain, " + settings));
  }

  @Test
  void theAgentsSettingsAreDocumented() {
    Map<String, String> conf = (Map<String, String>) AGENT.get("sparkConf");

    assertThat(conf.keySet()).anyMatch(name -> name.startsWith("spark.streampulse.sasl."));
    assertThat(ProjectFiles.undocumented(conf.keySet())).isEmpty();
    assertIsThere(conf.get("spark.sql.streaming.streamingQueryListeners"));
  }

  private static Map<String, Object> spec(String file) {
    return (Map<String, Object>) yaml(read(FOLDER.resolve(file))).get(0).get("spec");
  }

  private static String jar(Map<String, Object> spec) {
    return ((Map<String, List<String>>) spec.get("deps")).get("jars").get(0);
  }

  private static String local(String uri) {
    assertThat(uri).startsWith("local://");
    return uri.substring("local://".length());
  }
}
