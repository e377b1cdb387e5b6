package io.streampulse.testing;

import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.MountableFile;

/**
 * The same broker in a container, by Testcontainers. Chosen where a Docker engine answers and
 * {@code -Dstreampulse.broker=embedded} does not say otherwise.
 */
final class ContainerBroker implements KafkaBroker {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerBroker.class);
  private static final String IMAGE = "apache/kafka:3.9.2";
  private static final String STORES = "/etc/kafka/secrets/";

  private final KafkaContainer container;
  private final Certificates certificates;
  private final String password;

  private ContainerBroker(KafkaContainer container, Certificates certificates, String password) {
    this.container = container;
    this.certificates = certificates;
    this.password = password;
  }

  /** Whether a Docker engine can be expected; looks, and does not connect. */
  static boolean isPossible() {
    return !"embedded".equals(System.getProperty("streampulse.broker"))
        && (System.getenv("DOCKER_HOST") != null || Files.exists(Path.of("/var/run/docker.sock")));
  }

  /** A broker in a container; where that fails, says so and starts one in this process. */
  static KafkaBroker startOrEmbedded(Path folder) {
    Certificates certificates = Certificates.create(folder.resolve("container-certificates"));
    try {
      return start(certificates, KafkaBroker.newPassword());
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("No broker in a container ({}): starting one in this process", e.toString());
      return EmbeddedBroker.start(folder);
    }
  }

  private static KafkaBroker start(Certificates certificates, String password) {
    String plain =
        ("org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%1$s\""
                + " password=\"%2$s\" user_%1$s=\"%2$s\";")
            .formatted(PLAIN_USER, password);
    KafkaContainer container =
        new KafkaContainer(IMAGE)
            .withCopyFileToContainer(
                MountableFile.forHostPath(certificates.keyStore(), 0444), STORES + "broker.p12")
            .withEnv(
                "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP",
                "BROKER:PLAINTEXT,PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT")
            .withEnv("KAFKA_SASL_ENABLED_MECHANISMS", "PLAIN,SCRAM-SHA-512")
            .withEnv("KAFKA_LISTENER_NAME_PLAINTEXT_PLAIN_SASL_JAAS_CONFIG", plain)
            .withEnv(
                "KAFKA_LISTENER_NAME_PLAINTEXT_SCRAM___SHA___512_SASL_JAAS_CONFIG",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;")
            .withEnv("KAFKA_SSL_KEYSTORE_LOCATION", STORES + "broker.p12")
            .withEnv("KAFKA_SSL_KEYSTORE_PASSWORD", certificates.password())
            .withEnv("KAFKA_SSL_KEYSTORE_TYPE", "PKCS12")
            .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false");
    container.start();
    ContainerBroker broker = new ContainerBroker(container, certificates, password);
    try {
      broker.createScramUser();
    } catch (RuntimeException e) {
      container.stop();
      throw e;
    }
    return broker;
  }

  @Override
  public String bootstrapServers() {
    return container.getBootstrapServers().replaceFirst("^.*//", "");
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
  public void close() {
    container.stop();
  }
}
