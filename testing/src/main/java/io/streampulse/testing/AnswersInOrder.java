package io.streampulse.testing;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BiFunction;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Gives a client its answers in the order of its requests, as Kafka's protocol demands, whether the
 * broker makes them or somebody before it.
 *
 * <p>Thread-safe.
 */
final class AnswersInOrder {
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final DataOutputStream client;
  private final BiFunction<RequestHeader, ByteBuffer, ByteBuffer> rewriting;

  /**
   * Answers for one client.
   *
   * @param client where they are written
   * @param rewriting what the client gets for a request instead of the broker's answer
   */
  AnswersInOrder(
      DataOutputStream client, BiFunction<RequestHeader, ByteBuffer, ByteBuffer> rewriting) {
    this.client = client;
    this.rewriting = rewriting;
  }

  /** Notes a request which the broker will answer; called before the broker gets it. */
  synchronized void expect(RequestHeader request) {
    pending.add(new Pending(request, Optional.empty()));
  }

  /** Answers a request which the broker will not see, once all before it are answered. */
  synchronized void answer(RequestHeader request, ByteBuffer answer) throws IOException {
    pending.add(new Pending(request, Optional.of(answer)));
    sendWhatIsKnown();
  }

  /** Passes on the broker's answer to the oldest request it has not answered yet. */
  synchronized void relay(ByteBuffer answer) throws IOException {
    Pending oldest = pending.poll();
    int correlation = answer.getInt(answer.position());
    if (oldest == null || oldest.request().correlationId() != correlation) {
      throw new IOException("The broker answers request " + correlation + ", which is not due");
    }
    KafkaFrames.write(client, rewriting.apply(oldest.request(), answer));
    sendWhatIsKnown();
  }

  private void sendWhatIsKnown() throws IOException {
    while (!pending.isEmpty() && pending.element().answer().isPresent()) {
      KafkaFrames.write(client, pending.remove().answer().get());
    }
  }

  private record Pending(RequestHeader request, Optional<ByteBuffer> answer) {}
}
