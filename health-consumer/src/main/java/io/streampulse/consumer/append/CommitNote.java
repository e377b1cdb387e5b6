package io.streampulse.consumer.append;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What each commit of the consumer says about itself, as JSON in Delta's {@code userMetadata}, to
 * be seen in DESCRIBE HISTORY.
 *
 * @param streampulse version of this note
 * @param kind FENCE or APPEND
 * @param run the run, in words
 * @param appId whose transaction it is
 * @param topic where the rows come from
 * @param ingestedAt what the rows have in {@code ingestedAt}; null for a fence
 * @param below by partition of the topic, an offset that no row older than this commit is above;
 *     null where that is not known
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record CommitNote(
    int streampulse,
    String kind,
    String run,
    String appId,
    String topic,
    String ingestedAt,
    Map<Integer, Long> below) {
  static final String FENCE = "fence";
  static final String APPEND = "append";

  private static final int VERSION = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  static CommitNote fence(RunInfo run, RunVersion version, String topic) {
    return new CommitNote(VERSION, FENCE, run.toString(), version.appId(), topic, null, null);
  }

  static CommitNote append(
      RunInfo run,
      RunVersion version,
      String topic,
      Instant ingestedAt,
      Optional<Map<Integer, Long>> below) {
    return new CommitNote(
        VERSION,
        APPEND,
        run.toString(),
        version.appId(),
        topic,
        ingestedAt.toString(),
        below.orElse(null));
  }

  String json() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Can't write " + this, e);
    }
  }

  /** The note of a commit; empty where it is none of this consumer's, or of a newer one's. */
  static Optional<CommitNote> parse(String userMetadata) {
    if (userMetadata == null || !userMetadata.startsWith("{\"streampulse\":" + VERSION + ",")) {
      return Optional.empty();
    }
    try {
      return Optional.of(JSON.readValue(userMetadata, CommitNote.class));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }
}
