-- How often queries start.
CREATE VIEW main.streaming_monitoring.restarts
COMMENT 'Starts of each query by day over the last 7 days, and how many of its runs failed.'
AS
SELECT
  queryId,
  date_trunc('DAY', startedAt) AS day,
  max_by(queryName, startedAt) AS queryName,
  max_by(applicationName, startedAt) AS applicationName,
  count(*) AS starts,
  count_if(outcome = 'FAILED') AS failed,
  count(DISTINCT agentId) AS drivers,
  max_by(errorMessage, startedAt) FILTER (WHERE outcome = 'FAILED') AS lastError
FROM main.streaming_monitoring.query_runs
WHERE isStartSeen
GROUP BY queryId, date_trunc('DAY', startedAt)
