package io.streampulse.wire;

/**
 * A message is not a health record that this reader knows. The message says why in words for an
 * operator and holds no payload bytes.
 */
public final class UndecodableException extends Exception {
  private static final long serialVersionUID = 1L;

  public UndecodableException(String message) {
    super(message);
  }

  public UndecodableException(String message, Throwable cause) {
    super(message, cause);
  }
}
