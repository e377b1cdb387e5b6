package io.streampulse.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where clients of the stand-in connect. Knows all connections and all threads, so that nothing of
 * them is left when it is closed.
 *
 * <p>Thread-safe.
 */
final class EventHubsListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventHubsListener.class);
  private static final int BACKLOG = 50;
  private static final Duration LONGEST_END = Duration.ofSeconds(15);
  private static final long LONGEST_WAIT_MILLIS = 100;

  private final Set<EventHubsConnection> connections = ConcurrentHashMap.newKeySet();
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final ServerSocket server;
  private final InetSocketAddress brokerAddress;
  private final SSLContext tls;

  private EventHubsListener(ServerSocket server, InetSocketAddress brokerAddress, SSLContext tls) {
    this.server = server;
    this.brokerAddress = brokerAddress;
    this.tls = tls;
  }

  /** Takes a free port of loopback for a broker's clients; {@link #listen} serves them. */
  static EventHubsListener bind(KafkaBroker broker) {
    String address = broker.bootstrapServers();
    int colon = address.lastIndexOf(':');
    InetSocketAddress brokerAddress =
        new InetSocketAddress(
            address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    SSLContext tls = broker.certificates().tls();
    try {
      return new EventHubsListener(
          new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress()), brokerAddress, tls);
    } catch (IOException e) {
      throw new IllegalStateException("No free port on loopback", e);
    }
  }

  /** Serves clients from now on. */
  void listen(EventHubsStandIn standIn) {
    start("accept", () -> accept(standIn));
  }

  /** The port that clients connect to. */
  int port() {
    return server.getLocalPort();
  }

  InetSocketAddress brokerAddress() {
    return brokerAddress;
  }

  /** Shows the broker's certificate to clients, and trusts it. */
  SSLContext tls() {
    return tls;
  }

  /** Starts a thread whose end {@link #close} waits for. */
  void start(String role, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } finally {
                threads.remove(Thread.currentThread());
              }
            },
            "event-hubs-stand-in-" + port() + "-" + role);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      LOG.warn("The stand-in's port did not close", e);
    }
    long deadline = System.nanoTime() + LONGEST_END.toNanos();
    try {
      while (!threads.isEmpty() && System.nanoTime() - deadline < 0) {
        connections.forEach(EventHubsConnection::close);
        for (Thread thread : threads) {
          thread.join(LONGEST_WAIT_MILLIS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept(EventHubsStandIn standIn) {
    try {
      while (true) {
        EventHubsConnection connection = new EventHubsConnection(standIn, this, server.accept());
        connections.add(connection);
        start("requests", () -> serve(connection));
      }
    } catch (IOException e) {
      if (!server.isClosed()) {
        LOG.warn("The stand-in takes no more clients", e);
      }
    }
  }

  private void serve(EventHubsConnection connection) {
    try {
      connection.run();
    } finally {
      connections.remove(connection);
    }
  }
}
