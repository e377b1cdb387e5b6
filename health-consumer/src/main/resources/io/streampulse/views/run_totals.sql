-- What adds up of each run over the last seven days, and of each agent's records that are of no run
-- (there queryId and runId are null). Other views read these few rows in the place of a week of
-- records. Each column is a number or a time until there is one row for each run: Spark aggregates
-- those by hashing, and strings by sorting. Names come from single records, by a join.
CREATE VIEW main.streaming_monitoring.run_totals
COMMENT 'Sums and limits of each run, and of each agent, over the last 7 days; what the other views read in the place of single records.'
AS
WITH total AS (
  SELECT
    agentId,
    queryId,
    runId,
    min(eventTime) AS firstEventAt,
    min(observedTime) AS firstHeardAt,
    max(observedTime) AS lastHeardAt,
    max(ingestedAt) AS lastIngestedAt,
    min(eventTime) FILTER (WHERE eventType = 'STARTED') AS startedAt,
    max(observedTime) FILTER (WHERE eventType = 'TERMINATED') AS terminatedAt,
    max(observedTime) FILTER (WHERE eventType = 'AGENT_STOPPED') AS closedAt,
    min(eventTime) FILTER (WHERE eventType = 'PROGRESS') AS firstBatchAt,
    max(eventTime) FILTER (WHERE eventType = 'PROGRESS') AS lastBatchAt,
    count_if(eventType = 'PROGRESS') AS batches,
    sum(numInputRows) AS numInputRows,
    count(*) AS records,
    count_if(size(truncated) > 0) AS truncatedRecords,
    min(sequence) AS firstSequence,
    max(sequence) AS lastSequence,
    max(sequence) FILTER (WHERE eventType = 'STARTED') AS startedSequence,
    max(sequence) FILTER (WHERE eventType = 'TERMINATED') AS terminatedSequence,
    min(aggregate(map_values(dropped), 0L, (n, records) -> n + records)) AS firstDropped,
    max(aggregate(map_values(dropped), 0L, (n, records) -> n + records)) AS lastDropped
  FROM main.streaming_monitoring.streaming_health
  WHERE eventTime > current_timestamp() - INTERVAL 7 DAYS
  GROUP BY agentId, queryId, runId
),
wanted AS (
  SELECT *
  FROM total
  LATERAL VIEW explode(array_distinct(array(lastSequence, startedSequence, terminatedSequence)))
    record AS wantedSequence
)
SELECT
  agentId,
  queryId,
  runId,
  newest.*,
  jobTags,
  errorClass,
  errorMessage
FROM (
  SELECT /*+ BROADCAST(wanted) */
    wanted.agentId,
    wanted.queryId,
    wanted.runId,
    max_by(
      struct(
        firstEventAt, firstHeardAt, lastHeardAt, lastIngestedAt, startedAt, terminatedAt, closedAt,
        firstBatchAt, lastBatchAt, batches, wanted.numInputRows, records, truncatedRecords,
        firstSequence, lastSequence, firstDropped, lastDropped, h.eventType AS lastEventType,
        h.dropped, h.queryName, h.applicationId, h.applicationName, h.agentVersion, h.sparkVersion,
        h.host, h.clusterId, h.jobId, h.jobRunId, h.tags),
      h.sequence) AS newest,
    max_by(h.jobTags, h.sequence) FILTER (WHERE h.eventType = 'STARTED') AS jobTags,
    max(h.errorClass) FILTER (WHERE h.eventType = 'TERMINATED') AS errorClass,
    max(h.errorMessage) FILTER (WHERE h.eventType = 'TERMINATED') AS errorMessage
  FROM wanted
  JOIN main.streaming_monitoring.streaming_health h
    ON h.agentId = wanted.agentId AND h.sequence = wanted.wantedSequence
  WHERE h.eventTime > current_timestamp() - INTERVAL 7 DAYS
  GROUP BY wanted.agentId, wanted.queryId, wanted.runId)
