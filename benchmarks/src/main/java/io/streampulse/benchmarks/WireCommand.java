package io.streampulse.benchmarks;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.zip.GZIPOutputStream;
import org.openjdk.jmh.results.RunResult;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./streampulse bench wire}. */
@Command(
    name = "wire",
    description =
        "Nanoseconds and bytes of a message, four sizes of progress, beside plain Avro and JSON.")
final class WireCommand implements Callable<Integer> {
  private static final Map<String, String> ENCODE = new LinkedHashMap<>();
  private static final Map<String, String> DECODE = new LinkedHashMap<>();

  static {
    ENCODE.put("encodeSingleObject", "single object");
    ENCODE.put("encodeConfluent", "Confluent");
    ENCODE.put("encodeAvroBinary", "plain Avro");
    ENCODE.put("encodeJson", "JSON");
    DECODE.put("decodeMessage", "either format");
    DECODE.put("decodeAvroBinary", "plain Avro");
    DECODE.put("decodeJson", "JSON");
  }

  /** A record a second and a flush of ten seconds. */
  private static final int BATCH = 10;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    Report report = Report.of(spec);
    report.add("Nanoseconds for a record that has been mapped; JMH, one fork, five iterations.");
    Collection<RunResult> results = Jmh.run(WireBenchmark.class, 1);
    Jmh.table(report, "encode", ENCODE, results);
    Jmh.table(report, "decode", DECODE, results);
    List<List<String>> bytes = new ArrayList<>();
    for (String size : ProgressSamples.SIZES) {
      bytes.add(new WireBenchmark().bytes(size));
    }
    report.table(
        List.of("bytes", "single object", "Confluent", "plain Avro", "JSON", "share of JSON"),
        bytes);
    report.add(
        "%d records of a query, one after the other, in one gzip batch, as with"
            + " `spark.streampulse.kafka.compression.type=gzip`: %,d bytes each.",
        BATCH, bytesInGzip());
    report.finish();
    return 0;
  }

  /** What a record of a query with a Kafka source takes, in the batch of a flush. */
  private static int bytesInGzip() throws IOException {
    ProgressMessages messages = new ProgressMessages(1);
    ByteArrayOutputStream batch = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(batch)) {
      for (int i = 0; i < BATCH; i++) {
        gzip.write(messages.message("topic", i, Instant.ofEpochSecond(i)).value());
      }
    }
    return batch.size() / BATCH;
  }
}
