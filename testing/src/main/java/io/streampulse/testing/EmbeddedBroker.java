package io.streampulse.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Collectors;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/**
 * A Kafka broker in KRaft mode (broker and controller in one) inside this JVM, listening on
 * loopback only. Real in all that a client sees: TLS, SASL, replication log on disk.
 */
public final class EmbeddedBroker implements KafkaBroker {
  private static final int ATTEMPTS_FOR_FREE_PORTS = 3;

  private final Path folder;
  private final int port;
  private final Certificates certificates;
  private final String password;
  private final KafkaRaftServer server;
  private boolean closed;

  private EmbeddedBroker(
      Path folder, int port, Certificates certificates, String password, KafkaRaftServer server) {
    this.folder = folder;
    this.port = port;
    this.certificates = certificates;
    this.password = password;
    this.server = server;
  }

  /** Starts a broker on a free port. */
  public static EmbeddedBroker start(Path folder) {
    return start(folder, 0);
  }

  /**
   * Starts a broker.
   *
   * @param folder for certificates and the log
   * @param port where it listens; 0 for a free one
   */
  public static EmbeddedBroker start(Path folder, int port) {
    Certificates certificates = Certificates.create(folder.resolve("certificates"));
    String password = UUID.randomUUID().toString();
    for (int attempt = 1; ; attempt++) {
      int listen = port == 0 ? freePort() : port;
      try {
        format(folder, settings(folder, listen, certificates, password));
        KafkaRaftServer server = startServer(folder, listen, certificates, password);
        EmbeddedBroker broker = new EmbeddedBroker(folder, listen, certificates, password, server);
        broker.createScramUser();
        return broker;
      } catch (RuntimeException e) {
        if (port != 0 || attempt == ATTEMPTS_FOR_FREE_PORTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Starts it again after it was closed: same port, certificate, users and log, so that clients who
   * have waited find what they knew.
   */
  public EmbeddedBroker again() {
    return new EmbeddedBroker(
        folder, port, certificates, password, startServer(folder, port, certificates, password));
  }

  @Override
  public String bootstrapServers() {
    return "localhost:" + port;
  }

  @Override
  public Certificates certificates() {
    return certificates;
  }

  @Override
  public String password() {
    return password;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.shutdown();
      server.awaitShutdown();
    }
  }

  private static KafkaRaftServer startServer(
      Path folder, int port, Certificates certificates, String password) {
    Properties properties = new Properties();
    properties.putAll(settings(folder, port, certificates, password));
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
    try {
      server.startup();
    } catch (RuntimeException e) {
      server.shutdown();
      throw e;
    }
    return server;
  }

  private static Map<String, String> settings(
      Path folder, int port, Certificates certificates, String password) {
    int controllerPort = freePort();
    String plain =
        ("org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%1$s\""
                + " password=\"%2$s\" user_%1$s=\"%2$s\";")
            .formatted(PLAIN_USER, password);
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
    return settings;
  }

  /** Prepares the log folder, as kafka-storage.sh does before a broker's first start. */
  private static void format(Path folder, Map<String, String> settings) {
    Path file = folder.resolve("server.properties");
    String text =
        settings.entrySet().stream()
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

  /** A port of loopback that nothing listens on just now. */
  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException("No free port on loopback", e);
    }
  }
}
