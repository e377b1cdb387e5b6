-- What is normal for each query: its own last seven days.
CREATE VIEW main.streaming_monitoring.query_baseline
COMMENT 'What is normal for a query: percentiles of its batch time and the median of each phase over its own last 7 days.'
AS
SELECT
  queryId,
  count(*) AS batches,
  min(eventTime) AS firstBatchAt,
  percentile_approx(batchDurationMs, 0.5) AS batchDurationP50Ms,
  percentile_approx(batchDurationMs, 0.99) AS batchDurationP99Ms,
  percentile_approx(batchDurationMs, 0.999) AS batchDurationP999Ms,
  map_filter(
    map(
      'addBatch', percentile_approx(durationMs['addBatch'], 0.5),
      'commitBatch', percentile_approx(durationMs['commitBatch'], 0.5),
      'commitOffsets', percentile_approx(durationMs['commitOffsets'], 0.5),
      'getBatch', percentile_approx(durationMs['getBatch'], 0.5),
      'latestOffset', percentile_approx(durationMs['latestOffset'], 0.5),
      'queryPlanning', percentile_approx(durationMs['queryPlanning'], 0.5),
      'walCommit', percentile_approx(durationMs['walCommit'], 0.5)),
    (phase, ms) -> ms IS NOT NULL) AS phaseMs
FROM main.streaming_monitoring.streaming_health
WHERE eventType = 'PROGRESS'
  AND eventTime > current_timestamp() - INTERVAL 7 DAYS
GROUP BY queryId
