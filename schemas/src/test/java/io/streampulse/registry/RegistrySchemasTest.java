package io.streampulse.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.streampulse.wire.UndecodableException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class RegistrySchemasTest {
  private static final String FOUND = "{\"schema\":\"\\\"string\\\"\"}";
  private static final String NOT_FOUND = "{\"error_code\":40403,\"message\":\"Schema not found\"}";

  private final AtomicInteger pauses = new AtomicInteger();

  @Test
  void aNodeThatLagsBehindIsAskedAgainAfterAMoment() throws Exception {
    try (FaultyRegistry registry =
        new FaultyRegistry().answers(404, NOT_FOUND).answers(200, FOUND)) {
      assertThat(schemas(registry, Clock.systemUTC()).byId(1)).isNotNull();
      assertThat(pauses).hasValue(1);
    }
  }

  @Test
  void aFloodOfGarbageIsNotWaitedForEachTime() throws Exception {
    try (FaultyRegistry registry = new FaultyRegistry().answers(404, NOT_FOUND)) {
      RegistrySchemas schemas = schemas(registry, Clock.fixed(Instant.now(), ZoneOffset.UTC));
      for (int id = 0; id < 50; id++) {
        int asked = id;
        assertThatThrownBy(() -> schemas.byId(asked)).isInstanceOf(UndecodableException.class);
      }
      assertThat(pauses).hasValue(10);
    }
  }

  @Test
  void whoWaitedForItsTurnSharesTheFailure() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    try (FaultyRegistry registry =
        new FaultyRegistry()
            .answers(
                exchange -> {
                  asked.countDown();
                  await(answer);
                  exchange.sendResponseHeaders(503, -1);
                })) {
      RegistrySchemas schemas = schemas(registry, Clock.systemUTC());
      FutureTask<Object> first = new FutureTask<>(() -> schemas.byId(1));
      FutureTask<Object> second = new FutureTask<>(() -> schemas.byId(2));
      new Thread(first).start();
      await(asked);
      Thread waiting = new Thread(second);
      waiting.start();
      Awaitility.await().until(() -> waiting.getState() == Thread.State.BLOCKED);
      answer.countDown();

      for (FutureTask<Object> asking : List.of(first, second)) {
        assertThatThrownBy(() -> asking.get(1, TimeUnit.MINUTES))
            .hasCauseInstanceOf(RegistryException.class);
      }

      assertThat(registry.requests).hasSize(1);
    }
  }

  @Test
  void aSchemaIsAskedForOnce() throws Exception {
    try (FaultyRegistry registry = new FaultyRegistry().answers(200, FOUND)) {
      RegistrySchemas schemas = schemas(registry, Clock.systemUTC());
      assertThat(schemas.byId(1)).isSameAs(schemas.byId(1));
      assertThat(registry.requests).hasSize(1);
    }
  }

  @Test
  void thatThereIsNoneIsBelievedForAMinuteOnceItIsSaidTwice() throws Exception {
    try (FaultyRegistry registry =
        new FaultyRegistry().answers(404, NOT_FOUND).answers(404, NOT_FOUND).answers(200, FOUND)) {
      AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
      RegistrySchemas schemas = schemas(registry, new SetClock(now));
      for (int question = 0; question < 3; question++) {
        assertThatThrownBy(() -> schemas.byId(1))
            .isInstanceOf(UndecodableException.class)
            .hasMessageContaining("404: Schema not found");
      }
      assertThat(registry.requests).as("a second look, and no more").hasSize(2);

      now.set(Instant.EPOCH.plus(Duration.ofMinutes(1)));
      assertThat(schemas.byId(1)).isNotNull();
    }
  }

  @Test
  void anOutageIsNoAnswerAboutASchema() throws Exception {
    try (FaultyRegistry registry = new FaultyRegistry().answers(503, "").answers(200, FOUND)) {
      RegistrySchemas schemas = schemas(registry, Clock.systemUTC());
      assertThatThrownBy(() -> schemas.byId(1)).isInstanceOf(RegistryException.class);
      assertThat(schemas.byId(1)).isNotNull();
    }
  }

  @Test
  void whoNeedsAKnownSchemaDoesNotWaitForOneWhoAsks() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    try (FaultyRegistry registry =
        new FaultyRegistry()
            .answers(200, FOUND)
            .answers(
                exchange -> {
                  asked.countDown();
                  await(answer);
                })) {
      RegistrySchemas schemas = schemas(registry, Clock.systemUTC());
      schemas.byId(1);
      CompletableFuture<Void> unknown =
          CompletableFuture.runAsync(
              () -> assertThatThrownBy(() -> schemas.byId(2)).isInstanceOf(Exception.class));
      await(asked);

      assertThat(schemas.byId(1)).isNotNull();
      assertThat(unknown).isNotDone();
      answer.countDown();
      unknown.get(1, TimeUnit.MINUTES);
    }
  }

  private RegistrySchemas schemas(FaultyRegistry registry, Clock clock) {
    return new RegistrySchemas(
        SchemaRegistryClientTest.client(Duration.ZERO, registry.url()),
        clock,
        pauses::incrementAndGet);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class SetClock extends Clock {
    private final AtomicReference<Instant> now;

    SetClock(AtomicReference<Instant> now) {
      this.now = now;
    }

    @Override
    public Instant instant() {
      return now.get();
    }

    @Override
    public java.time.ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(java.time.ZoneId zone) {
      return this;
    }
  }
}
