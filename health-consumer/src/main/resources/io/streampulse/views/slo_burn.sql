-- How fast each query uses up its error budget. The objective: 99 % of the minutes are good. A minute
-- is good if the query runs, its lag is at most 300 s and it is not hung: in it or before it there was
-- an event, no longer ago than max(3 T, 2 x own p99 batch time, 60 s). Burn is the share of bad
-- minutes by the 1 % that may be. Fast: 14.4 over 1 h and over 5 min; slow: 6 over 6 h and 30 min.
CREATE VIEW main.streaming_monitoring.slo_burn
COMMENT 'Error budget burn of each query over 5 min, 30 min, 1 h and 6 h: share of bad minutes (lag over 300 s, failed, hung or silent) by the 1 % that may be.'
AS
WITH run AS (
  SELECT
    r.queryId,
    r.runId,
    r.queryName,
    r.applicationName,
    r.startedAt,
    r.outcome,
    r.endedAt,
    r.nextStartedAt,
    greatest(
      coalesce(3 * (unix_millis(r.lastBatchAt) - unix_millis(r.firstBatchAt))
        / nullif(r.batches - 1, 0), 0),
      2 * coalesce(b.batchDurationP99Ms, 0),
      60000) AS longMs
  FROM main.streaming_monitoring.query_runs r
  LEFT JOIN main.streaming_monitoring.query_baseline b ON r.queryId = b.queryId
  WHERE coalesce(r.nextStartedAt, current_timestamp()) > current_timestamp() - INTERVAL 6 HOURS
    AND (r.endedAt IS NULL OR r.outcome = 'FAILED'
      OR r.endedAt > current_timestamp() - INTERVAL 6 HOURS)
),
-- The minutes in which it was asked for; after a failure until it runs again.
due AS (
  SELECT queryId, runId, longMs, minute
  FROM run
  LATERAL VIEW explode(sequence(
    date_trunc('MINUTE', greatest(startedAt, current_timestamp() - INTERVAL 6 HOURS)),
    date_trunc('MINUTE', greatest(startedAt, CASE
      WHEN outcome = 'STOPPED' THEN endedAt
      ELSE coalesce(nextStartedAt, current_timestamp())
    END)),
    INTERVAL 1 MINUTE)) AS minute
),
event AS (
  SELECT
    queryId,
    runId,
    date_trunc('MINUTE', observedTime) AS minute,
    max(observedTime) AS heardAt,
    bool_or(eventType = 'TERMINATED' AND coalesce(errorClass, errorMessage) IS NOT NULL) AS failed,
    sum(numInputRows) AS numInputRows,
    max_by(
      aggregate(sources, CAST(NULL AS BIGINT), (total, s) ->
        CASE WHEN s.backlog IS NULL THEN total ELSE coalesce(total, 0L) + s.backlog END),
      observedTime) FILTER (WHERE eventType = 'PROGRESS') AS lagRecords
  FROM main.streaming_monitoring.streaming_health
  WHERE queryId IS NOT NULL
    -- An hour more, for what was known when the six hours began.
    AND eventTime > current_timestamp() - INTERVAL 7 HOURS
  GROUP BY queryId, runId, date_trunc('MINUTE', observedTime)
),
minute AS (
  SELECT
    coalesce(due.queryId, event.queryId) AS queryId,
    coalesce(due.runId, event.runId) AS runId,
    coalesce(due.minute, event.minute) AS minute,
    due.minute IS NOT NULL AS isDue,
    longMs,
    numInputRows,
    lagRecords,
    last_value(heardAt, TRUE) OVER soFar AS heardAt,
    last_value(failed, TRUE) OVER soFar AS failed,
    last_value(lagRecords, TRUE) OVER soFar AS knownLag
  FROM due
  FULL OUTER JOIN event
    ON due.queryId = event.queryId AND due.runId = event.runId AND due.minute = event.minute
  WINDOW soFar AS (
    PARTITION BY coalesce(due.queryId, event.queryId), coalesce(due.runId, event.runId)
    ORDER BY coalesce(due.minute, event.minute)
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
arrival AS (
  SELECT
    queryId,
    greatest(0, sum(numInputRows) + coalesce(
        max_by(lagRecords, minute) FILTER (WHERE lagRecords IS NOT NULL)
        - min_by(lagRecords, minute) FILTER (WHERE lagRecords IS NOT NULL), 0))
      / nullif(60 * count(DISTINCT minute), 0) AS recordsPerSecond
  FROM minute
  GROUP BY queryId
),
judged AS (
  SELECT
    minute.queryId,
    -- Two runs may share a minute: it is good if it was in one of them.
    bool_and(
      coalesce(failed, FALSE)
      OR heardAt IS NULL
      OR unix_millis(least(minute + INTERVAL 1 MINUTE, current_timestamp())) - unix_millis(heardAt)
        > longMs
      OR coalesce(knownLag / nullif(recordsPerSecond, 0) > 300, FALSE)) AS isBad,
    minute
  FROM minute
  JOIN arrival ON minute.queryId = arrival.queryId
  WHERE isDue
    -- Whole minutes only.
    AND minute >= date_trunc('MINUTE', current_timestamp()) - INTERVAL 6 HOURS
    AND minute < date_trunc('MINUTE', current_timestamp())
  GROUP BY minute.queryId, minute
),
burn AS (
  SELECT
    queryId,
    count(*) AS minutes,
    count_if(isBad) AS badMinutes,
    avg(CAST(isBad AS INT))
      FILTER (WHERE minute >= date_trunc('MINUTE', current_timestamp()) - INTERVAL 5 MINUTES) / 0.01
      AS burn5m,
    avg(CAST(isBad AS INT))
      FILTER (WHERE minute >= date_trunc('MINUTE', current_timestamp()) - INTERVAL 30 MINUTES) / 0.01
      AS burn30m,
    avg(CAST(isBad AS INT))
      FILTER (WHERE minute >= date_trunc('MINUTE', current_timestamp()) - INTERVAL 1 HOUR) / 0.01
      AS burn1h,
    avg(CAST(isBad AS INT)) / 0.01 AS burn6h
  FROM judged
  GROUP BY queryId
),
named AS (
  SELECT
    queryId,
    max_by(queryName, startedAt) AS queryName,
    max_by(applicationName, startedAt) AS applicationName
  FROM run
  GROUP BY queryId
)
SELECT
  burn.queryId,
  queryName,
  applicationName,
  minutes,
  badMinutes,
  burn5m,
  burn30m,
  burn1h,
  burn6h,
  coalesce(burn1h >= 14.4 AND burn5m >= 14.4, FALSE) AS isFast,
  coalesce(burn6h >= 6 AND burn30m >= 6, FALSE) AS isSlow
FROM burn
JOIN named ON burn.queryId = named.queryId
