package io.streampulse.consumer;

/** A batch was not the same when it was decoded again; a restart reads it anew, once. */
final class DecodedDifferentlyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DecodedDifferentlyException(String message) {
    super(message);
  }
}
