package io.streampulse.agent.publish;

import io.streampulse.agent.buffer.DropReason;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.UnknownProducerIdException;

/**
 * What a failed send means. The producer retries by itself what can be retried, so what comes here
 * it has given up on.
 *
 * @param action what to do with the record
 * @param newProducer whether this producer is of no more use
 */
record SendFailure(Action action, boolean newProducer) {

  /** What to do with the record. */
  enum Action {
    /** The broker has certainly not taken it, and may later: send it again after a while. */
    SEND_AGAIN,
    /** It is larger than the broker takes. */
    DROP_TOO_LARGE,
    /** It is not known whether the broker has it, or it never will: sending again is no help. */
    DROP
  }

  static SendFailure of(Exception failure) {
    if (failure instanceof RecordTooLargeException) {
      return new SendFailure(Action.DROP_TOO_LARGE, false);
    }
    // Event Hubs throttles beyond the request time-out with a policy violation.
    if (failure instanceof PolicyViolationException
        || failure instanceof AuthorizationException
        || failure instanceof AuthenticationException) {
      return new SendFailure(Action.SEND_AGAIN, false);
    }
    // The broker has forgotten or moved on from this producer's id or sequence.
    if (failure instanceof OutOfOrderSequenceException
        || failure instanceof UnknownProducerIdException
        || failure instanceof InvalidPidMappingException
        || failure instanceof InvalidProducerEpochException
        || failure instanceof ProducerFencedException) {
      return new SendFailure(Action.SEND_AGAIN, true);
    }
    return new SendFailure(Action.DROP, false);
  }

  DropReason dropReason() {
    return action == Action.DROP_TOO_LARGE ? DropReason.TOO_LARGE : DropReason.PUBLISH_FAILED;
  }
}
