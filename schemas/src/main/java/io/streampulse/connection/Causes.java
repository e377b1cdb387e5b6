package io.streampulse.connection;

import java.util.ArrayList;
import java.util.List;

/** What stands behind a failure. */
public final class Causes {
  /** Causes may go in circles. */
  private static final int DEEPEST = 30;

  private Causes() {}

  /** The failure and its causes, the innermost last; a list of the caller's own. */
  public static List<Throwable> of(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    Throwable cause = failure;
    while (cause != null && causes.size() < DEEPEST) {
      causes.add(cause);
      cause = cause.getCause();
    }
    return causes;
  }
}
