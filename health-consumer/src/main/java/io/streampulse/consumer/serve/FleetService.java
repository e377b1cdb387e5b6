package io.streampulse.consumer.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.metrics.FleetMetrics;
import io.streampulse.consumer.page.FleetJson;
import io.streampulse.consumer.page.FleetServer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Looks at the fleet again and again, and has the last look ready for whoever asks. A look that
 * fails leaves the one before in place, and the health check says why.
 *
 * <p>{@link #refresh} on one thread, all else from any.
 */
public final class FleetService implements FleetServer.Content {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** So many looks may be missing before the health check says so. */
  private static final int LOOKS = 3;

  private final FleetReader reader;
  private final Duration interval;
  private final FleetMetrics metrics = new FleetMetrics();
  private volatile Optional<Look> last = Optional.empty();
  private volatile Optional<String> failure = Optional.empty();

  /** A service that has not looked yet. */
  public FleetService(FleetReader reader, Duration interval) {
    this.reader = reader;
    this.interval = interval;
  }

  /**
   * Looks once.
   *
   * @param complain hears in one line why it failed
   * @return whether it succeeded
   */
  public boolean refresh(Consumer<Exception> complain) {
    long start = System.nanoTime();
    try {
      FleetSnapshot fleet = reader.read();
      Map<String, ObjectNode> sparks = reader.sparks();
      metrics.update(fleet);
      Duration took = Duration.ofNanos(System.nanoTime() - start);
      metrics.refreshed(took);
      last = Optional.of(new Look(fleet, bytes(FleetJson.of(fleet, sparks)), Instant.now(), took));
      failure = Optional.empty();
      return true;
    } catch (Exception e) { // Spark throws checked ones that it does not declare
      metrics.refreshFailed();
      failure = Optional.of("the health table can't be read");
      complain.accept(e);
      return false;
    }
  }

  /** The last look that succeeded. */
  public Optional<FleetSnapshot> last() {
    return last.map(Look::fleet);
  }

  @Override
  public Optional<byte[]> fleetJson() {
    return last.map(Look::json);
  }

  @Override
  public Optional<byte[]> queryJson(String queryId) {
    return last.isEmpty() ? Optional.empty() : reader.of(queryId).map(FleetService::bytes);
  }

  @Override
  public String metrics() {
    return metrics.scrape();
  }

  @Override
  public Optional<String> problem() {
    if (failure.isPresent()) {
      return failure;
    }
    Optional<Look> look = last;
    if (look.isEmpty()) {
      return Optional.of("the health table was not looked at yet");
    }
    Duration age = Duration.between(look.get().at(), Instant.now());
    Duration longest = interval.plus(look.get().took()).multipliedBy(LOOKS).plusMinutes(1);
    boolean late = age.compareTo(longest) > 0;
    return late
        ? Optional.of("the last look at the health table was %d s ago".formatted(age.toSeconds()))
        : Optional.empty();
  }

  private static byte[] bytes(JsonNode json) {
    try {
      return JSON.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't write JSON", e);
    }
  }

  /** When it was looked, how long that took, and what was seen. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Look(FleetSnapshot fleet, byte[] json, Instant at, Duration took) {}
}
