-- The time between a run and the next: from its end, or from its last event where it did not say
-- that it ends. A query that has not started again is down until now if it failed.
CREATE VIEW main.streaming_monitoring.downtime
COMMENT 'Times over the last 7 days in which a query did not run: from the end of a run (or its last event) to the start of the next.'
AS
SELECT
  queryId,
  queryName,
  applicationName,
  runId,
  outcome,
  errorMessage,
  coalesce(endedAt, lastEventAt) AS downFrom,
  nextStartedAt AS downTo,
  (unix_millis(coalesce(nextStartedAt, current_timestamp()))
    - unix_millis(coalesce(endedAt, lastEventAt))) / 1000 AS seconds,
  nextStartedAt IS NULL AS isDown
FROM main.streaming_monitoring.query_runs
WHERE nextStartedAt > coalesce(endedAt, lastEventAt)
  OR (nextStartedAt IS NULL AND outcome = 'FAILED')
