package io.streampulse.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * How a broker in this JVM is set up; one that is started again has the same. Thread-safe.
 *
 * @param folder for the log
 * @param port of the main listener
 * @param certificates of the main listener
 * @param password of all users
 * @param everyLogin empty for a broker with its main listener only
 */
record BrokerSetup(
    Path folder,
    int port,
    Certificates certificates,
    String password,
    Optional<EveryLogin> everyLogin) {

  /** The broker's settings, with another port of the controller each time. */
  Map<String, String> settings() {
    int controllerPort = EmbeddedBroker.freePort();
    String plain =
        ("org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%1$s\""
                + " password=\"%2$s\" user_%1$s=\"%2$s\";")
            .formatted(KafkaBroker.PLAIN_USER, password);
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listeners",
        "SASL_SSL://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort));
    settings.put("advertised.listeners", "SASL_SSL://localhost:" + port);
    settings.put("listener.security.protocol.map", "SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT");
    settings.put("inter.broker.listener.name", "SASL_SSL");
    settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
    settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512");
    settings.put("listener.name.sasl_ssl.plain.sasl.jaas.config", plain);
    settings.put(
        "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config",
        "org.apache.kafka.common.security.scram.ScramLoginModule required;");
    settings.put("ssl.keystore.location", certificates.keyStore().toString());
    settings.put("ssl.keystore.password", certificates.password());
    settings.put("ssl.keystore.type", "PKCS12");
    settings.put("ssl.truststore.location", certificates.trustStore().toString());
    settings.put("ssl.truststore.password", certificates.password());
    settings.put("ssl.truststore.type", "PKCS12");
    settings.put("log.dirs", folder.resolve("kafka-log").toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("num.partitions", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("message.max.bytes", "1048588");
    settings.put("log.cleaner.dedupe.buffer.size", "4194304");
    settings.put("num.network.threads", "2");
    settings.put("num.io.threads", "2");
    settings.put("background.threads", "2");
    everyLogin.ifPresent(more -> more.addTo(settings));
    return settings;
  }

  /** Prepares the log folder, as kafka-storage.sh does before a broker's first start. */
  void format() {
    Path file = folder.resolve("server.properties");
    String text =
        settings().entrySet().stream()
            .map(e -> e.getKey() + "=" + e.getValue().replace("\\", "\\\\"))
            .collect(Collectors.joining("\n"));
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    try {
      Files.writeString(file, text);
      int exit =
          StorageTool.execute(
              new String[] {
                "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", file.toString()
              },
              new PrintStream(output, true, StandardCharsets.UTF_8));
      if (exit != 0) {
        throw new IllegalStateException(
            "Can't format the broker's log: " + output.toString(StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      throw new IllegalStateException("Can't write " + file, e);
    }
  }
}
