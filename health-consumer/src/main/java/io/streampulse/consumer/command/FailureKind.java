package io.streampulse.consumer.command;

/** Why a consumer ended, which decides whether it is started again and with which code it exits. */
enum FailureKind {
  /** Broker, catalog or storage for the time being: another start may help. */
  PASSING(1, true),
  /** A package that the consumer needs is not there. */
  MISSING(2, false),
  /** Another run or another checkpoint's consumer has the table. */
  FENCED(3, false),
  /** Broker, registry or catalog refuse this login, or the topic is not there. */
  REFUSED(4, false),
  /** Messages that were not read yet are not in the topic any more. */
  DATA_LOSS(5, false),
  /** A table is gone or does not fit. */
  TABLE(6, false),
  /** The checkpoint can't be used. */
  CHECKPOINT(7, false);

  private final int exitCode;
  private final boolean restarted;

  FailureKind(int exitCode, boolean restarted) {
    this.exitCode = exitCode;
    this.restarted = restarted;
  }

  int exitCode() {
    return exitCode;
  }

  boolean isRestarted() {
    return restarted;
  }
}
