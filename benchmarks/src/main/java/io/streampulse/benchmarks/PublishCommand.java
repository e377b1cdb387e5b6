package io.streampulse.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.streampulse.agent.AgentMeasurement;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.agent.mapping.RecordLimiter;
import io.streampulse.agent.mapping.RecordMapper;
import io.streampulse.schema.EventType;
import io.streampulse.schema.HealthRecord;
import io.streampulse.testing.Folders;
import io.streampulse.testing.HealthTopic;
import io.streampulse.testing.KafkaBroker;
import io.streampulse.wire.RecordEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench publish}: how fast one agent can publish. */
@Command(
    name = "publish",
    description =
        "Records per second from one agent to a broker over SASL_SSL until all are acknowledged,"
            + " beside a plain producer that sends the same messages with the same settings.")
final class PublishCommand implements Callable<Integer> {
  private static final int QUERIES = 120;
  private static final int PARTITIONS = 12;
  private static final double AIM = 0.9;

  /** The defaults of the agent's buffers. */
  private static final int CAPACITY = 1_000;

  private static final int MAX_BYTES = 16_000_000;

  @Option(
      names = "--sizes",
      split = ",",
      defaultValue = "kafka",
      description =
          "Sizes of progress: rate, kafka, stateful, large; ${DEFAULT-VALUE} when not given.")
  private List<String> sizes;

  @Option(
      names = "--megabytes",
      defaultValue = "100",
      description = "How much each turn sends; ${DEFAULT-VALUE} when not given.")
  private int megabytes;

  @Option(
      names = "--rounds",
      defaultValue = "9",
      description = "How often each is run; ${DEFAULT-VALUE} when not given.")
  private int rounds;

  @Option(
      names = "--flush-interval",
      defaultValue = "100ms",
      description = "Of the agent as it runs; ${DEFAULT-VALUE}, the shortest, when not given.")
  private String flushInterval;

  @Option(
      names = "--paced-records",
      defaultValue = "10000",
      description =
          "How many records a turn of the agent as it runs sends; ${DEFAULT-VALUE} when not given.")
  private int pacedRecords;

  @Option(
      names = "--profile",
      paramLabel = "FILE.jfr",
      description = "Record the agent once more with JFR, and tell where its time goes.")
  private Path profile;

  @Spec private CommandSpec spec;

