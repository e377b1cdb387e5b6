package io.streampulse.consumer;

import io.streampulse.config.ConfigException;
import io.streampulse.config.ConfigReader;
import io.streampulse.connection.Connection;
import io.streampulse.connection.ExposedSecrets;
import io.streampulse.connection.KafkaClient;
import io.streampulse.connection.KafkaSettings;
import io.streampulse.consumer.table.TableName;
import io.streampulse.registry.RegistryKeys;
import io.streampulse.registry.RegistrySettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The consumer's settings, checked. What each means stands with its key in {@link ConsumerKeys}.
 *
 * @param kafka the Kafka client's settings
 * @param warnings what is to be said at each start: settings that contradict each other or weaken
 *     the connection
 * @param registry the schema registry that knows the ids in messages; empty where there is none
 */
public record ConsumerConfig(
    String topic,
    KafkaSettings kafka,
    Optional<RegistrySettings> registry,
    TableName table,
    TableName quarantineTable,
    Optional<String> tableLocation,
    Map<String, String> tableProperties,
    String checkpoint,
    ConsumerTrigger trigger,
    boolean asyncProgress,
    Duration asyncProgressInterval,
    String startingOffsets,
    Optional<Long> maxOffsetsPerTrigger,
    Optional<Integer> minPartitions,
    Optional<Integer> maxPartitions,
    boolean takeOver,
    int maxRestarts,
    List<String> warnings) {

  private static final String RETAIN = "spark.sql.streaming.minBatchesToRetain";
  private static final String METADATA_CACHE = "spark.sql.streaming.metadataCache.enabled";

  /**
   * Reads Spark conf.
   *
   * @throws ConfigException with all problems together, unknown settings among them
   */
  public static ConsumerConfig read(Map<String, String> conf) {
    ConfigReader reader = new ConfigReader(conf);
    ConsumerTables tables = ConsumerTables.read(reader);
    String checkpoint = reader.value(ConsumerKeys.CHECKPOINT);
    Connection connection = Connection.read(reader, KafkaClient.ofSpark());
    List<String> warnings = new ArrayList<>(connection.warnings());
    warnings.addAll(ExposedSecrets.in(conf, ConsumerKeys.ALL));
    ConsumerConfig config =
        new ConsumerConfig(
            connection.topic(),
            connection.kafka(),
            RegistryKeys.read(reader),
            tables.health(),
            tables.quarantine(),
            tables.location(),
            reader.below(ConsumerKeys.TABLE_PROPERTIES_PREFIX),
            checkpoint,
            reader.value(ConsumerKeys.TRIGGER),
            reader.value(ConsumerKeys.ASYNC_PROGRESS),
            reader.value(ConsumerKeys.ASYNC_PROGRESS_INTERVAL),
            reader.value(ConsumerKeys.STARTING_OFFSETS),
            reader.find(ConsumerKeys.MAX_OFFSETS_PER_TRIGGER),
            reader.find(ConsumerKeys.MIN_PARTITIONS),
            reader.find(ConsumerKeys.MAX_PARTITIONS),
            reader.value(ConsumerKeys.TAKE_OVER),
            reader.value(ConsumerKeys.MAX_RESTARTS),
            warnings);
    config.checkAsyncProgress(reader, conf);
    reader.throwIfProblems();
    return config;
  }

  /**
   * Reads Spark conf for {@link #settling}: what is not safe with async progress tracking is
   * refused though the consumer itself does without.
   *
   * @throws ConfigException with all problems together
   */
  public static ConsumerConfig readForSettling(Map<String, String> conf) {
    Map<String, String> async = new HashMap<>(conf);
    async.put(ConsumerKeys.ASYNC_PROGRESS.name(), "true");
    async.put(ConsumerKeys.TRIGGER.name(), "1s");
    return read(async);
  }

  /** The same settings with other progress tracking: async, written at every micro-batch. */
  public ConsumerConfig settling(ConsumerTrigger newTrigger, long newMaxOffsets) {
    return new ConsumerConfig(
        topic,
        kafka,
        registry,
        table,
        quarantineTable,
        tableLocation,
        tableProperties,
        checkpoint,
        newTrigger,
        true,
        Duration.ZERO,
        startingOffsets,
        Optional.of(newMaxOffsets),
        minPartitions,
        maxPartitions,
        takeOver,
        0,
        warnings);
  }

  /** What Spark would refuse, or lose data by, said before it starts. */
  private void checkAsyncProgress(ConfigReader reader, Map<String, String> conf) {
    if (!asyncProgress) {
      return;
    }
    String wayOut = "set %s=false, or ".formatted(ConsumerKeys.ASYNC_PROGRESS.name());
    if (trigger.ends()) {
      reader.problem(
          "%s = \"%s\" can't be used with async progress tracking: %sa duration"
              .formatted(ConsumerKeys.TRIGGER.name(), trigger.text(), wayOut));
    }
    String retain = conf.getOrDefault(RETAIN, "100").strip();
    if (retain.matches("-\\d+|0*[01]")) {
      reader.problem(
          "%s = \"%s\" is not safe with async progress tracking: a crash can leave one uncommitted batch, and the topic would be read from its beginning; %s2 or more"
              .formatted(RETAIN, conf.get(RETAIN), wayOut));
    }
    if (conf.getOrDefault(METADATA_CACHE, "true").strip().equalsIgnoreCase("false")) {
      reader.problem(
          "%s = \"false\" can't be used with async progress tracking: %sleave it out"
              .formatted(METADATA_CACHE, wayOut));
    }
  }
}
