package io.streampulse.testing;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * Stands before a {@link KafkaBroker} and behaves as the Kafka endpoint of Azure Event Hubs does
 * where that differs from a Kafka broker. Made from what is published about the service by its
 * documentation and its users; no Azure service was reached to make or to check it.
 *
 * <p>What it always does:
 *
 * <ul>
 *   <li>Clients see one broker, at {@link #bootstrapServers}, by TLS and with the logins of the
 *       broker behind it.
 *   <li>It offers what a login needs that can only send and listen: no administration, no topic
 *       ids, no transactions, no telemetry, no group protocol but the classic one. A request for
 *       anything else closes the connection.
 *   <li>A produce request of more than {@value #LARGEST_PRODUCE} bytes closes the connection.
 *   <li>A connection without a request for 240 seconds is closed.
 * </ul>
 *
 * <p>All connections that it closes are reset, without an answer to what is pending. Settings can
 * be changed at any time and hold for the requests after that.
 *
 * <p>Thread-safe. Closing it is idempotent, and does not close the broker.
 */
public final class EventHubsStandIn implements AutoCloseable {
  /** The largest produce request that is taken, as the service's documentation has it. */
  public static final int LARGEST_PRODUCE = 1_046_528;

  private static final String HOST = "localhost";

  /** The highest version of the list of APIs that is known. */
  private static final short HIGHEST_API_VERSIONS = 3;

  private final Map<ApiKeys, Integer> requests = new ConcurrentHashMap<>();
  private final AtomicInteger closedIdle = new AtomicInteger();
  private final AtomicInteger refusedTooLarge = new AtomicInteger();
  private final AtomicInteger refusedEmptyMetadata = new AtomicInteger();
  private final AtomicInteger refusedNotOffered = new AtomicInteger();
  private final AtomicInteger producesRefused = new AtomicInteger();
  private final EventHubsListener listener;
  private final EventHubsAnswers answers;

  private volatile UnknownApiVersions unknownApiVersions = UnknownApiVersions.ANSWER_ERROR;
  private volatile int idleMillis = 240_000;
  private volatile int throttleMillis;
  private volatile boolean refuseEmptyMetadata;
  private ProduceErrors produceErrors = new ProduceErrors(Errors.NONE, 0);

  private EventHubsStandIn(EventHubsListener listener) {
    this.listener = listener;
    this.answers = new EventHubsAnswers(HOST, listener.port());
  }

  /** What happens to a client that asks for the list of APIs in a version not known yet. */
  public enum UnknownApiVersions {
    /** It gets an error that names the versions known, as from a Kafka broker, and asks again. */
    ANSWER_ERROR,
    /** Its connection is closed, as users of the service have reported in 2025. */
    RESET,
    /** It gets the list in the highest version known. */
    IGNORE_VERSION
  }

  /** Starts a stand-in on a free port, in front of a broker. */
  public static EventHubsStandIn start(KafkaBroker broker) {
    EventHubsStandIn standIn = new EventHubsStandIn(EventHubsListener.bind(broker));
    standIn.listener.listen(standIn);
    return standIn;
  }

  /** {@code localhost:port}, to be set in the client settings of the broker. */
  public String bootstrapServers() {
    return HOST + ":" + listener.port();
  }

  /**
   * How long a connection may be without a request; at first 240 seconds. An open connection takes
   * it up with its next request.
   */
  public EventHubsStandIn idleTimeout(Duration timeout) {
    if (timeout.toMillis() <= 0) {
      throw new IllegalArgumentException("Not a time to wait: " + timeout);
    }
    idleMillis = Math.toIntExact(timeout.toMillis());
    return this;
  }

  /** The treatment of unknown versions of the list of APIs; at first an error is answered. */
  public EventHubsStandIn unknownApiVersions(UnknownApiVersions treatment) {
    unknownApiVersions = treatment;
    return this;
  }

  /**
   * Whether a metadata request closes the connection that names no topic, as happens to logins with
   * rights on one hub only; at first it does not.
   */
  public EventHubsStandIn refuseEmptyMetadata(boolean refuse) {
    refuseEmptyMetadata = refuse;
    return this;
  }

  /** The throttling that answers to produce requests speak of; at first none. */
  public EventHubsStandIn throttle(Duration time) {
    throttleMillis = Math.toIntExact(time.toMillis());
    return this;
  }

  /**
   * Keeps the next produce requests from the broker and answers them with an error. Replaces what
   * is left of an earlier call.
   */
  public synchronized EventHubsStandIn answerProduce(Errors error, int times) {
    produceErrors = new ProduceErrors(error, times);
    return this;
  }

  /** How many requests of each API have come, also of those that were refused. */
  public Map<ApiKeys, Integer> requests() {
    return Map.copyOf(requests);
  }

  /** How many connections were closed because no request came. */
  public int closedIdle() {
    return closedIdle.get();
  }

  /** How many produce requests were too large. */
  public int refusedTooLarge() {
    return refusedTooLarge.get();
  }

  /** How many metadata requests without a topic were refused. */
  public int refusedEmptyMetadata() {
    return refusedEmptyMetadata.get();
  }

  /** How many requests were refused because their API or its version is not offered. */
  public int refusedNotOffered() {
    return refusedNotOffered.get();
  }

  /** How many produce requests were answered with the error of {@link #answerProduce}. */
  public int producesRefused() {
    return producesRefused.get();
  }

  @Override
  public void close() {
    listener.close();
  }

  int idleMillis() {
    return idleMillis;
  }

  void countIdle() {
    closedIdle.incrementAndGet();
  }

  /** What the client gets for the broker's answer. */
  ByteBuffer rewrite(RequestHeader request, ByteBuffer answer) {
    return answers.rewrite(request, answer, throttleMillis);
  }

  /** What becomes of a request; the frame is left as it was. */
  EventHubsVerdict judge(ByteBuffer frame) {
    ByteBuffer body = frame.duplicate();
    RequestHeader request;
    try {
      request = RequestHeader.parse(body);
    } catch (InvalidRequestException e) {
      return refuse(refusedNotOffered);
    }
    requests.merge(request.apiKey(), 1, Integer::sum);
    if (request.apiKey() == ApiKeys.API_VERSIONS) {
      return list(request);
    }
    if (!EventHubsApis.offers(request.apiKey(), request.apiVersion())) {
      return refuse(refusedNotOffered);
    }
    return switch (request.apiKey()) {
      case PRODUCE ->
          frame.remaining() > LARGEST_PRODUCE ? refuse(refusedTooLarge) : produce(request, body);
      case METADATA -> metadata(request, body);
      default -> EventHubsVerdict.relay(request);
    };
  }

  private EventHubsVerdict list(RequestHeader request) {
    UnknownApiVersions treatment =
        request.apiVersion() > HIGHEST_API_VERSIONS
            ? unknownApiVersions
            : UnknownApiVersions.IGNORE_VERSION;
    return switch (treatment) {
      case ANSWER_ERROR ->
          EventHubsVerdict.answer(
              request,
              EventHubsAnswers.frame(
                  request, EventHubsApis.unsupportedVersion(HIGHEST_API_VERSIONS), (short) 0));
      case RESET -> EventHubsVerdict.REFUSED;
      case IGNORE_VERSION -> {
        short version = (short) Math.min(request.apiVersion(), HIGHEST_API_VERSIONS);
        yield EventHubsVerdict.answer(
            request,
            EventHubsAnswers.frame(request, EventHubsApis.list(HIGHEST_API_VERSIONS), version));
      }
    };
  }

  private EventHubsVerdict produce(RequestHeader request, ByteBuffer body) {
    ProduceRequest produce = ProduceRequest.parse(body, request.apiVersion());
    Errors error = nextProduceError();
    if (error == Errors.NONE) {
      return produce.acks() == 0
          ? EventHubsVerdict.relayUnanswered(request)
          : EventHubsVerdict.relay(request);
    }
    producesRefused.incrementAndGet();
    AbstractResponse answer = produce.getErrorResponse(throttleMillis, error.exception());
    return answer == null
        ? EventHubsVerdict.REFUSED
        : EventHubsVerdict.answer(
            request, EventHubsAnswers.frame(request, answer.data(), request.apiVersion()));
  }

  private EventHubsVerdict metadata(RequestHeader request, ByteBuffer body) {
    if (refuseEmptyMetadata) {
      Collection<?> topics = MetadataRequest.parse(body, request.apiVersion()).data().topics();
      if (topics == null || topics.isEmpty()) {
        return refuse(refusedEmptyMetadata);
      }
    }
    return EventHubsVerdict.relay(request);
  }

  private static EventHubsVerdict refuse(AtomicInteger count) {
    count.incrementAndGet();
    return EventHubsVerdict.REFUSED;
  }

  private synchronized Errors nextProduceError() {
    if (produceErrors.times() <= 0) {
      return Errors.NONE;
    }
    produceErrors = new ProduceErrors(produceErrors.error(), produceErrors.times() - 1);
    return produceErrors.error();
  }

  private record ProduceErrors(Errors error, int times) {}
}
