package io.streampulse.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.agent.buffer.StampedEvent;
import io.streampulse.schema.HealthRecord;
import io.streampulse.wire.RecordDecoder;
import io.streampulse.wire.RecordEncoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A record to a message and back, beside Avro's own binary encoding without a header, and beside
 * JSON as others publish it: Spark's {@code progress.json()}, and Jackson's tree of it.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@State(Scope.Benchmark)
public class WireBenchmark {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Param({"rate", "kafka", "stateful", "large"})
  public String size;

  private final RecordEncoder singleObject = RecordEncoder.singleObject();
  private final RecordEncoder confluent = RecordEncoder.confluent(7);
  private final RecordDecoder decoder = new RecordDecoder();
  private final SpecificDatumWriter<HealthRecord> writer =
      new SpecificDatumWriter<>(HealthRecord.class);
  private final SpecificDatumReader<HealthRecord> reader =
      new SpecificDatumReader<>(HealthRecord.class);
  private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);
  private BinaryEncoder binaryEncoder;
  private BinaryDecoder binaryDecoder;
  private StampedEvent event;
  private HealthRecord record;
  private byte[] message;
  private byte[] body;
  private String json;

  @Setup(Level.Trial)
  public void sample() throws Exception {
    event = new StampedEvent(0, 1_000_000_000_000L, ProgressSamples.of(size));
    // The shaded agent's record is a class of its own: it comes over as a message.
    ByteBuffer mapped = ProgressSamples.mapper().map(event).toByteBuffer();
    byte[] bytes = new byte[mapped.remaining()];
    mapped.get(bytes);
    record = decoder.decode(bytes);
    message = singleObject.encode(record);
    body = encodeAvroBinary();
    json = encodeJson();
  }

  @Benchmark
  public byte[] encodeSingleObject() {
    return singleObject.encode(record);
  }

  @Benchmark
  public byte[] encodeConfluent() {
    return confluent.encode(record);
  }

  @Benchmark
  public byte[] encodeAvroBinary() throws Exception {
    out.reset();
    binaryEncoder = EncoderFactory.get().binaryEncoder(out, binaryEncoder);
    writer.write(record, binaryEncoder);
    binaryEncoder.flush();
    return out.toByteArray();
  }

  @Benchmark
  public String encodeJson() {
    return ProgressSamples.json(event.event());
  }

  /** With both passes: the one that only looks whether the message is whole, and the real one. */
  @Benchmark
  public HealthRecord decodeMessage() throws Exception {
    return decoder.decode(message);
  }

  @Benchmark
  public HealthRecord decodeAvroBinary() throws Exception {
    binaryDecoder = DecoderFactory.get().binaryDecoder(body, binaryDecoder);
    return reader.read(null, binaryDecoder);
  }

  @Benchmark
  public JsonNode decodeJson() throws Exception {
    return JSON.readTree(json);
  }

  /** The cells of a table: the bytes in each format, and the message's share of JSON. */
  List<String> bytes(String ofSize) throws Exception {
    size = ofSize;
    sample();
    int text = json.getBytes(StandardCharsets.UTF_8).length;
    return List.of(
        size,
        "%,d".formatted(message.length),
        "%,d".formatted(encodeConfluent().length),
        "%,d".formatted(body.length),
        "%,d".formatted(text),
        "%.2f".formatted((double) message.length / text));
  }
}
