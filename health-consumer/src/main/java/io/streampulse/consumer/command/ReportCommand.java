package io.streampulse.consumer.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.config.ConfigException;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.fleet.QueryStatus;
import io.streampulse.consumer.page.FleetJson;
import io.streampulse.consumer.page.FleetPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code health-consumer report}: the page as one file. */
@Command(
    name = "report",
    description = {
      "Writes the fleet as it is now into one HTML file, which needs nothing else to be read."
    },
    mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {
  @Mixin private FleetSource source;

  @Option(names = "--out", paramLabel = "FILE", required = true, description = "The file to write.")
  private Path out;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Operator operator = new Operator(spec);
    return operator.run(
        () -> {
          requireWritable();
          return source.look("streampulse-report", reader -> write(reader, operator));
        });
  }

  /** Asked before Spark starts; what goes wrong while it is written is rare. */
  private void requireWritable() {
    Path folder = out.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new ConfigException(
          List.of("--out %s can't be written: there is no folder %s".formatted(out, folder)));
    }
    if (Files.isDirectory(out)) {
      throw new ConfigException(
          List.of("--out %s can't be written: it is a folder".formatted(out)));
    }
  }

  private int write(FleetReader reader, Operator operator) throws IOException {
    FleetSnapshot fleet = reader.read();
    operator.say("%d queries; reading their history…".formatted(fleet.queries().size()));
    Map<String, ObjectNode> details =
        reader.details(fleet.queries().stream().map(QueryStatus::queryId).toList());
    FleetPage.writeReport(out, FleetJson.of(fleet, reader.sparks()), details);
    operator.say("%s, %,d bytes".formatted(out, Files.size(out)));
    return ExitCode.OK;
  }
}
