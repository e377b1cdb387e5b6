package io.streampulse.consumer.append;

/** Another run owns the checkpoint or the table: this one must not append any more. */
public final class FencedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  FencedException(String message) {
    super(message);
  }

  FencedException(String message, Throwable cause) {
    super(message, cause);
  }
}
