package io.streampulse.consumer.capacity;

import java.time.Duration;

/** Loads of four queries to an application, with the command's defaults. */
final class Loads {
  private Loads() {}

  static Load of(long queries, Duration trigger) {
    return of(queries, trigger, Measured.RECORD_BYTES, 30);
  }

  static Load ofBytes(long queries, Duration trigger, int recordBytes) {
    return of(queries, trigger, recordBytes, 30);
  }

  static Load of(long queries, Duration trigger, int recordBytes, int tableDays) {
    return new Load(
        queries,
        trigger,
        (queries + 3) / 4,
        recordBytes,
        Duration.ofMinutes(1),
        Duration.ofSeconds(10),
        Duration.ofSeconds(10),
        7,
        tableDays,
        10_000,
        66);
  }
}
