package io.streampulse.consumer;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import io.streampulse.config.SharedKeys;
import io.streampulse.consumer.table.TableName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The consumer's settings, checked. What each means stands with its key in {@link ConsumerKeys}.
 *
 * @param kafka the Kafka client's settings
 */
public record ConsumerConfig(
    String topic,
    Map<String, String> kafka,
    TableName table,
    TableName quarantineTable,
    Optional<String> tableLocation,
    Map<String, String> tableProperties,
    String checkpoint,
    Duration trigger,
    boolean asyncProgress,
    Duration asyncProgressInterval,
    String startingOffsets,
    Optional<Long> maxOffsetsPerTrigger) {

  /**
   * Reads Spark conf.
   *
   * @throws ConfigException with all problems together, unknown settings among them
   */
  public static ConsumerConfig read(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    String table = reader.value(ConsumerKeys.TABLE);
    String checkpoint = reader.value(ConsumerKeys.CHECKPOINT);
    ConsumerConfig config =
        new ConsumerConfig(
            reader.value(SharedKeys.TOPIC),
            reader.kafka(),
            TableName.parse(table),
            TableName.parse(
                reader.find(ConsumerKeys.QUARANTINE_TABLE).orElse(table + "_quarantine")),
            reader.find(ConsumerKeys.TABLE_LOCATION),
            reader.below(ConsumerKeys.TABLE_PROPERTIES_PREFIX),
            checkpoint,
            reader.value(ConsumerKeys.TRIGGER),
            reader.value(ConsumerKeys.ASYNC_PROGRESS),
            reader.value(ConsumerKeys.ASYNC_PROGRESS_INTERVAL),
            reader.value(ConsumerKeys.STARTING_OFFSETS),
            reader.find(ConsumerKeys.MAX_OFFSETS_PER_TRIGGER));
    reader
        .unknown(
            ConsumerKeys.ALL,
            List.of(ConsumerKeys.TABLE_PROPERTIES_PREFIX, ConfigKey.PREFIX + "agent."))
        .forEach(reader::problem);
    reader.throwIfProblems();
    return config;
  }
}
