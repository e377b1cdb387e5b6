package io.streampulse.consumer.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.streampulse.consumer.source.KafkaOffsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One file of a checkpoint's {@code offsets} folder, as Spark writes it: a line with the version, a
 * line with the batch's settings, a line for each source.
 *
 * @param header the first two lines
 * @param topics the end of the batch, next offset by topic and partition
 */
public record OffsetFile(List<String> header, Map<String, Map<Integer, Long>> topics) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String VERSION = "v1";

  /**
   * Reads a file's text.
   *
   * @throws TornFileException if it is empty, cut, or not of one Kafka source
   */
  static OffsetFile parse(String name, String text) throws TornFileException {
    List<String> lines = text.lines().toList();
    if (lines.size() != 3 || !lines.get(0).equals(VERSION)) {
      throw new TornFileException(
          "%s does not have the three lines of a query with one source".formatted(name));
    }
    try {
      JSON.readTree(lines.get(1));
      return new OffsetFile(lines.subList(0, 2), KafkaOffsets.parse(lines.get(2)));
    } catch (JsonProcessingException | IllegalArgumentException e) {
      throw new TornFileException(name + " can't be read: it is cut, or not of a Kafka source");
    }
  }

  /** The end of the batch in a topic, next offset by partition. */
  public Map<Integer, Long> of(String topic) {
    return topics.getOrDefault(topic, Map.of());
  }

  /** The same batch with other offsets. */
  OffsetFile withOffsets(String topic, Map<Integer, Long> next) {
    return new OffsetFile(header, Map.of(topic, new TreeMap<>(next)));
  }

  String text() {
    return String.join("\n", header) + "\n" + KafkaOffsets.json(topics);
  }

  /** A file that was not written to its end. */
  static final class TornFileException extends Exception {
    private static final long serialVersionUID = 1L;

    TornFileException(String message) {
      super(message);
    }
  }
}
