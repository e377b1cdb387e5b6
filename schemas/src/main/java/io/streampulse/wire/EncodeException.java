package io.streampulse.wire;

/** A health record could not be written as Avro. */
public final class EncodeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EncodeException(String message, Throwable cause) {
    super(message, cause);
  }
}
