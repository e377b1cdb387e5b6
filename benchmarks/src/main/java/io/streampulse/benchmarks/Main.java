package io.streampulse.benchmarks;

import io.streampulse.config.Durations;
import java.time.Duration;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** {@code ./streampulse bench NAME}. */
@Command(
    name = "bench",
    description = "Measures Streampulse on this machine.",
    synopsisSubcommandLabel = "NAME",
    subcommands = {
      CallbackCommand.class,
      MappingCommand.class,
      WireCommand.class,
      HeapCommand.class,
      PublishCommand.class,
      StartupCommand.class,
      JobCommand.class,
      SoakCommand.class,
      FleetSoakCommand.class,
      GuardCommand.class,
      FleetCommand.class,
      AsyncCommand.class,
      CatchUpCommand.class,
      StorageCommand.class,
      LatencyCommand.class
    })
public final class Main {
  static final String WRITE = "--write";

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Show this help and exit.")
  @SuppressWarnings("UnusedVariable") // picocli acts on it
  private boolean help;

  @Option(
      names = WRITE,
      scope = ScopeType.INHERIT,
      description = "Put the report into docs/performance.md as well.")
  private boolean written;

  private Main() {}

  boolean isWritten() {
    return written;
  }

  /** Runs a benchmark and ends the JVM with its exit code. */
  public static void main(String... arguments) {
    Runtime.getRuntime().addShutdownHook(new Thread(Main::killChildren, "kill-children"));
    System.exit(
        new CommandLine(new Main())
            .registerConverter(Duration.class, Durations::parse)
            .execute(arguments));
  }

  /** Those of a benchmark that is stopped: they ignore Ctrl-C and would run on. */
  private static void killChildren() {
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }
}
