-- Real-time mode: how busy tasks are, by stage. Near 1 the query needs more compute, low it has more
-- than it needs.
CREATE VIEW main.streaming_monitoring.task_utilisation
COMMENT 'Busy fraction of tasks in real-time mode over the last 24 hours, by query and stage; band NEEDS_COMPUTE from 0.9, OVER_PROVISIONED below 0.3.'
AS
WITH task AS (
  SELECT
    queryId,
    queryName,
    applicationName,
    eventTime,
    CAST(regexp_extract(task, '^stage_([0-9]+)_', 1) AS INT) AS stage,
    metrics['busyTimeFraction'] AS busy
  FROM main.streaming_monitoring.streaming_health
  LATERAL VIEW explode(taskMetrics) AS task, metrics
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 24 HOURS
    AND task RLIKE '^stage_[0-9]+_'
    AND metrics['busyTimeFraction'] IS NOT NULL
),
stage AS (
  SELECT
    queryId,
    max_by(queryName, eventTime) AS queryName,
    max_by(applicationName, eventTime) AS applicationName,
    stage,
    count(*) AS samples,
    avg(busy) AS meanBusy,
    percentile_approx(busy, 0.95) AS p95Busy,
    max(busy) AS maxBusy
  FROM task
  GROUP BY queryId, stage
)
SELECT
  *,
  CASE
    WHEN meanBusy >= 0.9 THEN 'NEEDS_COMPUTE'
    WHEN meanBusy < 0.3 THEN 'OVER_PROVISIONED'
    ELSE 'FITTING'
  END AS band
FROM stage
