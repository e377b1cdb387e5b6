-- Whose queries are in which state, by the tag "team" or "owner" of the jobs
-- (spark.streampulse.agent.tags.team).
CREATE VIEW main.streaming_monitoring.owners
COMMENT 'Queries by owner (tag team, else owner, else the application) and their states.'
AS
SELECT
  coalesce(tags['team'], tags['owner'], applicationName) AS owner,
  count(*) AS queries,
  count_if(state IN ('FAILED', 'HUNG', 'SILENT')) AS down,
  count_if(state IN ('STALLED', 'FALLING_BEHIND')) AS behind,
  count_if(state IN ('OK', 'IDLE', 'CATCHING_UP', 'LONG_BATCH')) AS running,
  count_if(state = 'STOPPED') AS stopped,
  sum(lagRecords) AS lagRecords,
  max(lagSeconds) AS maxLagSeconds,
  array_sort(collect_set(coalesce(queryName, queryId)) FILTER (
    WHERE state IN ('FAILED', 'HUNG', 'SILENT', 'STALLED', 'FALLING_BEHIND'))) AS inTrouble
FROM main.streaming_monitoring.query_status
GROUP BY coalesce(tags['team'], tags['owner'], applicationName)
