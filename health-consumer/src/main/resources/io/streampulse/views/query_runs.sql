-- Every run of every query in the last seven days: when it began and ended, how, and who ran it.
CREATE VIEW main.streaming_monitoring.query_runs
COMMENT 'Runs of the last 7 days, one row for each: start, end, outcome, size; isLatest marks the newest run of a query.'
AS
WITH part AS (
  SELECT *, max(closedAt) OVER (PARTITION BY agentId) AS agentClosedAt
  FROM main.streaming_monitoring.run_totals
),
run AS (
  SELECT
    queryId,
    runId,
    coalesce(min(startedAt), min(firstEventAt)) AS startedAt,
    -- Else it began before the seven days, or before its agent was attached.
    min(startedAt) IS NOT NULL AS isStartSeen,
    max(lastHeardAt) AS lastEventAt,
    -- An application that ends takes its queries with it, whether they say so or not.
    coalesce(max(terminatedAt), max(agentClosedAt)) AS endedAt,
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
  FROM part
  WHERE queryId IS NOT NULL
  GROUP BY queryId, runId
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
  isStartSeen,
  lastEventAt,
  newest.lastEventType,
  endedAt,
  CASE
    WHEN errorClass IS NOT NULL OR errorMessage IS NOT NULL THEN 'FAILED'
    WHEN endedAt IS NOT NULL THEN 'STOPPED'
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
