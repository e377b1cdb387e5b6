package io.streampulse.agent.publish;

import io.streampulse.connection.KafkaSettings;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;

/** Builds the agent's producers. */
public final class KafkaProducers {
  private KafkaProducers() {}

  /**
   * Producers with the user's client settings.
   *
   * @param clientId unique in this JVM
   */
  public static Supplier<Producer<byte[], byte[]>> of(KafkaSettings settings, String clientId) {
    return () -> new KafkaProducer<>(ProducerSettings.of(settings, clientId));
  }
}
