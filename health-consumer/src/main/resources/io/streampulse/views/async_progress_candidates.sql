-- Who would gain from asynchronous progress tracking: where much of a batch is not addBatch. It is
-- for stateless queries whose sink is Kafka or bears a batch that comes again.
CREATE VIEW main.streaming_monitoring.async_progress_candidates
COMMENT 'Queries by the share of their batch time that is not addBatch (last 24 hours): what asynchronous progress tracking may save at most.'
AS
SELECT
  queryId,
  max_by(queryName, eventTime) AS queryName,
  max_by(applicationName, eventTime) AS applicationName,
  count(*) AS batches,
  percentile_approx(durationMs['triggerExecution'], 0.5) AS batchP50Ms,
  1 - sum(durationMs['addBatch']) / nullif(sum(durationMs['triggerExecution']), 0)
    AS shareOutsideAddBatch,
  -- Only these two are taken off the batch; planning and the look for offsets stay.
  sum(coalesce(durationMs['walCommit'], 0) + coalesce(durationMs['commitOffsets'], 0))
    / nullif(sum(durationMs['triggerExecution']), 0) AS shareOfProgressTracking,
  max(size(stateOperators)) > 0 AS isStateful,
  max_by(sink.description, eventTime) AS sink
FROM main.streaming_monitoring.streaming_health
WHERE eventType = 'PROGRESS'
  AND eventTime > current_timestamp() - INTERVAL 24 HOURS
  AND numInputRows > 0
  AND durationMs['addBatch'] IS NOT NULL
GROUP BY queryId
