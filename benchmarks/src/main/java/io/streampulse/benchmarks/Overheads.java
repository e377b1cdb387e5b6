package io.streampulse.benchmarks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.sql.streaming.StreamingQueryProgress;

/**
 * What micro-batches took besides their sink, in milliseconds, and how many operations of the
 * checkpoint's file system they made. Not thread-safe.
 */
final class Overheads {
  private final List<Long> overheads = new ArrayList<>();
  private final List<Long> logs = new ArrayList<>();
  private final List<Long> sinks = new ArrayList<>();
  private final Map<String, Long> operations = new HashMap<>();

  /** Adds a batch. */
  void add(StreamingQueryProgress progress) {
    overheads.add(phase(progress, "triggerExecution") - phase(progress, "addBatch"));
    sinks.add(phase(progress, "addBatch"));
    logs.add(phase(progress, "walCommit") + phase(progress, "commitOffsets"));
  }

  /** Adds all of others. */
  void add(Overheads others) {
    overheads.addAll(others.overheads);
    logs.addAll(others.logs);
    sinks.addAll(others.sinks);
    others.operations.forEach((name, count) -> operations.merge(name, count, Long::sum));
  }

  /** Adds the operations between two counts. */
  void addOperations(Map<String, Long> before, Map<String, Long> after) {
    after.forEach(
        (name, count) -> operations.merge(name, count - before.getOrDefault(name, 0L), Long::sum));
  }

  int batches() {
    return overheads.size();
  }

  double median() {
    return percentile(overheads, 0.5);
  }

  double percentile95() {
    return percentile(overheads, 0.95);
  }

  /** The median of what the offset log and the commit log took of it. */
  double medianOfLogs() {
    return percentile(logs, 0.5);
  }

  /** The median of what the sink took, which is no overhead. */
  double medianOfSink() {
    return percentile(sinks, 0.5);
  }

  Set<String> operationNames() {
    return operations.keySet();
  }

  double operationsPerBatch() {
    return (double) operations.values().stream().mapToLong(Long::longValue).sum() / batches();
  }

  double operationsPerBatch(String name) {
    return (double) operations.getOrDefault(name, 0L) / batches();
  }

  private static long phase(StreamingQueryProgress progress, String name) {
    return progress.durationMs().getOrDefault(name, 0L);
  }

  /** The smallest figure that so large a part is not above. */
  private static double percentile(List<Long> figures, double part) {
    if (figures.isEmpty()) {
      throw new IllegalStateException("No batch was measured: give it more seconds");
    }
    List<Long> sorted = figures.stream().sorted().toList();
    return sorted.get((int) Math.ceil(part * sorted.size()) - 1);
  }
}
