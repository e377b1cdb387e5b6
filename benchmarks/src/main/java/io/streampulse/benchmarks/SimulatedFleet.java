package io.streampulse.benchmarks;

import io.streampulse.agent.SimulatedDriver;
import io.streampulse.testing.SettingsFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.spark.sql.streaming.StreamingQueryListener;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent;
import scala.Option;

/**
 * Many drivers in one JVM without Spark's jobs: each has an agent of its own, to which its queries
 * report micro-batches until the JVM is asked to end (SIGTERM). Then the queries end and the agents
 * close, and what they have counted goes to a file.
 *
 * <p>The first driver's queries have batches of {@link #LONG_BATCH}, so that its agent sends
 * heartbeats; the last ones may have the smallest buffers, so that they drop records.
 */
public final class SimulatedFleet {
  private static final Duration LONG_BATCH = Duration.ofMinutes(3);
  private static final Duration SAID_EVERY = Duration.ofSeconds(10);
  private static final String SMALLEST_BUFFER = "10";

  private final Map<String, SimulatedDriver> drivers = new TreeMap<>();
  private final List<Query> queries = new ArrayList<>();
  private final long gapNanos;
  private volatile boolean stopping;

  private SimulatedFleet(
      Map<String, String> conf, int agents, int queryCount, int smallBuffers, long gapMillis) {
    this.gapNanos = TimeUnit.MILLISECONDS.toNanos(gapMillis);
    List<SimulatedDriver> inOrder = new ArrayList<>();
    for (int i = 0; i < agents; i++) {
      String application = "driver-%04d".formatted(i);
      Map<String, String> own = new HashMap<>(conf);
      own.put("spark.app.id", application);
      own.put("spark.app.name", "soak");
      if (i >= agents - smallBuffers) {
        own.put("spark.streampulse.agent.buffer.capacity", SMALLEST_BUFFER);
      }
      SimulatedDriver driver = new SimulatedDriver(own);
      drivers.put(application, driver);
      inOrder.add(driver);
    }
    for (int i = 0; i < queryCount; i++) {
      StreamingQueryListener listener = inOrder.get(i % agents).listener();
      queries.add(new Query("query-" + i, listener, i % agents == 0 ? LONG_BATCH : Duration.ZERO));
    }
  }

  /**
   * Arguments: the file with the agents' settings, the file for what they have counted, how many
   * agents, how many queries, how many agents with the smallest buffer, milliseconds between two
   * batches of a query.
   */
  public static void main(String... arguments) throws Exception {
    Path counts = Path.of(arguments[1]);
    SimulatedFleet fleet =
        new SimulatedFleet(
            SettingsFile.read(Path.of(arguments[0])),
            Integer.parseInt(arguments[2]),
            Integer.parseInt(arguments[3]),
            Integer.parseInt(arguments[4]),
            Long.parseLong(arguments[5]));
    Thread running = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> fleet.end(running, counts), "fleet-shutdown"));
    fleet.run();
  }

  /** What the agents of a fleet that has ended have counted, by application. */
  static Map<String, Counts> counts(Path file) throws IOException {
    Map<String, Counts> counts = new TreeMap<>();
    SettingsFile.read(file)
        .forEach(
            (name, value) -> {
              String[] parts = name.split("\\.", 2);
              counts
                  .computeIfAbsent(parts[0], a -> new Counts(new TreeMap<>()))
                  .all
                  .put(parts[1], Long.parseLong(value));
            });
    return counts;
  }

  private void run() throws InterruptedException {
    drivers.values().forEach(SimulatedDriver::start);
    queries.forEach(Query::start);
    long start = System.nanoTime();
    long nextSaid = start;
    long sent = 0;
    while (!stopping) {
      long now = System.nanoTime();
      for (; sent < (now - start) / (gapNanos / queries.size()); sent++) {
        queries.get((int) (sent % queries.size())).batch();
      }
      if (now - nextSaid >= 0) {
        say();
        nextSaid += SAID_EVERY.toNanos();
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  /** As Spark's own hook does: the queries, then the application. */
  private void end(Thread running, Path counts) {
    stopping = true;
    try {
      running.join();
      queries.forEach(Query::terminate);
      List<Thread> closing = new ArrayList<>();
      drivers.values().forEach(driver -> closing.add(new Thread(driver::close, "fleet-close")));
      closing.forEach(Thread::start);
      for (Thread thread : closing) {
        thread.join();
      }
      Map<String, String> file = new HashMap<>();
      drivers.forEach(
          (application, driver) -> {
            file.put(application + ".produced", String.valueOf(driver.produced()));
            file.put(application + ".published", String.valueOf(driver.published()));
            driver
                .dropped()
                .forEach(
                    (reason, count) ->
                        file.put(
                            application + "." + Counts.DROPPED + reason, String.valueOf(count)));
          });
      SettingsFile.write(counts, file);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void say() {
    long produced = 0;
    long published = 0;
    long dropped = 0;
    for (SimulatedDriver driver : drivers.values()) {
      published += driver.published();
      dropped += driver.dropped().values().stream().mapToLong(Long::longValue).sum();
      produced += driver.produced();
    }
    System.out.printf("%,d produced, %,d published, %,d dropped%n", produced, published, dropped);
  }

  /** What an agent has counted in its life. */
  record Counts(Map<String, Long> all) {
    private static final String DROPPED = "dropped.";

    long produced() {
      return all.get("produced");
    }

    long published() {
      return all.get("published");
    }

    /** By reason. */
    Map<String, Long> dropped() {
      Map<String, Long> dropped = new TreeMap<>();
      all.forEach(
          (name, count) -> {
            if (name.startsWith(DROPPED)) {
              dropped.put(name.substring(DROPPED.length()), count);
            }
          });
      return dropped;
    }

    long droppedTotal() {
      return dropped().values().stream().mapToLong(Long::longValue).sum();
    }
  }

  private static final class Query {
    private final UUID id = UUID.randomUUID();
    private final UUID runId = UUID.randomUUID();
    private final String name;
    private final StreamingQueryListener listener;
    private final long shortestNanos;
    private long lastNanos;
    private long batches;

    Query(String name, StreamingQueryListener listener, Duration shortestBatch) {
      this.name = name;
      this.listener = listener;
      this.shortestNanos = shortestBatch.toNanos();
    }

    void start() {
      listener.onQueryStarted(new QueryStartedEvent(id, runId, name, now()));
    }

    /** A batch has ended, unless it is a long one. */
    void batch() {
      long now = System.nanoTime();
      if (batches > 0 && now - lastNanos < shortestNanos) {
        return;
      }
      lastNanos = now;
      listener.onQueryProgress(
          ProgressSamples.of(
              "kafka", new ProgressSamples.Batch(id, runId, name, now(), batches++)));
    }

    void terminate() {
      listener.onQueryTerminated(new QueryTerminatedEvent(id, runId, Option.empty()));
    }

    private static String now() {
      return Instant.now().truncatedTo(ChronoUnit.MILLIS).toString();
    }
  }
}
