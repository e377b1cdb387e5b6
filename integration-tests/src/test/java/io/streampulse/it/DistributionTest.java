package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.streampulse.consumer.ConsumerConfig;
import io.streampulse.testing.SettingsFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The consumer's distribution: what its script gives spark-submit, here one that prints it. */
class DistributionTest {
  @TempDir private Path folder;
  private Distribution distribution;

  @BeforeEach
  void unpacked() throws Exception {
    distribution = Distribution.unpack(folder);
    Distribution.executable(
        folder.resolve("spark/bin/spark-submit"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
  }

  @Test
  void submitsTheJarWithWhatSparkLacks() throws Exception {
    assertThat(run(0, Map.of(), "status", "--json").lines())
        .containsExactly(
            "--packages",
            "org.apache.spark:spark-sql-kafka-0-10_2.13:%s,io.delta:delta-spark_4.2_2.13:%s"
                .formatted(
                    ProjectFiles.property("spark.version"), ProjectFiles.property("delta.version")),
            "--class",
            "io.streampulse.consumer.Main",
            folder.toRealPath().resolve(folder.relativize(distribution.jar())).toString(),
            "status",
            "--json");
  }

  @Test
  void takesOptionsForSparkSubmitAndNoPackages() throws Exception {
    assertThat(
            run(
                    0,
                    Map.of(
                        "STREAMPULSE_PACKAGES", "",
                        "SPARK_SUBMIT_OPTIONS", "--master local[2] --jars agent.jar"),
                    "run")
                .lines())
        .startsWith("--master", "local[2]", "--jars", "agent.jar", "--class")
        .endsWith("run");
  }

  @Test
  void saysThatThereIsNoSpark() throws Exception {
    assertThat(run(2, Map.of("SPARK_HOME", folder.resolve("none").toString()), "run"))
        .isEqualTo(
            "health-consumer: no spark-submit found: set SPARK_HOME to a Spark %s\n"
                .formatted(ProjectFiles.property("spark.version")));
  }

  @Test
  void theSettingsToBeginWithAreAccepted() throws Exception {
    Map<String, String> conf =
        SettingsFile.read(Distribution.SOURCES.resolve("conf/health.properties"));
    conf.replaceAll((name, value) -> value.replace("${env:STREAMPULSE_PASSWORD}", "secret"));

    assertThat(ConsumerConfig.read(conf).kafka().asMap())
        .containsEntry("security.protocol", "SASL_SSL");
  }

  private String run(int exitCode, Map<String, String> environment, String... arguments)
      throws Exception {
    ProcessBuilder builder = new ProcessBuilder(distribution.script().toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("SPARK_HOME", folder.resolve("spark").toString());
    builder.environment().putAll(environment);
    return Script.run(builder, exitCode);
  }
}
