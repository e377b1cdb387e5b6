package io.streampulse.consumer.command;

import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.fleet.FleetViews;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code health-consumer views}: the views over the health table. */
@Command(
    name = "views",
    description = "Creates or prints the views that say how the fleet is.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true)
public final class ViewsCommand {
  @Spec private CommandSpec spec;

  @Command(
      name = "install",
      description = {
        "Creates the views beside the health table, in the place of those that are there. The login"
            + " needs CREATE TABLE in the schema, and who asks the views SELECT on the tables."
      },
      mixinStandardHelpOptions = true)
  int install(@Mixin SparkSettings settings) {
    Operator operator = new Operator(spec);
    return operator.run(
        () -> {
          ConsumerTables tables = ConsumerTables.read(settings.all());
          return settings.inSession(
              "streampulse-views",
              spark -> {
                tables.open(spark);
                new FleetViews(tables.health(), tables.quarantine())
                    .install(spark, view -> operator.say("view " + view));
                return ExitCode.OK;
              });
        });
  }

  @Command(
      name = "print",
      description = {
        "Prints the statements that create the views, with your tables' names, to run them by other"
            + " means."
      },
      mixinStandardHelpOptions = true)
  int print(
      @Mixin SparkSettings settings,
      @Option(
              names = "--temporary",
              description = "As views of one session, for a catalog that can't hold views.")
          boolean temporary,
      @Parameters(
              paramLabel = "VIEW",
              arity = "0..*",
              description = "Only these; all when none is named.")
          List<String> only) {
    return new Operator(spec)
        .run(
            () -> {
              List<String> unknown = new ArrayList<>(only == null ? List.of() : only);
              unknown.removeAll(FleetViews.NAMES);
              if (!unknown.isEmpty()) {
                throw new ParameterException(
                    spec.commandLine(),
                    "There is no view %s; there are %s".formatted(unknown, FleetViews.NAMES));
              }
              ConsumerTables tables = ConsumerTables.read(settings.all());
              FleetViews views = new FleetViews(tables.health(), tables.quarantine());
              for (String view : FleetViews.NAMES) {
                if (only == null || only.isEmpty() || only.contains(view)) {
                  String statement =
                      temporary ? views.temporaryStatement(view) : views.statement(view);
                  spec.commandLine().getOut().println(statement.strip() + ";\n");
                }
              }
              spec.commandLine().getOut().flush();
              return ExitCode.OK;
            });
  }
}
