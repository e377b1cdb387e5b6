package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What one progress costs the flusher thread, beside Spark's own JSON of it. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class MappingBenchmark {
  @Param({"rate", "kafka", "stateful", "large"})
  public String size;

  private final RecordMapper mapper = ProgressSamples.mapper();
  private final RecordLimiter limiter = new RecordLimiter(900_000);
  private StampedEvent event;

  @Setup(Level.Trial)
  public void sample() {
    event = new StampedEvent(0, 1_000_000_000_000L, ProgressSamples.of(size));
  }

  /** Bytes of the message. */
  @Benchmark
  public int mapAndEncode() {
    return limiter.fit(mapper.map(event));
  }

  @Benchmark
  public String sparksJson() {
    return ProgressSamples.json(event.event());
  }

  int messageBytes(String ofSize) {
    size = ofSize;
    sample();
    return mapAndEncode();
  }

  int jsonBytes(String ofSize) {
    size = ofSize;
    sample();
    return sparksJson().length();
  }
}
