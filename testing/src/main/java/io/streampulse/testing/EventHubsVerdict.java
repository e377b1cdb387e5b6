package io.streampulse.testing;

import java.nio.ByteBuffer;
import org.apache.kafka.common.requests.RequestHeader;

/**
 * What becomes of a client's request.
 *
 * @param request none where it is refused
 * @param answer none but where the stand-in answers
 */
record EventHubsVerdict(Action action, RequestHeader request, ByteBuffer answer) {
  /** The ways to treat a request. */
  enum Action {
    /** The broker gets it and answers. */
    RELAY,
    /** The broker gets it, and the client wants no answer. */
    RELAY_UNANSWERED,
    /** The stand-in answers, and the broker does not see it. */
    ANSWER,
    /** The connection is closed. */
    REFUSE
  }

  static final EventHubsVerdict REFUSED = new EventHubsVerdict(Action.REFUSE, null, null);

  static EventHubsVerdict relay(RequestHeader request) {
    return new EventHubsVerdict(Action.RELAY, request, null);
  }

  static EventHubsVerdict relayUnanswered(RequestHeader request) {
    return new EventHubsVerdict(Action.RELAY_UNANSWERED, request, null);
  }

  static EventHubsVerdict answer(RequestHeader request, ByteBuffer answer) {
    return new EventHubsVerdict(Action.ANSWER, request, answer);
  }
}
