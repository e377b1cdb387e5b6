package io.streampulse.demo;

import io.streampulse.testing.HealthMessages;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends numbered health records all along, a hundred in a second; one message in a hundred is
 * garbage with its number in it.
 */
final class NumberedProducer implements AutoCloseable {
  private static final long PAUSE_MILLIS = 10;
  private static final int GARBAGE_EVERY = 100;

  private final HealthMessages messages;
  private final AtomicLong sent = new AtomicLong();
  private final Thread thread = new Thread(this::run, "numbered-producer");
  private volatile boolean stopped;

  NumberedProducer(Map<String, String> client, String topic) {
    messages = new HealthMessages(client, topic);
    thread.setDaemon(true);
    thread.start();
  }

  long sent() {
    return sent.get();
  }

  /** Ends it; all that was sent is in the topic then. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    messages.close();
  }

  private void run() {
    try {
      for (long number = 0; !stopped; number++) {
        if (number % GARBAGE_EVERY == GARBAGE_EVERY - 1) {
          messages.sendRaw(null, ("garbage " + number).getBytes(StandardCharsets.UTF_8));
        } else {
          HealthMessages.await(messages.sendOne(number));
        }
        sent.incrementAndGet();
        Thread.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
