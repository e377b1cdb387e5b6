package io.streampulse.demo;

import io.streampulse.consumer.command.StatusTable;
import io.streampulse.consumer.fleet.FleetReader;
import io.streampulse.consumer.fleet.FleetSnapshot;
import io.streampulse.consumer.page.FleetServer;
import io.streampulse.consumer.serve.FleetService;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The fleet as {@code health-consumer serve} has it, from this process, until it is closed; then
 * nothing of it asks the table any more.
 */
final class FleetPages implements AutoCloseable {
  private static final Duration REFRESH = Duration.ofSeconds(15);
  private static final Duration LONGEST_LOOK = Duration.ofSeconds(30);

  private final FleetReader reader;
  private final FleetService service;
  private final FleetServer server;
  private Instant shownAt = Instant.MIN;
  private final CountDownLatch ending = new CountDownLatch(1);
  private final Thread looking = new Thread(this::look, "fleet-look");

  /** Serves at the port of loopback, 0 for a free one, and begins to look. */
  FleetPages(FleetReader reader, int port) throws IOException {
    this.reader = reader;
    service = new FleetService(reader, REFRESH);
    server = new FleetServer("127.0.0.1", port, service);
    looking.setDaemon(true);
    looking.start();
  }

  URI uri() {
    return server.uri();
  }

  /** A look that was not shown yet, as {@code health-consumer status} prints it. */
  Optional<List<String>> newStatus() {
    Optional<FleetSnapshot> last = service.last().filter(look -> look.readAt().isAfter(shownAt));
    last.ifPresent(look -> shownAt = look.readAt());
    return last.map(StatusTable::lines);
  }

  /** The fleet at last, as {@code health-consumer status} prints it; the page stays as it is. */
  List<String> lastStatus() {
    ending.countDown();
    return StatusTable.lines(reader.read());
  }

  /** Lets a look that is under way come to its end: Spark stops after this. */
  @Override
  public void close() {
    ending.countDown();
    try {
      looking.join(LONGEST_LOOK.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.close();
  }

  private void look() {
    try {
      do {
        service.refresh(failure -> {}); // its health check says it
      } while (!ending.await(REFRESH.toSeconds(), TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
