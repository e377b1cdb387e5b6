-- How much of its trigger interval a query works: batch time by the gap between batches.
CREATE VIEW main.streaming_monitoring.trigger_utilisation
COMMENT 'Batch time by gap between batches over the last 24 hours: under 0.3 the query could share its cluster or run less often, over 0.7 it has little room.'
AS
WITH batch AS (
  SELECT
    queryId,
    queryName,
    applicationName,
    eventTime,
    batchDurationMs,
    unix_millis(eventTime) - lag(unix_millis(eventTime))
      OVER (PARTITION BY queryId, runId ORDER BY eventTime, batchId) AS gapMs,
    lag(batchDurationMs)
      OVER (PARTITION BY queryId, runId ORDER BY eventTime, batchId) AS msBefore
  FROM main.streaming_monitoring.streaming_health
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 24 HOURS
),
used AS (
  SELECT
    queryId,
    max_by(queryName, eventTime) AS queryName,
    max_by(applicationName, eventTime) AS applicationName,
    count(gapMs) AS batches,
    percentile_approx(gapMs, 0.5) AS gapP50Ms,
    sum(msBefore) / nullif(sum(gapMs), 0) AS utilisation
  FROM batch
  WHERE gapMs IS NOT NULL
  GROUP BY queryId
)
SELECT
  *,
  CASE
    WHEN utilisation < 0.3 THEN 'LOW'
    WHEN utilisation > 0.7 THEN 'HIGH'
    ELSE 'MEDIUM'
  END AS band
FROM used
