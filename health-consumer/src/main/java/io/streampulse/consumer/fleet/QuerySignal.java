package io.streampulse.consumer.fleet;

/**
 * What besides its state is worth knowing of a query, as the view {@code query_status} gives it.
 */
public enum QuerySignal {
  JITTER,
  FLAPPING,
  REWOUND,
  WATERMARK_STUCK,
  STATE_GROWTH,
  SLOW_PHASE,
  BLIND
}
