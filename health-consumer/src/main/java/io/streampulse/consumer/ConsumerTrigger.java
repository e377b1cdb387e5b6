package io.streampulse.consumer;

import io.streampulse.config.ConfigType;
import io.streampulse.config.Durations;
import java.time.Duration;
import java.util.Optional;
import org.apache.spark.sql.streaming.Trigger;

/**
 * When micro-batches run: at an interval, or until all that is there has been read.
 *
 * @param every the interval; empty for a run that ends
 * @param text as it is set
 */
public record ConsumerTrigger(Optional<Duration> every, String text) {
  private static final String AVAILABLE_NOW = "available-now";
  private static final String ONCE = "once";

  static final ConfigType<ConsumerTrigger> TYPE =
      new ConfigType<>(
          "trigger", "a duration (10s), available-now or once", ConsumerTrigger::parse);

  static ConsumerTrigger parse(String text) {
    return text.equals(AVAILABLE_NOW) || text.equals(ONCE)
        ? new ConsumerTrigger(Optional.empty(), text)
        : every(Durations.parse(text));
  }

  static ConsumerTrigger every(Duration interval) {
    return new ConsumerTrigger(Optional.of(interval), Durations.text(interval));
  }

  /** Whether the run ends by itself. */
  public boolean ends() {
    return every.isEmpty();
  }

  @SuppressWarnings("deprecation") // once is what the user asked for: one batch with all there is
  Trigger spark() {
    if (every.isPresent()) {
      return Trigger.ProcessingTime(every.get().toMillis());
    }
    return text.equals(ONCE) ? Trigger.Once() : Trigger.AvailableNow();
  }
}
