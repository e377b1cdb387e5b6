-- Every run of every query in the last seven days: when it began and ended, how, and who ran it.
CREATE VIEW main.streaming_monitoring.query_runs
COMMENT 'Runs of the last 7 days, one row for each: start, end, outcome, size; isLatest marks the newest run of a query.'
AS
WITH run AS (
  SELECT
    queryId,
    runId,
    coalesce(min(eventTime) FILTER (WHERE eventType = 'STARTED'), min(eventTime)) AS startedAt,
    max(observedTime) AS lastEventAt,
    max_by(eventType, struct(observedTime, sequence)) AS lastEventType,
    max(observedTime) FILTER (WHERE eventType = 'TERMINATED') AS terminatedAt,
    max_by(errorClass, observedTime) FILTER (WHERE eventType = 'TERMINATED') AS errorClass,
    max_by(errorMessage, observedTime) FILTER (WHERE eventType = 'TERMINATED') AS errorMessage,
    min(eventTime) FILTER (WHERE eventType = 'PROGRESS') AS firstBatchAt,
    max(eventTime) FILTER (WHERE eventType = 'PROGRESS') AS lastBatchAt,
    count_if(eventType = 'PROGRESS') AS batches,
    sum(numInputRows) AS numInputRows,
    max_by(agentId, observedTime) AS agentId,
    max_by(
      struct(
        queryName, applicationId, applicationName, agentVersion, sparkVersion, host, clusterId,
        jobId, jobRunId, tags),
      observedTime) AS identity,
    max_by(jobTags, observedTime) FILTER (WHERE eventType = 'STARTED') AS jobTags
  FROM main.streaming_monitoring.streaming_health
  WHERE queryId IS NOT NULL
    AND eventTime > current_timestamp() - INTERVAL 7 DAYS
  GROUP BY queryId, runId
),
closed AS (
  SELECT agentId, max(observedTime) AS closedAt
  FROM main.streaming_monitoring.streaming_health
  WHERE eventType = 'AGENT_STOPPED'
    AND eventTime > current_timestamp() - INTERVAL 7 DAYS
  GROUP BY agentId
)
SELECT
  run.queryId,
  run.runId,
  identity.queryName,
  identity.applicationId,
  identity.applicationName,
  run.agentId,
  identity.agentVersion,
  identity.sparkVersion,
  identity.host,
  identity.clusterId,
  identity.jobId,
  identity.jobRunId,
  identity.tags,
  coalesce(jobTags, array()) AS jobTags,
  startedAt,
  lastEventAt,
  lastEventType,
  -- An application that ends takes its queries with it, whether they say so or not.
  coalesce(terminatedAt, closedAt) AS endedAt,
  CASE
    WHEN terminatedAt IS NOT NULL AND (errorClass IS NOT NULL OR errorMessage IS NOT NULL)
      THEN 'FAILED'
    WHEN coalesce(terminatedAt, closedAt) IS NOT NULL THEN 'STOPPED'
    ELSE 'RUNNING'
  END AS outcome,
  errorClass,
  errorMessage,
  firstBatchAt,
  lastBatchAt,
  batches,
  numInputRows,
  lead(startedAt) OVER (PARTITION BY queryId ORDER BY startedAt, runId) AS nextStartedAt,
  row_number() OVER (PARTITION BY queryId ORDER BY startedAt DESC, runId DESC) = 1 AS isLatest,
  count_if(startedAt > current_timestamp() - INTERVAL 1 HOUR) OVER (PARTITION BY queryId)
    AS runsLastHour
FROM run
LEFT JOIN closed ON run.agentId = closed.agentId
