-- What each query did in each minute of the last seven days. Read it for one query, or for a short
-- time, with  WHERE queryId = … AND minute > ….
CREATE VIEW main.streaming_monitoring.query_history
COMMENT 'Batches of each query by minute over the last 7 days: rates, lag, batch time and its phases, watermark, state.'
AS
WITH batch AS (
  SELECT
    queryId,
    queryName,
    applicationName,
    eventTime,
    date_trunc('MINUTE', eventTime) AS minute,
    numInputRows,
    inputRowsPerSecond,
    processedRowsPerSecond,
    batchDurationMs,
    durationMs,
    watermark,
    aggregate(sources, CAST(NULL AS BIGINT), (total, s) ->
      CASE WHEN s.backlog IS NULL THEN total ELSE coalesce(total, 0L) + s.backlog END) AS lagRecords,
    aggregate(stateOperators, CAST(NULL AS BIGINT), (total, s) ->
      coalesce(total, 0L) + coalesce(s.numRowsTotal, 0L)) AS stateRows,
    aggregate(stateOperators, CAST(NULL AS BIGINT), (total, s) ->
      coalesce(total, 0L) + coalesce(s.memoryUsedBytes, 0L)) AS stateBytes
  FROM main.streaming_monitoring.streaming_health
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 7 DAYS
)
SELECT
  queryId,
  minute,
  max_by(queryName, eventTime) AS queryName,
  max_by(applicationName, eventTime) AS applicationName,
  count(*) AS batches,
  sum(numInputRows) AS numInputRows,
  avg(inputRowsPerSecond) AS inputRowsPerSecond,
  sum(numInputRows) / nullif(sum(batchDurationMs) / 1000, 0) AS processedRowsPerSecond,
  max_by(lagRecords, eventTime) AS lagRecords,
  avg(batchDurationMs) AS batchDurationMs,
  max(batchDurationMs) AS batchDurationMaxMs,
  sum(batchDurationMs) AS busyMs,
  map_filter(
    map(
      'addBatch', avg(durationMs['addBatch']),
      'commitBatch', avg(durationMs['commitBatch']),
      'commitOffsets', avg(durationMs['commitOffsets']),
      'getBatch', avg(durationMs['getBatch']),
      'latestOffset', avg(durationMs['latestOffset']),
      'queryPlanning', avg(durationMs['queryPlanning']),
      'walCommit', avg(durationMs['walCommit'])),
    (phase, ms) -> ms IS NOT NULL) AS phaseMs,
  max_by((unix_millis(eventTime) - unix_millis(watermark)) / 1000, eventTime) AS watermarkLagSeconds,
  max_by(stateRows, eventTime) AS stateRows,
  max_by(stateBytes, eventTime) AS stateBytes
FROM batch
GROUP BY queryId, minute
