package io.streampulse.it;

import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;

/**
 * What happens to a Kafka client when another copy of Kafka in the JVM has logged in before by
 * Kafka's own login module: the naive way for an agent that carries a copy.
 */
public final class SaslClash {
  private SaslClash() {}

  /** Arguments: a login module whose class is initialised first, and the client's settings. */
  public static void main(String... arguments) throws Exception {
    Class.forName(arguments[0]);
    Properties settings = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(arguments[1]))) {
      settings.load(reader);
    }
    try (Admin admin = Admin.create(settings)) {
      System.out.println("logged in: " + admin.describeCluster().clusterId().get());
    } catch (Exception e) {
      System.out.println("failed: " + e + " <- " + e.getCause());
    }
  }
}
