package io.streampulse.config;

import java.util.List;

/** The settings that agent and consumer share. Kafka client settings pass through untouched. */
public final class SharedKeys {
  /** The topic between agents and consumer. */
  public static final ConfigKey<String> TOPIC =
      ConfigKey.string("spark.streampulse.topic")
          .withDefault("streaming-health")
          .check(
              "must be a Kafka topic name: letters, digits, '.', '_' and '-', at most 249 of them",
              t -> t.matches("[a-zA-Z0-9._-]{1,249}"))
          .doc("Kafka topic or event hub between the agents and the consumer.");

  /** All of them. */
  public static final List<ConfigKey<?>> ALL = List.of(TOPIC);

  private SharedKeys() {}
}
