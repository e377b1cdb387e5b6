package io.streampulse.consumer;

import io.streampulse.consumer.command.CapacityCommand;
import io.streampulse.consumer.command.CheckpointCommand;
import io.streampulse.consumer.command.DecodeCommand;
import io.streampulse.consumer.command.MaintainCommand;
import io.streampulse.consumer.command.ReportCommand;
import io.streampulse.consumer.command.RunCommand;
import io.streampulse.consumer.command.ServeCommand;
import io.streampulse.consumer.command.StatusCommand;
import io.streampulse.consumer.command.ViewsCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The consumer's command line. Its exit codes are those of {@code run --help}. */
@Command(
    name = "health-consumer",
    description =
        "Reads Streampulse health records from Kafka and appends them to the health table.",
    mixinStandardHelpOptions = true,
    versionProvider = ConsumerVersion.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      RunCommand.class,
      CheckpointCommand.class,
      MaintainCommand.class,
      DecodeCommand.class,
      ViewsCommand.class,
      StatusCommand.class,
      ServeCommand.class,
      ReportCommand.class,
      CapacityCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs a command and, where it fails, ends the JVM with its exit code. */
  public static void main(String... arguments) {
    int exitCode = commandLine().execute(arguments);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new Main());
  }
}
