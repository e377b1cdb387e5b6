-- Every run of every query in the last seven days: when it began and ended, how, and who ran it.
CREATE VIEW main.streaming_monitoring.query_runs
COMMENT 'Runs of the last 7 days, one row for each: start, end, outcome, size; isLatest marks the newest run of a query.'
AS
WITH run AS (
  SELECT
    queryId,
    runId,
    coalesce(min(startedAt), min(firstEventAt)) AS startedAt,
    max(lastHeardAt) AS lastEventAt,
    max(terminatedAt) AS terminatedAt,
    max(errorClass) AS errorClass,
    max(errorMessage) AS errorMessage,
    min(firstBatchAt) AS firstBatchAt,
    max(lastBatchAt) AS lastBatchAt,
    sum(batches) AS batches,
    sum(numInputRows) AS numInputRows,
    max(jobTags) AS jobTags,
    max_by(
      struct(
        agentId, lastEventType, queryName, applicationId, applicationName, agentVersion,
        sparkVersion, host, clusterId, jobId, jobRunId, tags),
      struct(lastHeardAt, lastSequence)) AS newest
  FROM main.streaming_monitoring.run_totals
  WHERE queryId IS NOT NULL
  GROUP BY queryId, runId
),
closed AS (
  SELECT agentId, max(closedAt) AS closedAt
  FROM main.streaming_monitoring.run_totals
  GROUP BY agentId
)
SELECT
  queryId,
  runId,
  newest.queryName,
  newest.applicationId,
  newest.applicationName,
  newest.agentId,
  newest.agentVersion,
  newest.sparkVersion,
  newest.host,
  newest.clusterId,
  newest.jobId,
  newest.jobRunId,
  newest.tags,
  coalesce(jobTags, array()) AS jobTags,
  startedAt,
  lastEventAt,
  newest.lastEventType,
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
LEFT JOIN closed ON newest.agentId = closed.agentId
