package io.streampulse.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * A real broker with one SASL_SSL listener, for tests and the demo. Two users may connect: {@link
 * #PLAIN_USER} by PLAIN, as Event Hubs has it, and {@link #SCRAM_USER} by SCRAM-SHA-512.
 *
 * <p>Thread-safe. Closing it is idempotent.
 */
public interface KafkaBroker extends AutoCloseable {
  /** The user name that Event Hubs asks for. */
  String PLAIN_USER = "$ConnectionString";

  /** The user of the SCRAM-SHA-512 login. */
  String SCRAM_USER = "streampulse";

  /** {@code localhost:port}. */
  String bootstrapServers();

  /** The certificate clients have to trust. */
  Certificates certificates();

  /** The password of both users, of the form of an Event Hubs connection string. */
  String password();

  @Override
  void close();

  /** A new password, which is an Event Hubs connection string too. */
  static String newPassword() {
    return "Endpoint=sb://localhost/;SharedAccessKeyName=streampulse;SharedAccessKey="
        + UUID.randomUUID();
  }

  /**
   * A broker in a container where a Docker engine answers, else one in this process.
   *
   * @param folder where certificates and the broker's log go; the caller removes it
   */
  static KafkaBroker start(Path folder) {
    return ContainerBroker.isPossible()
        ? ContainerBroker.startOrEmbedded(folder)
        : EmbeddedBroker.start(folder);
  }

  /** Client settings that connect as {@link #PLAIN_USER}. */
  default Map<String, String> plainClient() {
    return client(
        "PLAIN",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(PLAIN_USER, password()));
  }

  /** Client settings that connect as {@link #SCRAM_USER}. */
  default Map<String, String> scramClient() {
    return client(
        "SCRAM-SHA-512",
        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
            .formatted(SCRAM_USER, password()));
  }

  private Map<String, String> client(String mechanism, String jaas) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrapServers());
    settings.put("security.protocol", "SASL_SSL");
    settings.put("sasl.mechanism", mechanism);
    settings.put("sasl.jaas.config", jaas);
    settings.put("ssl.truststore.location", certificates().trustStore().toString());
    settings.put("ssl.truststore.password", certificates().password());
    settings.put("ssl.truststore.type", "PKCS12");
    return settings;
  }

  /** A client's settings by the names that agent and consumer know them by in a Spark conf. */
  static Map<String, String> sparkConf(Map<String, String> client) {
    Map<String, String> conf = new TreeMap<>();
    client.forEach((name, value) -> conf.put("spark.streampulse.kafka." + name, value));
    return conf;
  }

  /** Creates a topic; one that is there already is left as it is. */
  default void createTopic(String name, int partitions) {
    administer(
        admin -> {
          try {
            admin.createTopics(Set.of(new NewTopic(name, partitions, (short) 1))).all().get();
          } catch (ExecutionException e) {
            if (!(e.getCause() instanceof TopicExistsException)) {
              throw e;
            }
          }
        });
  }

  /** Deletes a topic. */
  default void deleteTopic(String name) {
    administer(admin -> admin.deleteTopics(Set.of(name)).all().get());
  }

  /** Raises the number of a topic's partitions. */
  default void addPartitions(String name, int partitions) {
    administer(
        admin ->
            admin.createPartitions(Map.of(name, NewPartitions.increaseTo(partitions))).all().get());
  }

  /** Deletes what is before an offset, as retention does. */
  default void deleteRecordsBefore(String topic, int partition, long offset) {
    administer(
        admin ->
            admin
                .deleteRecords(
                    Map.of(
                        new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(offset)))
                .all()
                .get());
  }

  /** Makes the login of {@link #SCRAM_USER}; called once by the broker that starts. */
  default void createScramUser() {
    createUser(SCRAM_USER, password());
  }

  /**
   * Makes a login by those of SCRAM-SHA-256 and SCRAM-SHA-512 that the broker offers; of one that
   * is there already, it changes the password.
   */
  default void createUser(String name, String password) {
    administer(
        admin -> {
          // One by one: the broker refuses a user twice in a request.
          for (ScramMechanism mechanism :
              List.of(ScramMechanism.SCRAM_SHA_256, ScramMechanism.SCRAM_SHA_512)) {
            ScramCredentialInfo info = new ScramCredentialInfo(mechanism, 4096);
            admin
                .alterUserScramCredentials(
                    List.of(new UserScramCredentialUpsertion(name, info, password)))
                .all()
                .get();
          }
        });
  }

  /** Does work as {@link #PLAIN_USER}, who may do all. */
  default void administer(AdminWork work) {
    try (Admin admin = Admin.create(Map.<String, Object>copyOf(plainClient()))) {
      work.run(admin);
    } catch (ExecutionException e) {
      throw new IllegalStateException("The broker refused: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while the broker was asked", e);
    }
  }

  /** Work with an admin client that is closed after it. */
  interface AdminWork {
    void run(Admin admin) throws ExecutionException, InterruptedException;
  }
}
