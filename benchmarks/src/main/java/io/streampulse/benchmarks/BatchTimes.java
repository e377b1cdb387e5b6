package io.streampulse.benchmarks;

import java.util.List;

/**
 * How long the micro-batches of a turn took, of which Spark tells whole milliseconds.
 *
 * @param millis in ascending order; at least one
 */
record BatchTimes(List<Long> millis) {
  BatchTimes {
    if (millis.isEmpty()) {
      throw new IllegalArgumentException("No batches");
    }
    millis = millis.stream().sorted().toList();
  }

  int count() {
    return millis.size();
  }

  /**
   * The median, interpolated within its millisecond as that of grouped values is: steps of a whole
   * one would be larger than the difference that is looked for.
   */
  double median() {
    long middle = millis.get(millis.size() / 2);
    long below = millis.stream().filter(m -> m < middle).count();
    long equal = millis.stream().filter(m -> m == middle).count();
    return middle - 0.5 + (millis.size() / 2.0 - below) / equal;
  }

  /** The time that 99 of 100 batches did not take longer than. */
  double p99() {
    return millis.get((millis.size() * 99 + 99) / 100 - 1);
  }
}
