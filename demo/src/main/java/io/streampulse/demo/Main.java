package io.streampulse.demo;

import io.streampulse.config.Durations;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.TypeConversionException;

/**
 * {@code ./streampulse COMMAND}. Exit codes: 0 it did what it is for, 1 it did not, 2 the command
 * line is wrong.
 */
@Command(
    name = "streampulse",
    description = "Streampulse on this machine. Also: bench NAME, see ./streampulse bench --help.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {DemoCommand.class, CrashTestCommand.class})
public final class Main {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = "--verbose",
      scope = ScopeType.INHERIT,
      description = "Print the stack trace of a failure.")
  private boolean verbose;

  private Main() {}

  /** Runs a command and ends the JVM with its exit code. */
  public static void main(String... arguments) {
    Main main = new Main();
    CommandLine commandLine =
        new CommandLine(main).registerConverter(Duration.class, Main::duration);
    commandLine.setExecutionExceptionHandler(
        (failure, command, result) -> {
          command.getErr().println("streampulse: " + failure.getMessage());
          if (main.verbose) {
            failure.printStackTrace(command.getErr());
          }
          return CommandLine.ExitCode.SOFTWARE;
        });
    commandLine.setParameterExceptionHandler(
        (problem, given) -> {
          problem.getCommandLine().getErr().println("streampulse: " + problem.getMessage());
          return CommandLine.ExitCode.USAGE;
        });
    int exitCode = commandLine.execute(arguments);
    Ending.mainHasEnded();
    System.exit(exitCode);
  }

  private static Duration duration(String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'" + text + "' is " + e.getMessage() + ": write 90s or 5min");
    }
  }
}
