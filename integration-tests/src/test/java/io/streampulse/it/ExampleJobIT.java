package io.streampulse.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.streampulse.testing.ChildJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The first command of a user with a job of their own, as getting-started.md has it. */
@Tag("spark-matrix")
class ExampleJobIT {
  private static final String CHECKPOINTS = "/tmp/checkpoints";

  @Test
  void itsRecordsAreInTheDriversLog() throws Exception {
    Path python = SparkMatrixIT.pySpark().toAbsolutePath();
    Path folder = Environment.newFolder("example-job");
    List<String> command = new ArrayList<>(documented());
    assertThat(command).startsWith("spark-submit").endsWith(CHECKPOINTS);
    command.set(0, python.resolve("bin/spark-submit").toString());
    command.set(command.size() - 1, folder.resolve("checkpoints").toString());
    command.addAll(1, List.of("--master", "local[2]", "--conf", "spark.ui.enabled=false"));
    // From the project's root, to which the command's paths belong.
    command.addAll(
        0, List.of("env", "-u", "SPARK_HOME", "-C", ProjectFiles.ROOT.toAbsolutePath().toString()));

    try (ChildJvm job =
        ChildJvm.startCommand(
            "example-job",
            folder.resolve("output.log"),
            command,
            Map.of(
                "JAVA_HOME", System.getProperty("java.home"),
                "PYSPARK_PYTHON", python.resolve("bin/python").toString()))) {
      await()
          .atMost(Duration.ofMinutes(2))
          .until(
              () ->
                  !job.isAlive()
                      || List.of("events-as-they-come", "events-by-window").stream()
                          .allMatch(query -> hasProgress(job.output(), query)));
      assertThat(job.isAlive()).as(job.output()).isTrue();
    }
  }

  private static boolean hasProgress(String output, String query) {
    return output
        .lines()
        .anyMatch(line -> line.contains("\"PROGRESS\"") && line.contains("\"" + query + "\""));
  }

  /** The words of the page's command. */
  private static List<String> documented() {
    String page = ProjectFiles.read(ProjectFiles.ROOT.resolve("docs/getting-started.md"));
    String command =
        ProjectFiles.matches("(?m)^(spark-submit (?:.*\\\\\n)*.*)$", page)
            .findFirst()
            .orElseThrow()
            .group(1);
    return List.of(command.replace("\\\n", " ").strip().split("\\s+"));
  }
}
