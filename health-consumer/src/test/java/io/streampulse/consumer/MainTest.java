package io.streampulse.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class MainTest {
  private final StringWriter err = new StringWriter();
  private final StringWriter out = new StringWriter();
  private final CommandLine commandLine =
      Main.commandLine().setErr(new PrintWriter(err, true)).setOut(new PrintWriter(out, true));

  @Test
  void saysAllThatIsWrongWithTheSettingsAndExitsWith2() {
    int exitCode = commandLine.execute("run", "--conf", "spark.streampulse.consumer.trigger=often");

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString().lines())
        .hasSize(3)
        .allMatch(line -> line.startsWith("health-consumer: spark.streampulse."))
        .anyMatch(line -> line.contains("checkpoint is required"))
        .anyMatch(line -> line.contains("bootstrap.servers is required"))
        .anyMatch(line -> line.contains("trigger = \"often\" is not a valid trigger"));
  }

  @Test
  void confBeatsThePropertiesFile(@TempDir Path folder) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("c.properties"),
            """
            spark.streampulse.kafka.bootstrap.servers  b:9093
            spark.streampulse.kafka.security.protocol  SSL
            spark.streampulse.consumer.checkpoint=/c
            spark.streampulse.consumer.trigger: never
            """);

    int exitCode =
        commandLine.execute(
            "run",
            "--properties-file",
            file.toString(),
            "--conf",
            "spark.streampulse.consumer.trigger=always");

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString().lines()).singleElement().asString().contains("trigger = \"always\"");
  }

  @Test
  void namesThePropertiesFileThatIsNotThere() {
    assertThat(commandLine.execute("run", "--properties-file", "/not/there")).isEqualTo(2);
    assertThat(err.toString()).contains("--properties-file /not/there can't be read");
  }

  @Test
  void asksForAMasterWhereNothingSubmittedIt() {
    int exitCode =
        commandLine.execute(
            "run",
            "--conf",
            "spark.streampulse.kafka.bootstrap.servers=b:9093",
            "--conf",
            "spark.streampulse.kafka.security.protocol=SSL",
            "--conf",
            "spark.streampulse.consumer.checkpoint=/c");

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains("spark.master is required: run by spark-submit");
  }

  @Test
  void namesTheViewsThereAre() {
    assertThat(commandLine.execute("views", "print", "nothing")).isEqualTo(2);
    assertThat(err.toString()).contains("There is no view [nothing]; there are [run_totals,");
  }

  @Test
  void namesTheFolderThatIsNotThere() {
    assertThat(commandLine.execute("report", "--out", "/not/there/fleet.html")).isEqualTo(2);
    assertThat(err.toString().lines())
        .singleElement()
        .isEqualTo(
            "health-consumer: --out /not/there/fleet.html can't be written: there is no folder"
                + " /not/there");
  }

  @Test
  void explainsItself() {
    assertThat(commandLine.execute("--help")).isZero();
    assertThat(out.toString()).contains("run");
    assertThat(commandLine.execute("--version")).isZero();
    assertThat(commandLine.execute("walk")).isEqualTo(2);
  }
}
