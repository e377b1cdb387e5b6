package io.streampulse.connection;

import io.streampulse.config.Secret;
import java.net.URI;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The connection string of an Event Hubs namespace or of one event hub, as the Azure portal shows
 * it: {@code Endpoint=sb://NAME.servicebus.windows.net/;SharedAccessKeyName=…;SharedAccessKey=…},
 * with {@code EntityPath} where it is of one event hub. Every cloud has its own domain, which the
 * endpoint names; the local emulator's string says {@code UseDevelopmentEmulator=true}.
 *
 * @param host the namespace's host
 * @param entityPath the event hub, which is the topic; empty for a namespace
 * @param isEmulator whether it is the emulator's, which speaks no TLS
 * @param text the whole string: it is the password
 * @see <a
 *     href="https://learn.microsoft.com/azure/event-hubs/azure-event-hubs-apache-kafka-overview">Event
 *     Hubs for Apache Kafka</a>
 */
record EventHubsConnectionString(
    String host, Optional<String> entityPath, boolean isEmulator, Secret text) {
  private static final int PORT = 9093;
  private static final int EMULATOR_PORT = 9092;

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException if a part is missing; the message shows no part of it
   */
  static EventHubsConnectionString parse(String text) {
    String string = unquoted(text.strip());
    Map<String, String> parts = new HashMap<>();
    for (String part : string.split(";", -1)) {
      int equals = part.indexOf('=');
      if (equals > 0) {
        parts.put(
            part.substring(0, equals).strip().toLowerCase(Locale.ROOT),
            part.substring(equals + 1).strip());
      }
    }
    String host = host(parts.getOrDefault("endpoint", ""));
    if (host.isEmpty()) {
      throw new IllegalArgumentException("has no Endpoint=sb://...");
    }
    if (!parts.containsKey("sharedaccesssignature")) {
      require(parts, "SharedAccessKeyName");
      require(parts, "SharedAccessKey");
    }
    return new EventHubsConnectionString(
        host,
        Optional.ofNullable(parts.get("entitypath")).filter(path -> !path.isEmpty()),
        Boolean.parseBoolean(parts.get("usedevelopmentemulator")),
        new Secret(string));
  }

  /** The broker's address. */
  String bootstrapServers() {
    return host + ":" + (isEmulator ? EMULATOR_PORT : PORT);
  }

  private static String unquoted(String text) {
    boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
    return quoted ? text.substring(1, text.length() - 1) : text;
  }

  private static String host(String endpoint) {
    try {
      String host = URI.create(endpoint).getHost();
      return host == null ? "" : host;
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private static void require(Map<String, String> parts, String name) {
    if (parts.getOrDefault(name.toLowerCase(Locale.ROOT), "").isEmpty()) {
      throw new IllegalArgumentException("has no " + name + "=...");
    }
  }
}
