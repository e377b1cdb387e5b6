package io.streampulse.benchmarks;

import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SourceProgress;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import io.streampulse.wire.UndecodableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Messages as a fleet's agents send them: PROGRESS of queries that read one topic of twelve
 * partitions, four queries to an agent, one batch of each query after the other. Ids, sequences,
 * offsets, rates and durations differ from record to record. The same number makes the same record.
 *
 * <p>Not thread-safe.
 */
final class ProgressMessages {
  private static final int QUERIES_PER_AGENT = 4;
  private static final int PARTITIONS = 12;
  private static final int ROWS_PER_PARTITION = 500;
  private static final int JITTER = 100;

  private final RecordEncoder encoder = RecordEncoder.singleObject();
  private final HealthRecord record = sample();
  private final String[] agentIds;
  private final String[] queryIds;
  private final String[] runIds;

  /** Messages of so many queries. */
  ProgressMessages(int queries) {
    agentIds = ids("agent", (queries + QUERIES_PER_AGENT - 1) / QUERIES_PER_AGENT);
    queryIds = ids("query", queries);
    runIds = ids("run", queries);
  }

  /** The message with a number, of a batch that was observed at a time. */
  ProducerRecord<byte[], byte[]> message(String topic, long number, Instant observed) {
    SplittableRandom random = new SplittableRandom(number);
    int query = (int) (number % queryIds.length);
    long batch = number / queryIds.length;
    long millis = 800 + random.nextInt(1200);
    record.setAgentId(agentIds[query / QUERIES_PER_AGENT]);
    record.setSequence(batch * QUERIES_PER_AGENT + query % QUERIES_PER_AGENT);
    record.setEventTime(observed.minusMillis(millis));
    record.setObservedTime(observed);
    record.setApplicationId("application-" + query / QUERIES_PER_AGENT);
    record.setApplicationName("pipeline-" + query / QUERIES_PER_AGENT);
    record.setQueryId(queryIds[query]);
    record.setRunId(runIds[query]);
    record.setQueryName("orders-" + query);
    record.setBatchId(batch);
    setProgress(query, batch, millis, random);
    return new ProducerRecord<>(
        topic, queryIds[query].getBytes(StandardCharsets.UTF_8), encoder.encode(record));
  }

  private void setProgress(int query, long batch, long millis, SplittableRandom random) {
    long rows = PARTITIONS * ROWS_PER_PARTITION + random.nextInt(-JITTER, JITTER);
    double inputRate = rows / 10.0;
    double processedRate = rows * 1000.0 / millis;
    record.setNumInputRows(rows);
    record.setInputRowsPerSecond(inputRate);
    record.setProcessedRowsPerSecond(processedRate);
    record.setBatchDurationMs(millis);
    record
        .getDurationMs()
        .replaceAll((phase, old) -> phase.equals("triggerExecution") ? millis : part(random));
    record.getDurationMs().put("addBatch", millis - 300 + random.nextInt(JITTER));
    SourceProgress source = record.getSources().get(0);
    source.setDescription("KafkaV2[Subscribe[topic-" + query % 100 + "]]");
    String end = offsets(query, batch + 1);
    source.setStartOffset(offsets(query, batch));
    source.setEndOffset(end);
    source.setLatestOffset(end);
    source.setNumInputRows(rows);
    source.setInputRowsPerSecond(inputRate);
    source.setProcessedRowsPerSecond(processedRate);
    source
        .getMetrics()
        .put("avgOffsetsBehindLatest", String.valueOf(random.nextInt(JITTER) / 12.0));
    source.setBacklog(0L);
  }

  private static long part(SplittableRandom random) {
    return 20L + random.nextInt(JITTER);
  }

  /** Where a batch of a query begins, as Spark's Kafka source writes it. */
  private static String offsets(int query, long batch) {
    SplittableRandom random = new SplittableRandom(batch * 31 + query);
    StringBuilder json = new StringBuilder(300);
    json.append("{\"topic-").append(query % 100).append("\":{");
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long offset =
          1_000_000L * (query + 1)
              + partition * 1_000L
              + batch * ROWS_PER_PARTITION
              + random.nextInt(JITTER);
      json.append(partition == 0 ? "\"" : ",\"").append(partition).append("\":").append(offset);
    }
    return json.append("}}").toString();
  }

  private static String[] ids(String kind, int count) {
    String[] ids = new String[count];
    for (int i = 0; i < count; i++) {
      ids[i] = UUID.nameUUIDFromBytes((kind + i).getBytes(StandardCharsets.UTF_8)).toString();
    }
    return ids;
  }

  /** As the agent maps it; the shaded agent's record is a class of its own. */
  private static HealthRecord sample() {
    try {
      ByteBuffer mapped =
          ProgressSamples.mapper()
              .map(new StampedEvent(0, 1_000_000_000_000L, ProgressSamples.of("kafka")))
              .toByteBuffer();
      byte[] message = new byte[mapped.remaining()];
      mapped.get(message);
      return new RecordDecoder().decode(message);
    } catch (IOException | UndecodableException e) {
      throw new IllegalStateException("The sample is no health record", e);
    }
  }
}
