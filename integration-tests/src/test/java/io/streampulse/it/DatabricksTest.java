package io.streampulse.it;

import static io.streampulse.it.ProjectFiles.matches;
import static io.streampulse.it.ProjectFiles.read;
import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.ConsumerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bundle's jobs and the init script speak of what is there. No workspace runs them here. */
@SuppressWarnings("unchecked")
class DatabricksTest {
  private static final Path FOLDER = ProjectFiles.ROOT.resolve("deploy/databricks");
  private static final String TEXT = read(FOLDER.resolve("consumer.yml"));
  private static final Map<String, Object> BUNDLE =
      ProjectFiles.yaml(read(FOLDER.resolve("databricks.yml"))).get(0);

  @Test
  void theConsumersSettingsAreAccepted() {
    Map<String, Object> cluster =
        ((List<Map<String, Map<String, Object>>>) job("health_consumer").get("job_clusters"))
            .get(0)
            .get("new_cluster");
    Map<String, String> conf = new HashMap<>((Map<String, String>) cluster.get("spark_conf"));
    conf.replaceAll(
        (name, value) ->
            value.contains("secrets/")
                ? "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=listen;"
                    + "SharedAccessKey=a2V5;EntityPath=streaming-health"
                : withDefaults(value));

    ConsumerConfig config = ConsumerConfig.read(conf);
    ProjectFiles.assertIsThere(conf.get("spark.sql.streaming.streamingQueryListeners"));

    assertThat(config.table().sql()).contains("main").contains("streaming_monitoring");
    assertThat(config.checkpoint())
        .isEqualTo("/Volumes/main/streaming_monitoring/streampulse/checkpoints/health-consumer");
  }

  @Test
  void jobsRunWhatTheProjectBuilds() {
    for (String name : List.of("health_consumer", "install_views", "maintain")) {
      Map<String, Object> task = ((List<Map<String, Object>>) job(name).get("tasks")).get(0);
      Map<String, Object> jar = (Map<String, Object>) task.get("spark_jar_task");
      ProjectFiles.assertIsThere((String) jar.get("main_class_name"));
      assertThat(task.get("libraries").toString())
          .contains("/streampulse-health-consumer-" + ProjectFiles.projectVersion() + ".jar");
    }
    assertThat(TEXT).contains("/install-agent.sh");
  }

  @Test
  void everyVariableIsDeclared() {
    Map<String, Object> declared = (Map<String, Object>) BUNDLE.get("variables");

    assertThat(matches("\\$\\{var\\.(\\w+)\\}", TEXT))
        .extracting(found -> found.group(1))
        .isNotEmpty()
        .allMatch(declared::containsKey);
    assertThat((List<String>) BUNDLE.get("include")).containsExactly("consumer.yml");
    Map<String, Object> targets = (Map<String, Object>) BUNDLE.get("targets");
    assertThat(targets).containsOnlyKeys("dev", "prod");
    // What names prod's views is not deployed to dev.
    assertThat(BUNDLE).doesNotContainKey("resources");
    assertThat((Map<String, Object>) ((Map<String, Object>) targets.get("prod")).get("resources"))
        .containsOnlyKeys("alerts", "dashboards");
  }

  @Test
  void historyAndCheckpointOutliveTheBundle() {
    Map<String, Map<String, Map<String, Object>>> resources =
        (Map<String, Map<String, Map<String, Object>>>)
            ProjectFiles.yaml(TEXT).get(0).get("resources");
    for (String kind : List.of("schemas", "volumes")) {
      assertThat(resources.get(kind).values())
          .isNotEmpty()
          .allSatisfy(
              resource ->
                  assertThat(resource).containsEntry("lifecycle", Map.of("prevent_destroy", true)));
    }
  }

  @Test
  void theInitScriptCopiesTheNewestJarOrFails(@TempDir Path folder) throws Exception {
    Path jars = Files.createDirectory(folder.resolve("jars"));
    Path classPath = Files.createDirectory(folder.resolve("class-path"));

    assertThat(install(jars, classPath, 1))
        .contains("there is no streampulse-listener-agent-*.jar");
    Files.writeString(jars.resolve("streampulse-listener-agent-0.9.0.jar"), "jar");
    assertThat(install(jars, classPath, 0)).contains("is on the driver's class path");
    assertThat(classPath.resolve("streampulse-listener-agent-0.9.0.jar")).hasContent("jar");
    Files.writeString(jars.resolve("streampulse-listener-agent-0.10.0.jar"), "jar");
    assertThat(install(jars, classPath, 0)).contains("streampulse-listener-agent-0.10.0.jar is on");
  }

  private static String install(Path jars, Path classPath, int exitCode) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", FOLDER.resolve("install-agent.sh").toString());
    builder.environment().put("STREAMPULSE_JARS", jars.toString());
    builder.environment().put("STREAMPULSE_CLASS_PATH", classPath.toString());
    return Script.run(builder, exitCode);
  }

  private static Map<String, Object> job(String name) {
    Map<String, Object> resources =
        (Map<String, Object>) ProjectFiles.yaml(TEXT).get(0).get("resources");
    return ((Map<String, Map<String, Object>>) resources.get("jobs")).get(name);
  }

  private static String withDefaults(String text) {
    String resolved =
        text.replace("${resources.schemas.streaming_monitoring.name}", "${var.schema}");
    Map<String, Map<String, String>> variables =
        (Map<String, Map<String, String>>) BUNDLE.get("variables");
    for (MatchResult found : matches("\\$\\{var\\.(\\w+)\\}", resolved).toList()) {
      resolved = resolved.replace(found.group(), variables.get(found.group(1)).get("default"));
    }
    return resolved;
  }
}
