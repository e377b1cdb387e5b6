-- Queries that process less than comes in, by batches in a row. One such batch is jitter: ask for
-- three or more with  WHERE streak >= 3.
CREATE VIEW main.streaming_monitoring.falling_behind
COMMENT 'Running queries whose newest batches processed less than came in; streak counts batches in a row (1 is jitter).'
AS
SELECT
  queryId,
  queryName,
  applicationName,
  fallingBehindStreak AS streak,
  state,
  inputRowsPerSecond,
  processedRowsPerSecond,
  headroom,
  lagRecords,
  lagSeconds,
  lagTrendPerSecond,
  lastEventAt
FROM main.streaming_monitoring.query_status
WHERE fallingBehindStreak > 0
  AND state NOT IN ('FAILED', 'RESTARTING', 'STOPPED')
