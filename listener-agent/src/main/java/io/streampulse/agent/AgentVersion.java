package io.streampulse.agent;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/** The version this agent was built as. */
final class AgentVersion {
  static final String CURRENT = read();

  private AgentVersion() {}

  private static String read() {
    Properties properties = new Properties();
    try (InputStream in = AgentVersion.class.getResourceAsStream("agent.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      return "unknown";
    }
    return properties.getProperty("version", "unknown");
  }
}
