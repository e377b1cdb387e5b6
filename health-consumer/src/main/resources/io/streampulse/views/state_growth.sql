-- State that only grows: rows in all state stores of a query, hour by hour over a day.
CREATE VIEW main.streaming_monitoring.state_growth
COMMENT 'State of each stateful query over the last 24 hours; growsOnly: rows rise through the day and none was removed.'
AS
WITH batch AS (
  SELECT
    queryId,
    queryName,
    applicationName,
    eventTime,
    date_trunc('HOUR', eventTime) AS hour,
    aggregate(stateOperators, 0L, (total, s) -> total + coalesce(s.numRowsTotal, 0)) AS stateRows,
    aggregate(stateOperators, 0L, (total, s) -> total + coalesce(s.memoryUsedBytes, 0)) AS stateBytes,
    aggregate(stateOperators, 0L, (total, s) -> total + coalesce(s.numRowsRemoved, 0)) AS removed
  FROM main.streaming_monitoring.streaming_health
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 24 HOURS
    AND size(stateOperators) > 0
),
hourly AS (
  SELECT
    queryId, hour,
    max_by(queryName, eventTime) AS queryName,
    max_by(applicationName, eventTime) AS applicationName,
    max_by(stateRows, eventTime) AS stateRows,
    max_by(stateBytes, eventTime) AS stateBytes,
    sum(removed) AS removed
  FROM batch
  GROUP BY queryId, hour
),
stepped AS (
  SELECT *, stateRows - lag(stateRows) OVER (PARTITION BY queryId ORDER BY hour) AS step
  FROM hourly
)
SELECT
  queryId,
  max_by(queryName, hour) AS queryName,
  max_by(applicationName, hour) AS applicationName,
  count(*) AS hours,
  min_by(stateRows, hour) AS firstStateRows,
  max_by(stateRows, hour) AS stateRows,
  max_by(stateBytes, hour) AS stateBytes,
  sum(removed) AS rowsRemoved,
  (max_by(stateRows, hour) - min_by(stateRows, hour))
    / nullif(count(*) - 1, 0) AS rowsPerHour,
  -- A day's history, none removed, no hour that shrank, and most of them grew.
  count(*) >= 24 AND sum(removed) = 0 AND coalesce(min(step), 0) >= 0
    AND count_if(step > 0) >= 0.8 * count(step) AS growsOnly
FROM stepped
GROUP BY queryId
