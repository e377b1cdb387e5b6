package io.streampulse.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's connection to the stand-in, and the one to the broker that belongs to it. One thread
 * takes the client's requests, another the broker's answers; both end with the connection.
 *
 * <p>Thread-safe.
 */
final class EventHubsConnection {
  private static final Logger LOG = LoggerFactory.getLogger(EventHubsConnection.class);
  private static final int CONNECT_MILLIS = 10_000;

  private final EventHubsStandIn standIn;
  private final EventHubsListener listener;
  private final Socket client;

  /** A connection that a client has just opened. */
  EventHubsConnection(EventHubsStandIn standIn, EventHubsListener listener, Socket client) {
    this.standIn = standIn;
    this.listener = listener;
    this.client = client;
  }

  /** Relays until a side ends the connection or a request is refused. */
  void run() {
    try (client;
        Socket broker = new Socket()) {
      SSLSocket towardsClient = accept();
      SSLSocket towardsBroker = connect(broker);
      DataInputStream fromBroker = input(towardsBroker);
      AnswersInOrder answers = new AnswersInOrder(output(towardsClient), standIn::rewrite);
      listener.start("answers", () -> relayAnswers(fromBroker, answers));
      if (!relayRequests(input(towardsClient), output(towardsBroker), answers)) {
        client.setSoLinger(true, 0);
      }
    } catch (IOException e) {
      LOG.debug("A connection to the stand-in ended: {}", e.toString());
    }
  }

  /** Ends the connection, and soon its threads. */
  void close() {
    try {
      client.close();
    } catch (IOException e) {
      LOG.debug("A connection to the stand-in did not close: {}", e.toString());
    }
  }

  /** TLS by a layer, so that the socket below it can be closed without TLS's goodbye. */
  private SSLSocket accept() throws IOException {
    client.setTcpNoDelay(true);
    client.setSoTimeout(CONNECT_MILLIS);
    SSLSocketFactory factory = listener.tls().getSocketFactory();
    SSLSocket secured = (SSLSocket) factory.createSocket(client, null, false);
    secured.startHandshake();
    return secured;
  }

  private SSLSocket connect(Socket broker) throws IOException {
    InetSocketAddress address = listener.brokerAddress();
    broker.setTcpNoDelay(true);
    broker.connect(address, CONNECT_MILLIS);
    SSLSocketFactory factory = listener.tls().getSocketFactory();
    SSLSocket secured =
        (SSLSocket) factory.createSocket(broker, address.getHostString(), address.getPort(), false);
    secured.startHandshake();
    return secured;
  }

  /** False when the stand-in has had enough of the client. */
  private boolean relayRequests(
      DataInputStream client, DataOutputStream broker, AnswersInOrder answers) throws IOException {
    while (true) {
      ByteBuffer frame;
      try {
        this.client.setSoTimeout(standIn.idleMillis());
        frame = KafkaFrames.read(client);
      } catch (SocketTimeoutException e) {
        standIn.countIdle();
        return false;
      }
      EventHubsVerdict verdict = standIn.judge(frame);
      switch (verdict.action()) {
        case REFUSE -> {
          return false;
        }
        case ANSWER -> answers.answer(verdict.request(), verdict.answer());
        case RELAY -> {
          answers.expect(verdict.request());
          KafkaFrames.write(broker, frame);
        }
        case RELAY_UNANSWERED -> KafkaFrames.write(broker, frame);
      }
    }
  }

  private void relayAnswers(DataInputStream broker, AnswersInOrder answers) {
    try {
      while (true) {
        answers.relay(KafkaFrames.read(broker));
      }
    } catch (IOException e) {
      LOG.debug("The broker's side of a connection ended: {}", e.toString());
    } finally {
      close();
    }
  }

  private static DataInputStream input(Socket socket) throws IOException {
    return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  private static DataOutputStream output(Socket socket) throws IOException {
    return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
  }
}
