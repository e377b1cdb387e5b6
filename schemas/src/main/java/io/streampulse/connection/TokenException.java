package io.streampulse.connection;

/** No token could be had; the message says why and what to do, without anything secret. */
final class TokenException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean mayPass;

  TokenException(String message, boolean mayPass, Throwable cause) {
    super(message, cause);
    this.mayPass = mayPass;
  }

  /** Whether asking again may help. */
  boolean mayPass() {
    return mayPass;
  }
}
