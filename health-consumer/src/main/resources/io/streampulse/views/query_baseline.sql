-- What is normal for each query: its own last seven days. Percentiles are of a histogram whose buckets
-- are 1 % wide, and are the longest time in their bucket: at most 1 % too long, and exact where times
-- hardly differ. A histogram is counted by hashing; percentile_approx would sort a week of batches.
CREATE VIEW main.streaming_monitoring.query_baseline
COMMENT 'What is normal for a query: percentiles of its batch time and the median of each phase over its own last 7 days.'
AS
WITH bucket AS (
  SELECT
    queryId,
    measure,
    CAST(ln(greatest(ms, 1)) * 100 AS INT) AS bucket,
    max(ms) AS ms,
    count(*) AS batches,
    min(eventTime) AS firstBatchAt
  FROM main.streaming_monitoring.streaming_health
  LATERAL VIEW posexplode(array(
    batchDurationMs,
    durationMs['addBatch'],
    durationMs['commitBatch'],
    durationMs['commitOffsets'],
    durationMs['getBatch'],
    durationMs['latestOffset'],
    durationMs['queryPlanning'],
    durationMs['walCommit'])) AS measure, ms
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 7 DAYS
    AND ms IS NOT NULL
  GROUP BY queryId, measure, bucket
),
ranked AS (
  SELECT
    *,
    sum(batches) OVER (PARTITION BY queryId, measure ORDER BY bucket)
      / sum(batches) OVER (PARTITION BY queryId, measure) AS share
  FROM bucket
)
SELECT
  queryId,
  sum(batches) FILTER (WHERE measure = 0) AS batches,
  min(firstBatchAt) AS firstBatchAt,
  min(ms) FILTER (WHERE measure = 0 AND share >= 0.5) AS batchDurationP50Ms,
  min(ms) FILTER (WHERE measure = 0 AND share >= 0.99) AS batchDurationP99Ms,
  min(ms) FILTER (WHERE measure = 0 AND share >= 0.999) AS batchDurationP999Ms,
  map_filter(
    map(
      'addBatch', min(ms) FILTER (WHERE measure = 1 AND share >= 0.5),
      'commitBatch', min(ms) FILTER (WHERE measure = 2 AND share >= 0.5),
      'commitOffsets', min(ms) FILTER (WHERE measure = 3 AND share >= 0.5),
      'getBatch', min(ms) FILTER (WHERE measure = 4 AND share >= 0.5),
      'latestOffset', min(ms) FILTER (WHERE measure = 5 AND share >= 0.5),
      'queryPlanning', min(ms) FILTER (WHERE measure = 6 AND share >= 0.5),
      'walCommit', min(ms) FILTER (WHERE measure = 7 AND share >= 0.5)),
    (phase, ms) -> ms IS NOT NULL) AS phaseMs
FROM ranked
GROUP BY queryId
