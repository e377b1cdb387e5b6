package io.streampulse.consumer.fleet;

import java.util.Set;

/**
 * The state of a query, as the view {@code query_status} gives it, most urgent first. The rules are
 * in that view's SQL and nowhere else.
 */
public enum QueryState {
  FAILED,
  HUNG,
  SILENT,
  STALLED,
  FALLING_BEHIND,
  RESTARTING,
  LONG_BATCH,
  CATCHING_UP,
  STOPPED,
  IDLE,
  OK;

  /** The states in which nobody but a person helps: what a script should fail on. */
  public static final Set<QueryState> DOWN = Set.of(FAILED, HUNG, SILENT);
}
