package io.streampulse.it;

import io.streampulse.config.ConfigReader;
import io.streampulse.connection.Connection;
import io.streampulse.connection.KafkaClient;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Logs in by the consumer's settings with a Kafka client that is below {@code kafkashaded.}, as
 * Spark's Kafka source does at Databricks.
 */
public final class KafkaShadedClient {
  private static final String ADMIN = "kafkashaded.org.apache.kafka.clients.admin.Admin";

  private KafkaShadedClient() {}

  /** Arguments: files with Spark conf. */
  public static void main(String... files) throws Exception {
    Turns.each(
        files,
        (file, properties) -> {
          Map<String, String> conf = new HashMap<>();
          properties.stringPropertyNames().forEach(n -> conf.put(n, properties.getProperty(n)));
          ConfigReader reader = new ConfigReader(conf);
          Connection connection = Connection.read(reader, KafkaClient.ofSpark());
          reader.throwIfProblems();
          Class<?> type = Class.forName(ADMIN);
          try (AutoCloseable admin =
              (AutoCloseable)
                  type.getMethod("create", Map.class).invoke(null, connection.kafka().asMap())) {
            Object topics = type.getMethod("listTopics").invoke(admin);
            Object names = topics.getClass().getMethod("names").invoke(topics);
            Collection<?> found = (Collection<?>) names.getClass().getMethod("get").invoke(names);
            return "sees " + found.size() + " topics by " + admin.getClass().getName();
          }
        });
  }
}
