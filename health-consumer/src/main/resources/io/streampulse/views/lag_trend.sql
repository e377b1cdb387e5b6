-- How the lag of each query went, minute by minute over a day.
CREATE VIEW main.streaming_monitoring.lag_trend
COMMENT 'Lag of each query by minute over the last 24 hours, in records and in seconds of arrival, and its change.'
AS
WITH history AS (
  SELECT
    *,
    lagRecords - lag(lagRecords) OVER ofQuery AS lagChange,
    unix_seconds(minute) - lag(unix_seconds(minute)) OVER ofQuery AS seconds
  FROM main.streaming_monitoring.query_history
  WHERE minute > current_timestamp() - INTERVAL 24 HOURS
    AND lagRecords IS NOT NULL
  WINDOW ofQuery AS (PARTITION BY queryId ORDER BY minute)
)
SELECT
  queryId,
  queryName,
  applicationName,
  minute,
  lagRecords,
  lagChange,
  numInputRows,
  -- What arrived is what was read and what the lag grew by.
  CASE
    WHEN lagRecords = 0 THEN 0
    ELSE lagRecords / nullif(greatest(0, numInputRows + lagChange) / nullif(seconds, 0), 0)
  END AS lagSeconds
FROM history
