package io.streampulse.agent;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.streaming.SinkProgress;
import org.apache.spark.sql.streaming.SourceProgress;
import org.apache.spark.sql.streaming.StateOperatorProgress;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryIdleEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryStartedEvent;
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryTerminatedEvent;
import org.apache.spark.sql.streaming.StreamingQueryProgress;
import scala.Option;

/** Spark's events, made by hand: their constructors are public in bytecode. */
public final class Events {
  public static final UUID QUERY = UUID.fromString("00000000-0000-0000-0000-000000000001");
  public static final UUID RUN = UUID.fromString("00000000-0000-0000-0000-000000000002");
  public static final String TIME = "2026-01-02T03:04:05.678Z";

  private Events() {}

  public static QueryStartedEvent started() {
    return new QueryStartedEvent(QUERY, RUN, "orders", TIME);
  }

  public static QueryIdleEvent idle() {
    return new QueryIdleEvent(QUERY, RUN, TIME);
  }

  public static QueryTerminatedEvent terminated() {
    return new QueryTerminatedEvent(QUERY, RUN, Option.empty());
  }

  public static QueryTerminatedEvent failed(String exception, String errorClass) {
    return new QueryTerminatedEvent(QUERY, RUN, Option.apply(exception), Option.apply(errorClass));
  }

  /** Progress of a batch; the rates are those of its one source. */
  public static QueryProgressEvent progress(long batchId, double input, double processed) {
    return progress(
        batchId,
        new SourceProgress[] {source("rate", null, null, input, processed)},
        new HashMap<>(),
        new HashMap<>());
  }

  public static QueryProgressEvent progress(
      long batchId,
      SourceProgress[] sources,
      Map<String, String> eventTime,
      Map<String, Row> observed) {
    return new QueryProgressEvent(
        new StreamingQueryProgress(
            QUERY,
            RUN,
            "orders",
            TIME,
            batchId,
            1234,
            new HashMap<>(Map.of("addBatch", 1000L)),
            eventTime,
            new StateOperatorProgress[0],
            sources,
            new SinkProgress("sink", -1, new HashMap<>()),
            observed));
  }

  public static SourceProgress source(
      String description, String end, String latest, double input, double processed) {
    return new SourceProgress(
        description, null, end, latest, 10, input, processed, new HashMap<>());
  }
}
