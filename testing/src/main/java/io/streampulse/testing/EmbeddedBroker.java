package io.streampulse.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Supplier;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.Time;

/**
 * A Kafka broker in KRaft mode (broker and controller in one) inside this JVM, listening on
 * loopback only. Real in all that a client sees: TLS, SASL, replication log on disk.
 */
public final class EmbeddedBroker implements KafkaBroker {
  private static final int ATTEMPTS_FOR_FREE_PORTS = 3;
  private static final Duration UNTIL_RIGHTS_APPLY = Duration.ofSeconds(30);

  private final BrokerSetup setup;
  private final KafkaRaftServer server;
  private boolean closed;

  private EmbeddedBroker(BrokerSetup setup, KafkaRaftServer server) {
    this.setup = setup;
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
    String password = KafkaBroker.newPassword();
    return firstStart(
        port == 0 ? ATTEMPTS_FOR_FREE_PORTS : 1,
        () ->
            new BrokerSetup(
                folder, port == 0 ? freePort() : port, certificates, password, Optional.empty()));
  }

  /**
   * Starts a broker with more logins, on free ports. Its main listener offers SCRAM-SHA-256 and
   * OAUTHBEARER too; for clients with a certificate, and for those that must not trust the broker,
   * it has further listeners. Who has rights to a topic or a group, by {@link #allow}, shuts out
   * others; what nobody has rights to is open to all. The users of {@link KafkaBroker} may do all.
   * A client with a token has to renew it: when it expires, the broker ends the session.
   *
   * @param folder for certificates and the log
   * @param tokens whose tokens it believes; asked for nothing but its key set
   */
  public static EmbeddedBroker withEveryLogin(Path folder, TokenServer tokens) {
    LoginCertificates certificates = LoginCertificates.create(folder.resolve("certificates"));
    String password = KafkaBroker.newPassword();
    return firstStart(
        ATTEMPTS_FOR_FREE_PORTS,
        () ->
            new BrokerSetup(
                folder,
                freePort(),
                certificates.broker(),
                password,
                Optional.of(EveryLogin.onFreePorts(certificates, tokens.keySet()))));
  }

  /** Formats the log once: an attempt that finds a port taken leaves it formatted. */
  private static EmbeddedBroker firstStart(int attempts, Supplier<BrokerSetup> setups) {
    setups.get().format();
    for (int attempt = 1; ; attempt++) {
      try {
        return firstStart(setups.get());
      } catch (RuntimeException e) {
        if (attempt == attempts) {
          throw e;
        }
      }
    }
  }

  private static EmbeddedBroker firstStart(BrokerSetup setup) {
    EmbeddedBroker broker = new EmbeddedBroker(setup, startServer(setup));
    try {
      broker.createScramUser();
    } catch (RuntimeException e) {
      broker.close();
      throw e;
    }
    return broker;
  }

  /**
   * Starts it again after it was closed: same ports, certificates, users and log, so that clients
   * who have waited find what they knew.
   */
  public EmbeddedBroker again() {
    return new EmbeddedBroker(setup, startServer(setup));
  }

  @Override
  public String bootstrapServers() {
    return local(setup.port());
  }

  @Override
  public Certificates certificates() {
    return setup.certificates();
  }

  @Override
  public String password() {
    return setup.password();
  }

  /** The listener that asks a client for its certificate, and for no other login. */
  public String mutualTlsServers() {
    return local(everyLogin().mutualTlsPort());
  }

  /** A listener with PLAIN whose certificate was valid until last week. */
  public String expiredCertificateServers() {
    return local(everyLogin().expiredCertificatePort());
  }

  /** A listener with PLAIN whose certificate is for another host. */
  public String otherHostServers() {
    return local(everyLogin().otherHostPort());
  }

  /** The certificate of a client that {@link #mutualTlsServers()} lets in. */
  public ClientCertificate clientCertificate() {
    return everyLogin().certificates().client();
  }

  /** The certificate of a client whose issuer the broker doesn't know, though one by its name. */
  public ClientCertificate unknownClientCertificate() {
    return everyLogin().certificates().unknownClient();
  }

  /**
   * Gives a user a right, and returns when it applies. From then on, who has no right to the same
   * topic or group can't use it.
   *
   * @param user of any login: with a token its subject, with a certificate its common name
   */
  public void allow(String user, AclOperation operation, ResourceType type, String name) {
    AclBinding right =
        new AclBinding(
            new ResourcePattern(type, name, PatternType.LITERAL),
            new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW));
    administer(
        admin -> {
          admin.createAcls(Set.of(right)).all().get();
          Instant deadline = Instant.now().plus(UNTIL_RIGHTS_APPLY);
          while (admin.describeAcls(right.toFilter()).values().get().isEmpty()) {
            if (Instant.now().isAfter(deadline)) {
              throw new IllegalStateException("The broker does not apply " + right);
            }
          }
        });
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      server.shutdown();
      server.awaitShutdown();
    }
  }

  private EveryLogin everyLogin() {
    return setup
        .everyLogin()
        .orElseThrow(() -> new IllegalStateException("This broker has its main listener only"));
  }

  private static String local(int port) {
    return "localhost:" + port;
  }

  private static KafkaRaftServer startServer(BrokerSetup setup) {
    Properties properties = new Properties();
    properties.putAll(setup.settings());
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
    try {
      server.startup();
    } catch (RuntimeException e) {
      server.shutdown();
      throw e;
    }
    return server;
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
