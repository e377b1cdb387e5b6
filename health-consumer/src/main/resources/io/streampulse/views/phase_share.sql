-- Where the time of a batch goes. Spark's triggerExecution is the whole, so it is not a part.
CREATE VIEW main.streaming_monitoring.phase_share
COMMENT 'Share of each phase in the time of a query''s batches over the last 24 hours, one row for each query and phase.'
AS
WITH phase AS (
  SELECT queryId, queryName, applicationName, eventTime, phase, ms
  FROM main.streaming_monitoring.streaming_health
  LATERAL VIEW explode(durationMs) AS phase, ms
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 24 HOURS
    AND phase <> 'triggerExecution'
)
SELECT
  queryId,
  max_by(queryName, eventTime) AS queryName,
  max_by(applicationName, eventTime) AS applicationName,
  phase,
  count(*) AS batches,
  sum(ms) AS totalMs,
  percentile_approx(ms, 0.5) AS p50Ms,
  sum(ms) / nullif(sum(sum(ms)) OVER (PARTITION BY queryId), 0) AS share
FROM phase
GROUP BY queryId, phase
