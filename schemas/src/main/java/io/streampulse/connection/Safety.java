package io.streampulse.connection;

import io.streampulse.config.ConfigKey;
import io.streampulse.config.ConfigReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a connection gives away, judged by its settings: refused, or said at each start. */
public final class Safety {
  private static final String KAFKA = ConfigKey.KAFKA_PREFIX;
  private static final Pattern OLD_TLS =
      Pattern.compile("(?i).*\\b(SSL(v\\d)?|TLSv1(\\.1)?)(,|\\s|$).*");
  private static final Pattern WEAK_CIPHER =
      Pattern.compile("(?i).*(_NULL_|_anon_|_EXPORT_|_RC4_|_DES_|_3DES_).*");

  private final KafkaSettings kafka;
  private final List<String> warnings = new ArrayList<>();

  private Safety(KafkaSettings kafka) {
    this.kafka = kafka;
  }

  /** Warnings about the settings; what can't be accepted is a problem of the reader's. */
  static List<String> check(KafkaSettings kafka, boolean plaintextAllowed, ConfigReader reader) {
    Safety safety = new Safety(kafka);
    safety.checkPlaintext(plaintextAllowed, reader);
    safety.checkTls();
    return safety.warnings;
  }

  /**
   * Refuses to send a secret unencrypted to another machine, unless the user has allowed it.
   *
   * @param setting the one that has the URL
   */
  public static void requireEncryption(ConfigReader reader, String setting, URI url) {
    if (url.getScheme().equals("http")
        && !BootstrapServers.isLoopback(url.getHost())
        && !reader.value(ConnectionKeys.ALLOW_PLAINTEXT)) {
      reader.problem(
          "%s: to %s a secret would travel where anyone can read it. Write https, or allow it by %s=true"
              .formatted(setting, url.getHost(), ConnectionKeys.ALLOW_PLAINTEXT.name()));
    }
  }

  private void checkPlaintext(boolean allowed, ConfigReader reader) {
    if (!kafka.securityProtocol().endsWith("PLAINTEXT")
        || !BootstrapServers.areAddresses(kafka.bootstrapServers())) { // refused already, unseen
      return;
    }
    Optional<String> remote =
        BootstrapServers.hosts(kafka.bootstrapServers()).stream()
            .filter(host -> !BootstrapServers.isLoopback(host))
            .findFirst();
    if (remote.isEmpty()) {
      return;
    }
    String what =
        "%ssecurity.protocol is %s and %s is not this machine: %s travel where anyone can read them"
            .formatted(
                KAFKA,
                kafka.securityProtocol(),
                remote.get(),
                kafka.securityProtocol().startsWith("SASL") ? "the login and records" : "records");
    if (allowed) {
      warnings.add(what + ", as " + ConnectionKeys.ALLOW_PLAINTEXT.name() + " allows");
    } else {
      reader.problem(
          "%s. Write SASL_SSL (or SSL), or allow it by %s=true"
              .formatted(what, ConnectionKeys.ALLOW_PLAINTEXT.name()));
    }
  }

  private void checkTls() {
    Map<String, String> settings = kafka.asMap();
    String verification = settings.get("ssl.endpoint.identification.algorithm");
    if (verification != null && !verification.strip().equalsIgnoreCase("https")) {
      warnings.add(
          KAFKA
              + "ssl.endpoint.identification.algorithm switches off the check of the broker's host"
              + " name: whoever has any certificate of a trusted authority can pose as the broker."
              + " Remove it");
    }
    for (String name : List.of("ssl.protocol", "ssl.enabled.protocols")) {
      String protocols = settings.getOrDefault(name, "");
      if (OLD_TLS.matcher(protocols).matches()) {
        warnings.add(
            "%s%s = \"%s\" has versions of TLS that are broken: write TLSv1.3,TLSv1.2 or remove it"
                .formatted(KAFKA, name, protocols));
      }
    }
    if (WEAK_CIPHER.matcher(settings.getOrDefault("ssl.cipher.suites", "")).matches()) {
      warnings.add(
          KAFKA + "ssl.cipher.suites has suites that encrypt weakly or not at all: remove it");
    }
  }
}
