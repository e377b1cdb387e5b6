package io.streampulse.consumer.source;

/** The broker gave Spark's Kafka source no answer for too long, and it could not be asked why. */
public final class SourceSilentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SourceSilentException(String message) {
    super(message);
  }
}
