-- Who lags most: ask with  ORDER BY lagSeconds DESC LIMIT 20.
CREATE VIEW main.streaming_monitoring.top_lag
COMMENT 'Running queries with records that wait, with rank by lag in seconds (1 lags most).'
AS
SELECT
  rank() OVER (ORDER BY lagSeconds DESC NULLS LAST, lagRecords DESC) AS rank,
  queryId,
  queryName,
  applicationName,
  state,
  lagRecords,
  lagSeconds,
  lagTrendPerSecond,
  catchUpSeconds,
  headroom,
  lastEventAt
FROM main.streaming_monitoring.query_status
WHERE lagRecords > 0
  AND state NOT IN ('FAILED', 'RESTARTING', 'STOPPED')
