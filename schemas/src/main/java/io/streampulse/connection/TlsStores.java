package io.streampulse.connection;

import io.streampulse.config.ConfigReader;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Key and trust stores as people have them: a path or a {@code file:} URI whose ending tells the
 * type, a {@code data:} URI, or PEM text. Kafka's client wants a path and takes every store without
 * a type for JKS.
 */
final class TlsStores {
  private TlsStores() {}

  /** Adds to the settings what Kafka's client has to be told. */
  static void complete(Map<String, String> settings, ConfigReader reader) {
    for (String store : List.of("ssl.truststore", "ssl.keystore")) {
      if (InlineStore.isOne(settings.getOrDefault(store + ".location", ""))) {
        try {
          InlineStore.toPem(store, settings);
        } catch (IllegalArgumentException e) {
          reader.problem("spark.streampulse.kafka.%s.location %s".formatted(store, e.getMessage()));
        }
      }
      settings.computeIfPresent(store + ".location", (name, location) -> path(location));
      String type = type(store, settings);
      if (!type.isEmpty()) {
        settings.putIfAbsent(store + ".type", type);
      }
    }
  }

  private static String type(String store, Map<String, String> settings) {
    if (settings.containsKey(store + ".certificates") || settings.containsKey(store + ".key")) {
      return "PEM";
    }
    String location = settings.getOrDefault(store + ".location", "").toLowerCase(Locale.ROOT);
    if (location.endsWith(".p12") || location.endsWith(".pfx")) {
      return "PKCS12";
    }
    return location.endsWith(".pem") || location.endsWith(".crt") || location.endsWith(".cer")
        ? "PEM"
        : "";
  }

  private static String path(String location) {
    if (!location.startsWith("file:")) {
      return location;
    }
    try {
      return Path.of(URI.create(location)).toString();
    } catch (IllegalArgumentException e) {
      return location.replaceFirst("^file:/*", "/");
    }
  }
}
