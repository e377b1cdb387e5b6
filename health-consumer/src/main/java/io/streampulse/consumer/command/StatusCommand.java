package io.streampulse.consumer.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryState;
import io.streampulse.consumer.page.FleetJson;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code health-consumer status}: the fleet in the terminal, for people and for cron. */
@Command(
    name = "status",
    description = "Prints the state of every query, most urgent first.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is FAILED, HUNG or SILENT",
      "1:the table can't be read just now",
      "2:the command line or a setting is wrong",
      "3:something is FAILED, HUNG or SILENT, or no agent is heard at all",
      "4:the catalog refuses the login",
      "6:the table is not there"
    },
    mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
  static final int DOWN = 3;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CLEAR_SCREEN = "\u001b[H\u001b[2J";

  @Mixin private FleetSource source;

  @Option(names = "--json", description = "Print JSON: one object, with --watch one a line.")
  private boolean json;

  @Option(names = "--watch", description = "Print again and again until it is stopped.")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "With --watch: pause between two looks (default: ${DEFAULT-VALUE}).")
  private int intervalSeconds;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (intervalSeconds < 1) {
      throw new ParameterException(
          spec.commandLine(), "--interval %d must be at least 1".formatted(intervalSeconds));
    }
    Operator operator = new Operator(spec);
    return operator.run(() -> source.look("streampulse-status", reader -> look(reader, operator)));
  }

  private int look(FleetReader reader, Operator operator) throws Exception {
    if (!watch) {
      FleetSnapshot fleet = reader.read();
      print(fleet);
      return exitCode(fleet);
    }
    while (true) {
      try {
        print(reader.read());
      } catch (Exception e) { // Spark throws checked ones that it does not declare
        Failure failure = Failure.of(e, "");
        if (!failure.kind().isRestarted()) {
          throw e;
        }
        operator.complain(failure.message());
      }
      TimeUnit.SECONDS.sleep(intervalSeconds);
    }
  }

  static int exitCode(FleetSnapshot fleet) {
    boolean isDown =
        fleet.queries().stream().anyMatch(query -> QueryState.DOWN.contains(query.state()));
    return isDown || fleet.outage().isPresent() ? DOWN : ExitCode.OK;
  }

  private void print(FleetSnapshot fleet) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(json(fleet));
    } else {
      if (watch) {
        out.print(CLEAR_SCREEN);
      }
      StatusTable.lines(fleet).forEach(out::println);
    }
    out.flush();
  }

  private String json(FleetSnapshot fleet) {
    ObjectNode object = FleetJson.of(fleet, Map.of());
    try {
      return watch
          ? JSON.writeValueAsString(object)
          : JSON.writerWithDefaultPrettyPrinter().writeValueAsString(object);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't write JSON", e);
    }
  }
}
