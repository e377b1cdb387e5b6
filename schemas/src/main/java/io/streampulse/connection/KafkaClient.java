package io.streampulse.connection;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Kafka client that a side has, as far as settings have to fit it: Spark's connector has the
 * one of its own package name, Databricks' connector one below {@code kafkashaded.}, and the agent
 * a relocated copy. Class names in settings may be written for any of them.
 *
 * @param prefix the package of its classes, with the dot
 * @param isRelocated whether it shares the JVM with another copy; then it gets login modules that
 *     leave the other alone, see {@link SaslClients}
 */
public record KafkaClient(String prefix, boolean isRelocated) {
  // Joined at run time: the agent's relocation would rewrite the name if it stood here whole.
  private static final String OPEN_SOURCE = String.join(".", "org", "apache", "kafka") + ".";
  private static final String DATABRICKS = "kafkashaded." + OPEN_SOURCE;
  private static final Pattern ANY =
      Pattern.compile(
          "(?<![\\w.])(?:%s|%s|io\\.streampulse\\.agent\\.shaded\\.kafka\\.)"
              .formatted(Pattern.quote(OPEN_SOURCE), Pattern.quote(DATABRICKS)));
  private static final String JAAS = "sasl.jaas.config";
  private static final String A_CLASS = "common.serialization.ByteArraySerializer";

  /** The agent's copy, whose class this is. */
  public static KafkaClient relocated(Class<?> byteArraySerializer) {
    return new KafkaClient(prefix(byteArraySerializer), true);
  }

  /** The one whose class this is. */
  public static KafkaClient of(Class<?> byteArraySerializer) {
    return new KafkaClient(prefix(byteArraySerializer), false);
  }

  /** The one that Spark's Kafka source uses in this JVM. */
  public static KafkaClient ofSpark() {
    return new KafkaClient(isThere(DATABRICKS) ? DATABRICKS : OPEN_SOURCE, false);
  }

  /** The settings with this client's class names, in JAAS lines too. */
  Map<String, String> fit(Map<String, String> settings) {
    Map<String, String> fitted = new TreeMap<>();
    settings.forEach((name, value) -> fitted.put(name, namesClass(name) ? fit(value) : value));
    fitted.computeIfPresent(JAAS, (name, jaas) -> fitJaas(jaas));
    return fitted;
  }

  private String fitJaas(String jaas) {
    return JaasLine.parse(jaas)
        .map(line -> line.withLoginModule(loginModule(fit(line.loginModule()))).text())
        .orElseGet(() -> fit(jaas));
  }

  private String loginModule(String name) {
    if (isRelocated && name.equals(prefix + "common.security.plain.PlainLoginModule")) {
      return PasswordLoginModule.class.getName();
    }
    if (isRelocated && name.equals(prefix + "common.security.scram.ScramLoginModule")) {
      return ScramPasswordLoginModule.class.getName();
    }
    return name;
  }

  private String fit(String value) {
    return ANY.matcher(value).replaceAll(Matcher.quoteReplacement(prefix));
  }

  private static boolean namesClass(String key) {
    return key.endsWith(".class")
        || key.endsWith(".classes")
        || key.equals("metric.reporters")
        || key.equals("partition.assignment.strategy")
        || key.equals("security.providers");
  }

  private static String prefix(Class<?> byteArraySerializer) {
    return byteArraySerializer.getName().replace(A_CLASS, "");
  }

  private static boolean isThere(String candidate) {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    ClassLoader loader = context == null ? KafkaClient.class.getClassLoader() : context;
    return loader.getResource((candidate + A_CLASS).replace('.', '/') + ".class") != null;
  }
}
