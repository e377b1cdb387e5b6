package io.streampulse.consumer.command;

import io.streampulse.config.ConfigException;
import io.streampulse.connection.KafkaSettings;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The person at the command line: hears one line for each problem, and gets an exit code. */
final class Operator {
  private static final Logger LOG = LoggerFactory.getLogger(Operator.class);
  private static final String PREFIX = "health-consumer: ";

  private final CommandSpec spec;
  private volatile UnaryOperator<String> blot = UnaryOperator.identity();
  private volatile String topic = "";

  Operator(CommandSpec spec) {
    this.spec = spec;
  }

  /**
   * Says the warnings about settings, and from now on blots secrets out of all that is said: what
   * failed may quote its settings.
   *
   * @param ofTopic the topic that failures are about
   */
  void warn(String ofTopic, KafkaSettings secrets, List<String> warnings) {
    topic = ofTopic;
    blot = secrets::blotted;
    warnings.forEach(warning -> complain("warning: " + warning));
  }

  /** Runs a command; what it throws becomes a line and the exit code of its kind. */
  int run(Callable<Integer> command) {
    return run(false, command);
  }

  /** Runs a command; with {@code verbose} the line is followed by the stack trace. */
  int run(boolean verbose, Callable<Integer> command) {
    try {
      return command.call();
    } catch (ConfigException e) {
      e.problems().forEach(this::complain);
      return ExitCode.USAGE;
    } catch (ParameterException e) {
      throw e; // picocli says what is wrong with the command line
    } catch (Exception e) {
      Failure failure =
          e instanceof ConsumerFailedException failed ? failed.failure() : Failure.of(e, topic);
      complain(failure.message());
      LOG.debug("The command failed", e);
      if (verbose) {
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace));
        spec.commandLine().getErr().println(blot.apply(trace.toString()));
      }
      return failure.kind().exitCode();
    }
  }

  void say(String line) {
    print(spec.commandLine().getOut(), line);
  }

  void complain(String problem) {
    print(spec.commandLine().getErr(), problem);
  }

  private void print(PrintWriter writer, String line) {
    writer.println(PREFIX + blot.apply(line));
    writer.flush();
  }
}
