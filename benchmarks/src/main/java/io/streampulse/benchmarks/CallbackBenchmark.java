package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.Accounting;
import io.streampulse.agent.buffer.RecordBuffer;
import io.streampulse.testing.EmbeddedBroker;
import io.streampulse.testing.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Properties;
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

  /** The agent's buffer, drained all the time or full all the time. */
  @State(Scope.Benchmark)
  public static class Buffer {
    @Param({"drained", "full"})
    public String state;

    private final QueryProgressEvent event = ProgressSamples.of("kafka");
    private final RecordBuffer buffer = new RecordBuffer(1000, new Accounting(), Clock.systemUTC());
    private volatile boolean running;
    private Thread drain;

    @Setup(Level.Trial)
    public void start() {
      running = state.equals("drained");
      drain =
          new Thread(
              () -> {
                while (running) {
                  buffer.drain();
                }
              });
      drain.start();
    }

    @TearDown(Level.Trial)
    public void stop() throws InterruptedException {
      running = false;
      drain.join();
    }
  }

  /** The limit: a bounded queue of the JDK; when it is full the oldest goes. */
  @State(Scope.Benchmark)
  public static class Limit {
    private final QueryProgressEvent event = ProgressSamples.of("kafka");
    private final ArrayBlockingQueue<QueryProgressEvent> queue = new ArrayBlockingQueue<>(1000);
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
  public void agent(Buffer state) {
    state.buffer.offer(state.event);
  }

  @Benchmark
  public boolean limitArrayBlockingQueue(Limit state) {
    if (!state.queue.offer(state.event)) {
      state.queue.poll();
      return false;
    }
    return true;
  }

  @Benchmark
  public Future<RecordMetadata> peerSendsInTheCallback(Peer state) {
    return state.producer.send(new ProducerRecord<>("peer", state.event.progress().json()));
  }
}
