package io.streampulse.agent.mapping;

import io.streampulse.schema.HealthRecord;
import io.streampulse.schema.SourceProgress;
import io.streampulse.schema.StateOperatorProgress;
import io.streampulse.wire.RecordEncoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Cuts a record that is too large for the topic, field by field, least needed first, until it fits;
 * {@code truncated} names what was cut. The order: the sources' offsets (start, latest, end), the
 * exception, custom metrics of state operators, task metrics, observed metrics, the sources' and
 * the sink's metrics, long descriptions of sources and sink, all but the first sources, long names.
 * What is left are numbers, identifiers and labels.
 *
 * <p>Not thread-safe.
 */
public final class RecordLimiter {
  private static final int SHORT_TEXT = 1024;
  private static final int MOST_SOURCES = 100;

  private static final List<Cut> CUTS =
      List.of(
          new Cut(
              "sources.startOffset",
              sources(s -> s.getStartOffset() != null, s -> s.setStartOffset(null))),
          new Cut(
              "sources.latestOffset",
              sources(s -> s.getLatestOffset() != null, s -> s.setLatestOffset(null))),
          new Cut(
              "sources.endOffset",
              sources(s -> s.getEndOffset() != null, s -> s.setEndOffset(null))),
          new Cut("exception", RecordLimiter::shortenException),
          new Cut("stateOperators.customMetrics", RecordLimiter::clearCustomMetrics),
          new Cut("taskMetrics", RecordLimiter::clearTaskMetrics),
          new Cut("observedMetrics", RecordLimiter::clearObservedMetrics),
          new Cut(
              "sources.metrics",
              sources(s -> !s.getMetrics().isEmpty(), s -> s.setMetrics(new HashMap<>()))),
          new Cut("sink.metrics", RecordLimiter::clearSinkMetrics),
          new Cut(
              "sources.description",
              sources(
                  s -> isLong(s.getDescription()),
                  s -> s.setDescription(shortened(s.getDescription())))),
          new Cut("sink.description", RecordLimiter::shortenSinkDescription),
          new Cut("sources", RecordLimiter::keepFirstSources),
          new Cut("queryName", RecordLimiter::shortenQueryName),
          new Cut("errorMessage", RecordLimiter::shortenErrorMessage));

  private final RecordEncoder encoder = RecordEncoder.singleObject();
  private final int maxBytes;

  /**
   * @param maxBytes largest message
   */
  public RecordLimiter(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Cuts the record as far as need be.
   *
   * @return its size as a message, in bytes; over the limit if all cuts together did not do
   */
  public int fit(HealthRecord record) {
    int size = encoder.size(record);
    for (Cut cut : CUTS) {
      if (size <= maxBytes) {
        return size;
      }
      if (cut.apply.test(record)) {
        addTruncated(record, cut.field);
        size = encoder.size(record);
      }
    }
    return size;
  }

  public int maxBytes() {
    return maxBytes;
  }

  static void addTruncated(HealthRecord record, String field) {
    if (!record.getTruncated().contains(field)) {
      List<String> truncated = new ArrayList<>(record.getTruncated());
      truncated.add(field);
      record.setTruncated(truncated);
    }
  }

  private static Predicate<HealthRecord> sources(
      Predicate<SourceProgress> has, Consumer<SourceProgress> cut) {
    return record -> {
      boolean any = false;
      for (SourceProgress source : record.getSources()) {
        if (has.test(source)) {
          cut.accept(source);
          any = true;
        }
      }
      return any;
    };
  }

  private static boolean keepFirstSources(HealthRecord record) {
    boolean cut = record.getSources().size() > MOST_SOURCES;
    if (cut) {
      record.setSources(new ArrayList<>(record.getSources().subList(0, MOST_SOURCES)));
    }
    return cut;
  }

  private static boolean shortenException(HealthRecord record) {
    boolean cut = isLong(record.getException());
    record.setException(shortened(record.getException()));
    return cut;
  }

  private static boolean clearCustomMetrics(HealthRecord record) {
    boolean any = false;
    for (StateOperatorProgress operator : record.getStateOperators()) {
      any |= !operator.getCustomMetrics().isEmpty();
      operator.setCustomMetrics(new HashMap<>());
    }
    return any;
  }

  private static boolean clearTaskMetrics(HealthRecord record) {
    boolean any = !record.getTaskMetrics().isEmpty();
    record.setTaskMetrics(new HashMap<>());
    return any;
  }

  /** The small ones are kept: usually one metric out of many is the large one. */
  private static boolean clearObservedMetrics(HealthRecord record) {
    Map<String, String> small = new HashMap<>(record.getObservedMetrics());
    boolean any = small.values().removeIf(RecordLimiter::isLong);
    record.setObservedMetrics(small);
    return any;
  }

  private static boolean clearSinkMetrics(HealthRecord record) {
    if (record.getSink() == null || record.getSink().getMetrics().isEmpty()) {
      return false;
    }
    record.getSink().setMetrics(new HashMap<>());
    return true;
  }

  private static boolean shortenSinkDescription(HealthRecord record) {
    boolean cut = record.getSink() != null && isLong(record.getSink().getDescription());
    if (cut) {
      record.getSink().setDescription(shortened(record.getSink().getDescription()));
    }
    return cut;
  }

  private static boolean shortenQueryName(HealthRecord record) {
    boolean cut = isLong(record.getQueryName());
    record.setQueryName(shortened(record.getQueryName()));
    return cut;
  }

  private static boolean shortenErrorMessage(HealthRecord record) {
    boolean cut = isLong(record.getErrorMessage());
    record.setErrorMessage(shortened(record.getErrorMessage()));
    return cut;
  }

  private static boolean isLong(String text) {
    return text != null && text.length() > SHORT_TEXT;
  }

  private static String shortened(String text) {
    return Texts.capped(text, SHORT_TEXT);
  }

  private record Cut(String field, Predicate<HealthRecord> apply) {}
}
