package io.streampulse.consumer;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.SharedKeys;
import io.streampulse.connection.ConnectionKeys;
import io.streampulse.registry.RegistryKeys;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The consumer's settings. */
final class ConsumerKeys {
  private static final String PREFIX = ConfigKey.PREFIX + "consumer.";
  private static final Pattern THREE_PARTS = Pattern.compile("[\\w-]+\\.[\\w-]+\\.[\\w-]+");
  private static final String THREE_PARTS_RULE =
      "must have three parts, catalog.schema.table, of letters, digits, '_' and '-'";

  /** Below it, any Delta table property. */
  static final String TABLE_PROPERTIES_PREFIX = PREFIX + "table-properties.";

  static final ConfigKey<String> TABLE =
      ConfigKey.string(PREFIX + "table")
          .withDefault("main.streaming_monitoring.streaming_health")
          .check(THREE_PARTS_RULE, ConsumerKeys::hasThreeParts)
          .doc("The health table; schema and table are created when they are not there.");

  static final ConfigKey<String> QUARANTINE_TABLE =
      ConfigKey.string(PREFIX + "quarantine-table")
          .check(THREE_PARTS_RULE, ConsumerKeys::hasThreeParts)
          .doc(
              "The table for messages that can't be decoded; when not given, the health table's"
                  + " name with _quarantine.");

  static final ConfigKey<String> TABLE_LOCATION =
      ConfigKey.string(PREFIX + "table-location")
          .doc(
              "Folder of the tables, making them external: the health table and, beside it with"
                  + " _quarantine, the other.");

  static final ConfigKey<String> CHECKPOINT =
      ConfigKey.string(PREFIX + "checkpoint")
          .mustBeGiven()
          .doc("Folder for the query's progress, on storage that outlives the cluster.");

  static final ConfigKey<ConsumerTrigger> TRIGGER =
      ConfigKey.of(PREFIX + "trigger", ConsumerTrigger.TYPE)
          .withDefault("10s")
          .doc(
              "How often a micro-batch starts; or available-now (all that is there, then end) or"
                  + " once (the same in one micro-batch), both without async progress.");

  static final ConfigKey<Boolean> ASYNC_PROGRESS =
      ConfigKey.bool(PREFIX + "async-progress.enabled")
          .withDefault("true")
          .doc("Whether Spark writes the query's progress beside the micro-batch (async).");

  static final ConfigKey<Duration> ASYNC_PROGRESS_INTERVAL =
      ConfigKey.duration(PREFIX + "async-progress.checkpoint-interval")
          .withDefault("1s")
          .doc("How often async progress is written; 0s for every micro-batch.");

  static final ConfigKey<String> STARTING_OFFSETS =
      ConfigKey.oneOf(PREFIX + "starting-offsets", List.of("earliest", "latest"))
          .withDefault("earliest")
          .doc("Where a new checkpoint begins to read.");

  static final ConfigKey<Long> MAX_OFFSETS_PER_TRIGGER =
      ConfigKey.longInteger(PREFIX + "max-offsets-per-trigger")
          .check("must be at least 1", n -> n >= 1)
          .doc("Most messages in one micro-batch; when not given, all there are.");

  static final ConfigKey<Integer> MIN_PARTITIONS =
      ConfigKey.integer(PREFIX + "min-partitions")
          .check("must be at least 1", n -> n >= 1)
          .doc(
              "Fewest tasks that read a micro-batch; when not given, one for each partition of the"
                  + " topic.");

  static final ConfigKey<Integer> MAX_PARTITIONS =
      ConfigKey.integer(PREFIX + "max-partitions")
          .check("must be at least 1", n -> n >= 1)
          .doc(
              "Most tasks that write a micro-batch, and so most files of one append; when not"
                  + " given, one for each 20,000 rows.");

  static final ConfigKey<Boolean> TAKE_OVER =
      ConfigKey.bool(PREFIX + "take-over")
          .withDefault("false")
          .doc(
              "Whether to start although another checkpoint feeds the table from this topic; its"
                  + " consumer is locked out.");

  static final ConfigKey<Integer> MAX_RESTARTS =
      ConfigKey.integer(PREFIX + "max-restarts")
          .withDefault("10")
          .check("must be at least 0", n -> n >= 0)
          .doc(
              "How often in a row a query that failed is started again, with pauses that grow to a"
                  + " minute.");

  private static final List<ConfigKey<?>> OWN =
      List.of(
          TABLE,
          QUARANTINE_TABLE,
          TABLE_LOCATION,
          CHECKPOINT,
          TRIGGER,
          ASYNC_PROGRESS,
          ASYNC_PROGRESS_INTERVAL,
          STARTING_OFFSETS,
          MAX_OFFSETS_PER_TRIGGER,
          MIN_PARTITIONS,
          MAX_PARTITIONS,
          TAKE_OVER,
          MAX_RESTARTS);

  /** All that the reference lists, shared ones first. */
  static final List<ConfigKey<?>> ALL =
      Stream.of(SharedKeys.ALL, ConnectionKeys.ALL, RegistryKeys.ALL, OWN)
          .flatMap(List::stream)
          .toList();

  private ConsumerKeys() {}

  private static boolean hasThreeParts(String name) {
    return THREE_PARTS.matcher(name).matches();
  }
}
