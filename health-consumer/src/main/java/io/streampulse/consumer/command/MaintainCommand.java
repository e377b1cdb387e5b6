package io.streampulse.consumer.command;

import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.table.TableMaintenance;
import io.streampulse.consumer.table.TableMaintenance.Outcome;
import io.streampulse.consumer.table.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code health-consumer maintain}: fewer, larger files, and no rows older than wanted. */
@Command(
    name = "maintain",
    description = {
      "Puts both tables in order: deletes rows that are older than --retain-days, if given, then"
          + " OPTIMIZE and VACUUM. May run beside the consumer. What the catalog does not allow is"
          + " skipped with its reason."
    },
    mixinStandardHelpOptions = true)
public final class MaintainCommand implements Callable<Integer> {
  /** Of these the views compare what agents sent with what is there. */
  private static final int LEAST_DAYS = 7;

  @Mixin private SparkSettings settings;

  @Option(
      names = "--retain-days",
      paramLabel = "DAYS",
      description =
          "Delete rows that were appended longer ago, 7 days at least; when not given, all are"
              + " kept.")
  private Integer retainDays;

  @Option(names = "--no-optimize", description = "Don't run OPTIMIZE.")
  private boolean noOptimize;

  @Option(names = "--no-vacuum", description = "Don't run VACUUM.")
  private boolean noVacuum;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (retainDays != null && retainDays < LEAST_DAYS) {
      throw new ParameterException(
          spec.commandLine(),
          "--retain-days %d must be at least %d: the views count the records of so many days, and would call those lost that were deleted"
              .formatted(retainDays, LEAST_DAYS));
    }
    return new Operator(spec)
        .run(
            () -> {
              ConsumerTables tables = ConsumerTables.read(settings.all());
              return settings.inSession(
                  "streampulse-maintain", spark -> maintain(spark, tables.open(spark)));
            });
  }

  private int maintain(SparkSession spark, List<TableName> tables) {
    boolean failed = false;
    for (TableName table : tables) {
      TableMaintenance maintenance = new TableMaintenance(spark, table);
      List<Work> works = new ArrayList<>();
      if (retainDays != null) {
        works.add(new Work("DELETE", () -> maintenance.deleteOlderThan(retainDays)));
      }
      if (!noOptimize) {
        works.add(new Work("OPTIMIZE", maintenance::optimize));
      }
      if (!noVacuum) {
        works.add(new Work("VACUUM", maintenance::vacuum));
      }
      for (Work work : works) {
        Outcome outcome = work.run();
        failed |= outcome.failed();
        spec.commandLine()
            .getOut()
            .printf("%s  %-8s  %s%n", padded(table, tables), work.name(), outcome.text());
        spec.commandLine().getOut().flush();
      }
    }
    return failed ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  private static String padded(TableName table, List<TableName> tables) {
    int width = tables.stream().mapToInt(t -> t.toString().length()).max().orElse(0);
    return ("%-" + width + "s").formatted(table);
  }

  private record Work(String name, Callable<Outcome> task) {
    Outcome run() {
      return Outcome.of(task);
    }
  }
}
