package io.streampulse.agent;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.SharedKeys;
import io.streampulse.connection.ConnectionKeys;
import io.streampulse.registry.RegistryKeys;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The agent's settings. */
final class AgentKeys {
  private static final String PREFIX = ConfigKey.PREFIX + "agent.";

  /** Free names below it become the record's tags. */
  static final String TAGS_PREFIX = PREFIX + "tags.";

  static final ConfigKey<Boolean> ENABLED =
      ConfigKey.bool(PREFIX + "enabled")
          .withDefault("true")
          .doc("Whether the agent runs at all; false costs the job nothing.");

  static final ConfigKey<String> PUBLISHER =
      ConfigKey.oneOf(PREFIX + "publisher", List.of("kafka", "log"))
          .withDefault("kafka")
          .doc("Where records go: to the topic, or as JSON to the driver's log.");

  static final ConfigKey<Duration> FLUSH_INTERVAL =
      ConfigKey.duration(PREFIX + "flush-interval")
          .withDefault("10s")
          .check("must be at least 100ms", d -> d.toMillis() >= 100)
          .doc("How often buffered records are published; sooner when the buffer is half full.");

  static final ConfigKey<Integer> BUFFER_CAPACITY =
      ConfigKey.integer(PREFIX + "buffer.capacity")
          .withDefault("1000")
          .check("must be from 10 to 1000000", n -> n >= 10 && n <= 1_000_000)
          .doc("Most records the agent holds at each stage; when full, the oldest progress goes.");

  static final ConfigKey<Long> BUFFER_MAX_BYTES =
      ConfigKey.longInteger(PREFIX + "buffer.max-bytes")
          .withDefault("16000000")
          .check("must be from 1000000 to 1000000000", n -> n >= 1_000_000 && n <= 1_000_000_000)
          .doc("Most bytes of records, as messages, that wait to be published.");

  static final ConfigKey<Integer> RECORD_MAX_BYTES =
      ConfigKey.integer(PREFIX + "record.max-bytes")
          .withDefault("900000")
          .check("must be from 10000 to 1000000", n -> n >= 10_000 && n <= 1_000_000)
          .doc("Largest message; a larger record is cut field by field and says so.");

  static final ConfigKey<Duration> HEARTBEAT_INTERVAL =
      ConfigKey.duration(PREFIX + "heartbeat-interval")
          .withDefault("60s")
          .check("must be at least 1s", d -> d.toMillis() >= 1000)
          .doc("After this long without a record the agent sends one that names the active runs.");

  static final ConfigKey<Duration> SHUTDOWN_TIMEOUT =
      ConfigKey.duration(PREFIX + "shutdown-timeout")
          .withDefault("10s")
          .check("must be from 100ms to 5min", d -> d.toMillis() >= 100 && d.toMinutes() <= 5)
          .doc("Longest time the end of the job may wait for the last records to be published.");

  static final ConfigKey<Integer> WARN_AFTER =
      ConfigKey.integer(PREFIX + "falling-behind.warn-after")
          .withDefault("1")
          .check("must be at least 1", n -> n >= 1)
          .doc(
              "Warn from the n-th micro-batch in a row that fell behind, at most once a minute for"
                  + " each run.");

  private static final List<ConfigKey<?>> OWN =
      List.of(
          ENABLED,
          PUBLISHER,
          FLUSH_INTERVAL,
          BUFFER_CAPACITY,
          BUFFER_MAX_BYTES,
          RECORD_MAX_BYTES,
          HEARTBEAT_INTERVAL,
          SHUTDOWN_TIMEOUT,
          WARN_AFTER);

  /** All that the reference lists, shared ones first. */
  static final List<ConfigKey<?>> ALL =
      Stream.of(SharedKeys.ALL, ConnectionKeys.ALL, RegistryKeys.ALL, OWN)
          .flatMap(List::stream)
          .toList();

  private AgentKeys() {}
}
