package io.streampulse.consumer.append;

/**
 * <b>Invariant 2, version.</b> Delta's {@code txnAppId} is the checkpoint's query id behind a fixed
 * prefix; its {@code txnVersion} rises for ever: the start of the run in milliseconds since 1970 in
 * the high bits, a counter of the run's appends in the low 20. It is never the batch id: async
 * progress tracking gives one batch id to different records.
 *
 * <p>After a million appends the counter runs into the high bits. That is harmless: it moves them
 * by a millisecond where at least as many have passed.
 *
 * <p>Not thread-safe: a run appends on one thread at a time.
 */
final class RunVersion {
  private static final String PREFIX = "streampulse-";
  private static final int COUNTER_BITS = 20;

  private final String appId;
  private long last;

  private RunVersion(String appId, long last) {
    this.appId = appId;
    this.last = last;
  }

  /**
   * The versions of a run.
   *
   * @param queryId Spark's id of the query, which lives in its checkpoint
   * @param startMillis start of the run, milliseconds since 1970
   */
  static RunVersion of(String queryId, long startMillis) {
    return new RunVersion(PREFIX + queryId, startMillis << COUNTER_BITS);
  }

  /** The versions by which a run locks out another checkpoint's. */
  static RunVersion ofAppId(String appId, long startMillis) {
    return new RunVersion(appId, startMillis << COUNTER_BITS);
  }

  String appId() {
    return appId;
  }

  long next() {
    return ++last;
  }

  /** Moves all versions to come, as if the run had started later. */
  void raiseByMillis(long millis) {
    last += millis << COUNTER_BITS;
  }
}
