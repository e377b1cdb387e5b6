package io.streampulse.agent.buffer;

import java.util.Locale;

/** Why a record was dropped. Its key stands in {@code HealthRecord.dropped}. */
public enum DropReason {
  /** The buffer was full; the oldest progress went first. */
  BUFFER_FULL,
  /** The record is larger than the broker takes, or than {@code agent.record.max-bytes} allows. */
  TOO_LARGE,
  /** The event could not be turned into a record. */
  ENCODE_FAILED,
  /** The broker refused the record, or had not acknowledged it when the agent closed. */
  PUBLISH_FAILED,
  /** The event came after the agent had closed. */
  CLOSED;

  /** The name in the record: lower case, words joined by {@code _}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }
}
