package io.streampulse.consumer.command;

/** The consumer has ended for good by a failure. */
final class ConsumerFailedException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Failure failure;

  ConsumerFailedException(Failure failure, Throwable cause) {
    super(failure.message(), cause);
    this.failure = failure;
  }

  Failure failure() {
    return failure;
  }
}
