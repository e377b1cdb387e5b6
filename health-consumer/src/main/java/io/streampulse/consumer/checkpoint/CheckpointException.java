package io.streampulse.consumer.checkpoint;

/** A checkpoint can't be used as it is: another start does not help, someone has to mend it. */
public final class CheckpointException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CheckpointException(String message) {
    super(message);
  }

  public CheckpointException(String message, Throwable cause) {
    super(message, cause);
  }
}
