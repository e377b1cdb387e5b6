-- Batch times by hour.
CREATE VIEW main.streaming_monitoring.batch_duration_hourly
COMMENT 'Batch time of each query by hour over the last 7 days: p50, p95, p99 and the longest, milliseconds.'
AS
SELECT
  queryId,
  date_trunc('HOUR', eventTime) AS hour,
  max_by(queryName, eventTime) AS queryName,
  max_by(applicationName, eventTime) AS applicationName,
  count(*) AS batches,
  percentile_approx(batchDurationMs, 0.5) AS p50Ms,
  percentile_approx(batchDurationMs, 0.95) AS p95Ms,
  percentile_approx(batchDurationMs, 0.99) AS p99Ms,
  max(batchDurationMs) AS maxMs
FROM main.streaming_monitoring.streaming_health
WHERE eventType = 'PROGRESS'
  AND eventTime > current_timestamp() - INTERVAL 7 DAYS
GROUP BY queryId, date_trunc('HOUR', eventTime)
