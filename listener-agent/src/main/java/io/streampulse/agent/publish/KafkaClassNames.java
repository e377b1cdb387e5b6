package io.streampulse.agent.publish;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Rewrites Kafka's class names in client settings to the agent's own copy of the client. Users
 * write them as Kafka documents them, or with Databricks' {@code kafkashaded.} in front; the
 * agent's copy has yet another prefix, and a login module or handler of another copy can't be used.
 */
final class KafkaClassNames {
  private static final String THIS_CLIENT =
      ByteArraySerializer.class.getName().replaceFirst("common\\.serialization\\..*$", "");

  // Joined at run time: the build's relocation would rewrite the name if it stood here whole.
  private static final Pattern ANY_CLIENT =
      Pattern.compile(
          "(?<![\\w.])(kafkashaded\\.)?"
              + Pattern.quote(String.join(".", "org", "apache", "kafka") + "."));

  private KafkaClassNames() {}

  /** The settings, with the class names in JAAS lines and in settings that name a class. */
  static Map<String, String> relocated(Map<String, String> settings) {
    Map<String, String> relocated = new TreeMap<>();
    settings.forEach(
        (key, value) -> relocated.put(key, namesClass(key) ? relocated(value) : value));
    return relocated;
  }

  private static boolean namesClass(String key) {
    return key.equals("sasl.jaas.config")
        || key.endsWith(".class")
        || key.endsWith(".classes")
        || key.endsWith(".callback.handler")
        || key.equals("metric.reporters");
  }

  private static String relocated(String value) {
    return ANY_CLIENT.matcher(value).replaceAll(Matcher.quoteReplacement(THIS_CLIENT));
  }
}
