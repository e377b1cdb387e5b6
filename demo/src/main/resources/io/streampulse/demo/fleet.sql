-- One line for each query: its latest run, and the latest of what that run said.
WITH events AS (
  SELECT *, rank() OVER (PARTITION BY queryId ORDER BY runStart DESC) AS runAge
  FROM (
    SELECT *, min(observedTime) OVER (PARTITION BY queryId, runId) AS runStart
    FROM ${table}
    WHERE queryId IS NOT NULL AND applicationName = '${application}'
  )
),
latest AS (
  SELECT
    queryName,
    max_by(eventType, sequence) AS lastEvent,
    max_by(exception, sequence) FILTER (WHERE eventType = 'TERMINATED') AS exception,
    max_by(struct(*), sequence) FILTER (WHERE eventType = 'PROGRESS') AS progress
  FROM events
  WHERE runAge = 1
  GROUP BY queryName
)
SELECT
  queryName AS query,
  CASE
    WHEN lastEvent = 'TERMINATED' AND exception IS NOT NULL THEN 'FAILED'
    WHEN lastEvent = 'TERMINATED' THEN 'STOPPED'
    WHEN progress IS NULL THEN 'STARTING'
    WHEN progress.fallingBehindStreak >= 3 THEN 'FALLING_BEHIND'
    WHEN lastEvent = 'IDLE' THEN 'IDLE'
    ELSE 'OK'
  END AS status,
  progress.batchId AS batch,
  round(progress.inputRowsPerSecond, 1) AS input_per_second,
  round(progress.processedRowsPerSecond, 1) AS processed_per_second,
  progress.fallingBehindStreak AS behind,
  aggregate(progress.sources, CAST(0 AS BIGINT), (sum, source) -> sum + source.backlog) AS lag,
  regexp_extract(exception, '(?s).*Caused by: ([^\\n]*)', 1) AS cause
FROM latest
