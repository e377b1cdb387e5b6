package io.streampulse.consumer.command;

import io.streampulse.consumer.ConsumerTables;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetViews;
import picocli.CommandLine.Mixin;

/** The fleet of the table that the settings name, for commands that look at it. */
final class FleetSource {
  @Mixin private SparkSettings settings;

  /** Opens the tables, hands a reader over, and is done with Spark when it is given back. */
  int look(String applicationName, Look look) throws Exception {
    ConsumerTables tables = ConsumerTables.read(settings.all());
    return settings.inSession(
        applicationName,
        spark -> {
          tables.open(spark);
          return look.with(
              new FleetReader(spark, new FleetViews(tables.health(), tables.quarantine())));
        });
  }

  /** What a command does with the fleet; returns its exit code. */
  interface Look {
    int with(FleetReader reader) throws Exception;
  }
}
