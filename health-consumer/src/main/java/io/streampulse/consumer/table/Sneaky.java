package io.streampulse.consumer.table;

/**
 * Spark throws checked exceptions that no Java signature declares, such as AnalysisException: what
 * is caught as Exception is thrown on as it is.
 */
final class Sneaky {
  private Sneaky() {}

  /** Throws the exception; declared to return one, so that the compiler knows the code ends. */
  @SuppressWarnings("unchecked")
  static <E extends Exception> RuntimeException rethrow(Exception e) throws E {
    throw (E) e;
  }
}
