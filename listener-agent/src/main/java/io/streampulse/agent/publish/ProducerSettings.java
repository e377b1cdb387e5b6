package io.streampulse.agent.publish;

import io.streampulse.connection.KafkaSettings;
import java.util.Properties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The agent's producer settings: defaults that keep order and lose nothing, then the user's own,
 * then what the agent can't do without.
 */
public final class ProducerSettings {
  /** How long one send may wait for the first metadata, on the flusher thread. */
  private static final int MAX_BLOCK_MS = 5_000;

  private ProducerSettings() {}

  /**
   * The settings of one producer.
   *
   * @param clientId unique in this JVM
   */
  public static Properties of(KafkaSettings userSettings, String clientId) {
    Properties settings = new Properties();
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    // One request at a time: a broker takes any batch as the first of a producer it does not know.
    // Where the first fails for a moment and the next does not, the first is refused for good as
    // out of order, and each new try appends what came after it once more.
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
    // Retry inside the producer for as long as it takes: only there no resend is a duplicate.
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Integer.MAX_VALUE);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, 60_000);
    settings.put(ProducerConfig.METADATA_MAX_AGE_CONFIG, 180_000);
    settings.put(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG, 180_000);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 1_000_000);
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 10_000);
    settings.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, 500);
    settings.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, 10_000);
    settings.putAll(userSettings.asMap());
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    // JMX names are not relocated with the classes: two clients in one JVM would fight for them.
    settings.put(ProducerConfig.METRIC_REPORTER_CLASSES_CONFIG, "");
    settings.put("auto.include.jmx.reporter", "false");
    // The classes for it are left out of the agent's jar.
    settings.put("enable.metrics.push", "false");
    return settings;
  }
}
