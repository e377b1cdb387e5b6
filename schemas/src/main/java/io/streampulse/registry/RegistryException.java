package io.streampulse.registry;

/**
 * The registry did not do what it was asked for. The message says what to do, and has no secrets.
 */
public final class RegistryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  RegistryException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }

  /** The same, with what it was needed for. */
  public RegistryException neededFor(String what) {
    return new RegistryException(kind, "%s (needed for %s)".formatted(getMessage(), what), this);
  }

  /** What an answer means. */
  public enum Kind {
    /** No answer, or one that is no registry's: it may pass. */
    UNAVAILABLE,
    /** The login is refused, or may not do this. */
    REFUSED,
    /** There certainly is no such subject or Avro schema. */
    NOT_FOUND,
    /** The subject's compatibility rule forbids the schema. */
    INCOMPATIBLE,
    /** The registry does not take the request: an invalid schema or subject, a read-only mode. */
    INVALID
  }
}