  private int topics;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    Path folder = Files.createTempDirectory("streampulse-publish");
    try (BrokerProcess broker = BrokerProcess.start(folder)) {
      for (String size : sizes) {
        measure(report, broker, size);
      }
    } finally {
      Folders.delete(folder);
    }
    report.finish();
    return ExitCode.OK;
  }

  private void measure(Report report, BrokerProcess broker, String size) throws Exception {
    List<QueryProgressEvent> events =
        Stream.generate(() -> ProgressSamples.of(size)).limit(QUERIES).toList();
    List<Message> messages = messages(broker, events);
    double bytes = messages.stream().mapToInt(m -> m.value.length).average().orElseThrow();
    int records = (int) Math.max(QUERIES, megabytes * 1e6 / bytes);
    RecordEncoder encoder = RecordEncoder.singleObject();
    RecordMapper mapper = ProgressSamples.mapper();
    RecordLimiter limiter = new RecordLimiter(900_000);
    IntFunction<byte[]> made = i -> messages.get(i % QUERIES).value;
    IntFunction<byte[]> encoded = i -> encoder.encode(messages.get(i % QUERIES).record);
    IntFunction<byte[]> mapped =
        i -> {
          limiter.fit(mapper.map(new StampedEvent(i, i, events.get(i % QUERIES)))); // encodes too
          return made.apply(i);
        };

    String prepared = "producer, mapping and encoding first";
    String agent = "agent, without pauses";
    String paced = "agent, a flush every " + flushInterval;
    Map<String, Callable<Double>> variants = new LinkedHashMap<>();
    variants.put("producer", () -> raw(broker, messages, made, records));
    variants.put("producer, encoding first", () -> raw(broker, messages, encoded, records));
    variants.put(prepared, () -> raw(broker, messages, mapped, records));
    variants.put(
        agent, () -> agent(broker, events, bytes, records, AgentMeasurement::withoutPauses));
    variants.put(
        paced, () -> agent(broker, events, bytes, pacedRecords, AgentMeasurement::started));
    report.progress("%s: %,d records of %,.0f bytes; warming up", size, records, bytes);
    for (Callable<Double> variant : variants.values()) {
      variant.call();
    }
    report.add(
        "Progress of the size \"%s\", messages of %,.0f bytes of %d queries, a topic of %d partitions:",
        size, bytes, QUERIES, PARTITIONS);
    Comparison comparison = new Comparison(report, "records/s");
    variants.forEach(comparison::add);
    comparison.run(rounds);
    List<String> rates = new ArrayList<>();
    variants.keySet().stream()
        .map(name -> "%s %.1f".formatted(name, comparison.median(name) * bytes / 1e6))
        .forEach(rates::add);
    report.add("MB/s: %s.", String.join("; ", rates));
    report.add(
        "Dropped: 0. Aim: the agent at %.2f of the producer or more; %s. What publishing itself"
            + " costs, without what makes a message of an event, is told by the producer that maps"
            + " and encodes first: %s.",
        AIM,
        against("the producer", comparison.ratio(agent, "producer")),
        against("that", comparison.ratio(agent, prepared)));
    if (profile != null) {
      report.progress("profiling the agent");
      try (Recording recording = new Recording(Configuration.getConfiguration("profile"))) {
        recording.start();
        variants.get(agent).call();
        recording.stop();
        recording.dump(profile);
      }
      HotFrames.of(profile).addTo(report, agent);
    }
  }

  private static String against(String what, double ratio) {
    return "the agent is at %.3f of %s, which %s it"
        .formatted(ratio, what, ratio < AIM ? "misses" : "meets");
  }

  /** The messages that an agent makes of the events, read from the topic. */
  private List<Message> messages(BrokerProcess broker, List<QueryProgressEvent> events) {
    String topic = newTopic(broker);
    try (AgentMeasurement agent = AgentMeasurement.withoutPauses(conf(broker, topic))) {
      agent.publish(events, events.size(), events.size());
    }
    RecordEncoder encoder = RecordEncoder.singleObject();
    List<Message> messages =
        HealthTopic.read(broker, topic).stream()
            .filter(record -> record.getEventType() == EventType.PROGRESS)
            .map(
                record ->
                    new Message(
                        record.getQueryId().getBytes(UTF_8), encoder.encode(record), record))
            .toList();
    broker.deleteTopic(topic);
    if (messages.size() != events.size()) {
      throw new IllegalStateException(messages.size() + " messages of " + events.size());
    }
    return messages;
  }

  private double agent(
      BrokerProcess broker,
      List<QueryProgressEvent> events,
      double bytes,
      int records,
      Function<Map<String, String>, AgentMeasurement> start) {
    int mostOnTheWay = (int) Math.min(CAPACITY, MAX_BYTES * 0.9 / bytes);
    String topic = newTopic(broker);
    try (AgentMeasurement agent = start.apply(conf(broker, topic))) {
      agent.publish(events, 1, 1); // connects
      long begin = System.nanoTime();
      agent.publish(events, records, mostOnTheWay);
      return perSecond(records, begin);
    } finally {
      broker.deleteTopic(topic);
    }
  }

  private double raw(
      BrokerProcess broker, List<Message> messages, IntFunction<byte[]> values, int records)
      throws InterruptedException, ExecutionException {
    String topic = newTopic(broker);
    Properties settings = AgentMeasurement.producerSettings(conf(broker, topic), "producer");
    settings.putAll(broker.scramClient()); // the agent's has the names of its own copy of Kafka
    AtomicReference<Exception> failure = new AtomicReference<>();
    Callback callback = (metadata, e) -> failure.compareAndSet(null, e);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      Message first = messages.get(0);
      producer.send(new ProducerRecord<>(topic, first.key, first.value)).get(); // connects
      long begin = System.nanoTime();
      for (int i = 0; i < records; i++) {
        byte[] key = messages.get(i % QUERIES).key;
        var unused = producer.send(new ProducerRecord<>(topic, key, values.apply(i)), callback);
      }
      producer.flush();
      double rate = perSecond(records, begin);
      if (failure.get() != null) {
        throw new IllegalStateException("The producer lost a message", failure.get());
      }
      return rate;
    } finally {
      broker.deleteTopic(topic);
    }
  }

  /**
   * A topic for each turn, so that what was sent can be deleted and no log grows. It is there when
   * all its partitions answer: where only some do, the first batches of a producer that sends
   * without a pause are out of order.
   */
  private String newTopic(BrokerProcess broker) {
    topics++;
    String topic = "health-" + topics;
    broker.createTopic(topic, PARTITIONS);
    HealthTopic.ends(broker, topic);
    return topic;
  }

  private Map<String, String> conf(BrokerProcess broker, String topic) {
    Map<String, String> conf = new HashMap<>();
    conf.put("spark.streampulse.topic", topic);
    conf.put("spark.streampulse.agent.flush-interval", flushInterval);
    conf.put("spark.streampulse.agent.buffer.capacity", String.valueOf(CAPACITY));
    conf.put("spark.streampulse.agent.buffer.max-bytes", String.valueOf(MAX_BYTES));
    conf.put("spark.streampulse.agent.shutdown-timeout", "1s");
    conf.putAll(KafkaBroker.sparkConf(broker.scramClient()));
    return conf;
  }

  private static double perSecond(int records, long begin) {
    return records / ((System.nanoTime() - begin) / 1e9);
  }

  /** What is sent: arrays of one message each, nobody changes them. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Message(byte[] key, byte[] value, HealthRecord record) {}
}
