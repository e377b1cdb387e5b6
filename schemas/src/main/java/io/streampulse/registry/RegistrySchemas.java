package io.streampulse.registry;

import io.streampulse.registry.RegistryException.Kind;
import io.streampulse.wire.LruMap;
import io.streampulse.wire.SchemaLookup;
import io.streampulse.wire.UndecodableException;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.avro.Schema;

/**
 * The schemas of a registry, kept for the life of the JVM: a schema never changes its id. That
 * there is none is believed for a minute, once it has been said twice, so that garbage does not
 * become a storm of questions.
 *
 * <p>Thread-safe.
 */
public final class RegistrySchemas implements SchemaLookup {
  /** Schemas and refusals kept; the ones not used for longest go. */
  private static final int MOST_KEPT = 1000;

  private static final Duration REFUSAL_HOLDS = Duration.ofMinutes(1);

  /** By then a registry's nodes know of each other's schemas. */
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private static final int MOST_SECOND_LOOKS = 10;
  private static final Map<RegistrySettings, RegistrySchemas> OF_THIS_JVM =
      new ConcurrentHashMap<>();

  private final SchemaRegistryClient client;
  private final Clock clock;
  private final Runnable pause;
  private final Object asking = new Object();
  private RegistryException lastFailure;
  private long lastFailedNanos;
  private long windowStartMillis;
  private int secondLooks;
  private final Map<Object, Answer> answers = new LruMap<>(MOST_KEPT);

  RegistrySchemas(SchemaRegistryClient client, Clock clock, Runnable pause) {
    this.client = client;
    this.clock = clock;
    this.pause = pause;
  }

  /** The schemas of a registry, the same for all threads of this JVM. */
  public static RegistrySchemas of(RegistrySettings settings) {
    return OF_THIS_JVM.computeIfAbsent(
        settings,
        key ->
            new RegistrySchemas(
                new SchemaRegistryClient(key), Clock.systemUTC(), RegistrySchemas::waitAMoment));
  }

  @Override
  public Schema byId(int id) throws UndecodableException {
    return find(id, () -> client.schema(id));
  }

  @Override
  public Schema byGuid(UUID guid) throws UndecodableException {
    return find(guid, () -> client.schema(guid));
  }

  /**
   * While the registry is away, one thread asks it, and those that wait for their turn share its
   * failure; who needs what is kept does not wait.
   */
  private Schema find(Object name, Supplier<Schema> question) throws UndecodableException {
    Answer answer = kept(name);
    if (answer == null) {
      long waitingSince = System.nanoTime();
      synchronized (asking) {
        answer = kept(name);
        if (answer == null) {
          if (lastFailure != null && lastFailedNanos - waitingSince > 0) {
            throw lastFailure;
          }
          answer = ask(question);
          keep(name, answer);
        }
      }
    }
    if (answer.schema() == null) {
      throw new UndecodableException(answer.refusal());
    }
    return answer.schema();
  }

  private Answer kept(Object name) {
    synchronized (answers) {
      Answer answer = answers.get(name);
      return answer == null || clock.millis() >= answer.untilMillis() ? null : answer;
    }
  }

  private void keep(Object name, Answer answer) {
    synchronized (answers) {
      answers.put(name, answer);
    }
  }

  private Answer ask(Supplier<Schema> question) {
    try {
      return new Answer(found(question), null, Long.MAX_VALUE);
    } catch (RegistryException e) {
      if (e.kind() != Kind.NOT_FOUND) {
        lastFailure = e;
        lastFailedNanos = System.nanoTime();
        throw e;
      }
      return new Answer(null, e.getMessage(), clock.millis() + REFUSAL_HOLDS.toMillis());
    }
  }

  /**
   * Asks again after a moment where there is none: a node may lag behind the one at which an agent
   * has just registered. A flood of garbage does not get this moment each time.
   */
  private Schema found(Supplier<Schema> question) {
    try {
      return question.get();
    } catch (RegistryException e) {
      if (e.kind() != Kind.NOT_FOUND || !mayLookTwice()) {
        throw e;
      }
      pause.run();
      return question.get();
    }
  }

  private boolean mayLookTwice() {
    long now = clock.millis();
    if (now - windowStartMillis >= REFUSAL_HOLDS.toMillis()) {
      windowStartMillis = now;
      secondLooks = 0;
    }
    return secondLooks++ < MOST_SECOND_LOOKS;
  }

  private static void waitAMoment() {
    try {
      Thread.sleep(MOMENT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryException(
          Kind.UNAVAILABLE, "interrupted while waiting for the schema registry", e);
    }
  }

  private record Answer(Schema schema, String refusal, long untilMillis) {}
}
