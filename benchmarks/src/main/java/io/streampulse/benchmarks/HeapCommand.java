package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.Outbox;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.agent.mapping.ApplicationInfo;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench heap}. */
@Command(name = "heap", description = "Heap held by the agent's buffers when both are full.")
final class HeapCommand implements Callable<Integer> {
  private static final int CAPACITY = 1000;
  private static final long MAX_BYTES = 16_000_000;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    Report report = Report.of(spec);
    report.table(
        List.of(
            "progress",
            "records waiting",
            "as messages",
            "heap of them",
            "heap of %,d events not yet looked at".formatted(CAPACITY)),
        ProgressSamples.SIZES.stream()
            .map(
                size -> {
                  List<String> row = new ArrayList<>(List.of(size));
                  row.addAll(outbox(size));
                  row.add(buffer(size));
                  return row;
                })
            .toList());
    report.finish();
    return 0;
  }

  private static List<String> outbox(String size) {
    Accounting accounting = new Accounting();
    RecordMapper mapper =
        new RecordMapper(
            ApplicationInfo.of("agent", "0.1.0", "4.2.0", Map.of(), Map.of()),
            Map.of(),
            accounting,
            Integer.MAX_VALUE);
    RecordLimiter limiter = new RecordLimiter(900_000);
    long before = usedHeap();
    Outbox outbox = new Outbox(CAPACITY, MAX_BYTES, accounting);
    try {
      for (int i = 0; i < 2 * CAPACITY; i++) {
        var record = mapper.map(new StampedEvent(i, i, ProgressSamples.of(size)));
        outbox.add(record, limiter.fit(record));
      }
      return List.of(
          "%,d".formatted(outbox.size()),
          "%.1f MB".formatted(outbox.bytes() / 1e6),
          "%.1f MB".formatted((usedHeap() - before) / 1e6));
    } finally {
      Reference.reachabilityFence(outbox);
    }
  }

  /** Spark's events, as long as the flusher has not come to them: it does so within 200 ms. */
  private static String buffer(String size) {
    long before = usedHeap();
    RecordBuffer buffer = new RecordBuffer(CAPACITY, new Accounting(), Clock.systemUTC());
    try {
      for (int i = 0; i < 2 * CAPACITY; i++) {
        buffer.offer(ProgressSamples.of(size));
      }
      return "%.1f MB".formatted((usedHeap() - before) / 1e6);
    } finally {
      Reference.reachabilityFence(buffer);
    }
  }

  private static long usedHeap() {
    System.gc();
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
