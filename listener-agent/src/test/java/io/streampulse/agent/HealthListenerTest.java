package io.streampulse.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HealthListenerTest {
  @Test
  void switchedOffItLetsSparkLeaveItOutAndStartsNothing() {
    Set<String> before = threads();

    assertThatThrownBy(() -> new HealthListener(conf("spark.streampulse.agent.enabled", "false")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(threads()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"spark.streampulse.agent.flush-interval", "spark.streampulse.agent.enabled"})
  void senselessSettingsLetSparkLeaveItOut(String key) {
    assertThatThrownBy(() -> new HealthListener(conf(key, "often")))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spark.streampulse.kafka.bootstrap.servers=host:99999",
        "spark.streampulse.kafka.bootstrap.servers=no-such-host.invalid:9093",
        "spark.streampulse.kafka.ssl.truststore.location=/not/there.p12",
        "spark.streampulse.kafka.sasl.mechanism=GSSAPI",
        "spark.streampulse.kafka.sasl.jaas.config=no.such.Module required;"
      })
  void aClientThatCanNotBeBuiltDoesNotConcernTheJob(String setting) {
    String[] keyAndValue = setting.split("=", 2);
    SparkConf conf =
        conf("spark.streampulse.kafka.security.protocol", "SASL_SSL")
            .set("spark.streampulse.agent.flush-interval", "100ms")
            .set("spark.streampulse.agent.shutdown-timeout", "20s")
            .set("spark.streampulse.kafka.max.block.ms", "100")
            .set(keyAndValue[0], keyAndValue[1]);

    HealthListener listener = new HealthListener(conf);
    assertNoCallbackThrows(listener);
    listener.agent().close();

    // The four events and the closing record.
    assertThat(listener.agent().accounting().producedCount()).isEqualTo(5);
    assertThat(listener.agent().accounting().droppedCount()).isEqualTo(5);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {NoClassDefFoundError.class, StackOverflowError.class, IllegalStateException.class})
  void noErrorLeavesACallback(Class<? extends Throwable> failure) throws Exception {
    Throwable thrown = failure.getDeclaredConstructor().newInstance();
    Agent agent =
        new Agent(
            AgentConfig.read(Map.of("spark.streampulse.agent.publisher", "log")),
            Map.of(),
            new ThrowingClock(thrown));
    HealthListener listener = new HealthListener(agent);

    assertNoCallbackThrows(listener);
    assertThat(agent.accounting().producedCount()).isPositive();
    assertThat(agent.accounting().onTheWay()).as("what is lost is counted").isZero();
  }

  @Test
  void callbacksLeaveTheInterruptFlagAsItWas() {
    HealthListener listener = new HealthListener(conf("spark.streampulse.agent.publisher", "log"));
    Thread.currentThread().interrupt();
    listener.onQueryProgress(Events.progress(0, 1, 1));
    assertThat(Thread.interrupted()).isTrue();
    listener.onQueryProgress(Events.progress(0, 1, 1));
    assertThat(Thread.interrupted()).isFalse();
    listener.agent().close();
  }

  @Test
  void withoutABrokerEventsAreBoundedAndCounted() {
    SparkConf conf =
        conf("spark.streampulse.agent.buffer.capacity", "50")
            .set("spark.streampulse.agent.flush-interval", "100ms")
            .set("spark.streampulse.agent.shutdown-timeout", "20s")
            .set("spark.streampulse.kafka.max.block.ms", "100");
    HealthListener listener = new HealthListener(conf);
    for (int i = 0; i < 1_000; i++) {
      listener.onQueryProgress(Events.progress(i, 1, 1));
    }
    listener.agent().close();

    // All progress and the closing record.
    assertThat(listener.agent().accounting().producedCount()).isEqualTo(1_001);
    assertThat(listener.agent().accounting().droppedCount()).isEqualTo(1_001);
    assertThat(listener.agent().accounting().droppedByReason())
        .containsKeys("buffer_full", "publish_failed");
  }

  private static void assertNoCallbackThrows(HealthListener listener) {
    assertThatCode(
            () -> {
              listener.onQueryStarted(Events.started());
              listener.onQueryProgress(Events.progress(0, 1, 1));
              listener.onQueryIdle(Events.idle());
              listener.onQueryTerminated(Events.terminated());
            })
        .doesNotThrowAnyException();
  }

  private static SparkConf conf(String key, String value) {
    return new SparkConf(false)
        .set("spark.streampulse.kafka.bootstrap.servers", "127.0.0.1:9")
        .set(key, value);
  }

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("streampulse"))
        .collect(Collectors.toSet());
  }

  /** Stands for anything that may go wrong inside a callback. */
  private static final class ThrowingClock extends Clock {
    private final Throwable failure;

    ThrowingClock(Throwable failure) {
      this.failure = failure;
    }

    @Override
    public Instant instant() {
      return sneaky(failure);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <R, T extends Throwable> R sneaky(Throwable failure) throws T {
      throw (T) failure;
    }
  }
}
