package io.streampulse.demo;

import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/** Someone else's application that writes orders to Kafka: a steady stream with peaks. */
final class OrderProducer implements AutoCloseable {
  private static final int STEADY_PER_SECOND = 30;
  private static final int PEAK_PER_SECOND = 400;
  private static final int PEAK_SECONDS = 5;
  private static final int PEAK_FROM_SECOND = 40;
  private static final int PEAK_EVERY_SECONDS = 100;

  private final KafkaProducer<String, String> producer;
  private final String topic;
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "orders");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicLong orders = new AtomicLong();
  private long second;

  OrderProducer(Map<String, String> kafkaClient, String topic) {
    Properties settings = new Properties();
    settings.putAll(kafkaClient);
    this.producer = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
    this.topic = topic;
  }

  void start() {
    var unused = clock.scheduleAtFixedRate(this::oneSecond, 0, 1, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    clock.shutdownNow();
    producer.close(Duration.ofSeconds(2));
  }

  private void oneSecond() {
    long sincePeak = second++ % PEAK_EVERY_SECONDS - PEAK_FROM_SECOND;
    boolean peak = sincePeak >= 0 && sincePeak < PEAK_SECONDS;
    int count = peak ? PEAK_PER_SECOND : STEADY_PER_SECOND;
    for (int i = 0; i < count; i++) {
      String order = String.valueOf(orders.incrementAndGet());
      var unused = producer.send(new ProducerRecord<>(topic, order, "{\"order\":" + order + "}"));
    }
  }
}
