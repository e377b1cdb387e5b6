package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What a callback of the listener costs: the agent's, the least a hand-over between threads can
 * cost, and what listeners do that send in the callback.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class CallbackBenchmark {

  /** Callbacks before a buffer with room is emptied, which is not measured. */
  private static final int CAPACITY = 1000;

  /** The agent's buffer. */
  @State(Scope.Benchmark)
  public static class Buffer extends Filled {
    private final RecordBuffer buffer =
        new RecordBuffer(CAPACITY, new Accounting(), Clock.systemUTC());

    @Override
    void drain() {
      for (int left = buffer.size(); left > 0 && buffer.poll() != null; left--) {}
    }
  }

  /** The limit: a bounded queue of the JDK; when it is full the oldest goes. */
  @State(Scope.Benchmark)
  public static class Limit extends Bounded<QueryProgressEvent> {}

  /** The limit for an event that is to tell when it was seen. */
  @State(Scope.Benchmark)
  public static class StampedLimit extends Bounded<StampedEvent> {}

  /** A bounded queue of the JDK. */
  @State(Scope.Benchmark)
  public abstract static class Bounded<T> extends Filled {
    private final Queue<T> queue = new ArrayBlockingQueue<>(CAPACITY);

    @Override
    void drain() {
      queue.clear();
    }

    void offer(T item) {
      while (!queue.offer(item)) {
        queue.poll();
      }
    }
  }

  /** A queue with room, one that another thread empties all the time, or one that stays full. */
  @State(Scope.Benchmark)
  public abstract static class Filled {
    @Param({"room", "drained", "full"})
    public String state;

    final QueryProgressEvent event = ProgressSamples.of("kafka");
    private volatile boolean running;
    private Thread drain;

    abstract void drain();

    @Setup(Level.Trial)
    public void start() {
      running = state.equals("drained");
      drain =
          new Thread(
              () -> {
                while (running) {
                  drain();
                }
              });
      drain.start();
    }

    @Setup(Level.Invocation)
    public void empty() {
      if (state.equals("room")) {
        drain();
      }
    }

    @TearDown(Level.Trial)
    public void stop() throws InterruptedException {
      running = false;
      drain.join();
    }
  }

  /** What known Kafka listeners do: JSON, and send, in the callback. */
  @State(Scope.Benchmark)
  public static class Peer {
    private final QueryProgressEvent event = ProgressSamples.of("kafka");
    private Path folder;
    private EmbeddedBroker broker;
    private KafkaProducer<String, String> producer;

    @Setup(Level.Trial)
    public void start() throws IOException {
      folder = Files.createTempDirectory("streampulse-bench");
      broker = EmbeddedBroker.start(folder);
      broker.createTopic("peer", 3);
      Properties settings = new Properties();
      settings.putAll(broker.plainClient());
      producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    }

    @TearDown(Level.Trial)
    public void stop() {
      producer.close();
      broker.close();
      Folders.delete(folder);
    }
  }

  @Benchmark
  @OperationsPerInvocation(CAPACITY)
  public void agent(Buffer state) {
    for (int i = 0; i < CAPACITY; i++) {
      state.buffer.offer(state.event);
    }
  }

  @Benchmark
  @OperationsPerInvocation(CAPACITY)
  public void limit(Limit state) {
    for (int i = 0; i < CAPACITY; i++) {
      state.offer(state.event);
    }
  }

  @Benchmark
  @OperationsPerInvocation(CAPACITY)
  public void stamped(StampedLimit state) {
    for (int i = 0; i < CAPACITY; i++) {
      state.offer(new StampedEvent(0, System.currentTimeMillis(), state.event));
    }
  }

  @Benchmark
  public Future<RecordMetadata> peer(Peer state) {
    return state.producer.send(new ProducerRecord<>("peer", state.event.progress().json()));
  }
}
