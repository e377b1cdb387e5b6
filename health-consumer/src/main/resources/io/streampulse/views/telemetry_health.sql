-- The loss ledger: what each agent produced, what is in the table, and what became of the rest.
--   produced = in the table + dropped (by reason) + missing
-- "missing" is what was in flight when an agent was killed, or is still on its way.
CREATE VIEW main.streaming_monitoring.telemetry_health
COMMENT 'The loss ledger of the last 7 days, one row for each agent instance: produced = inTable + droppedTotal + missing.'
AS
WITH record AS (
  SELECT
    agentId, sequence, eventType, eventTime, observedTime, ingestedAt, agentVersion, applicationId,
    applicationName, host, dropped, size(truncated) > 0 AS isTruncated,
    aggregate(map_values(dropped), 0L, (total, n) -> total + n) AS droppedTotal,
    observedTime > current_timestamp() - INTERVAL 1 HOUR
      AND observedTime < current_timestamp() - INTERVAL 1 MINUTE AS isOfLastHour
  FROM main.streaming_monitoring.streaming_health
  WHERE observedTime > current_timestamp() - INTERVAL 7 DAYS
),
-- How long an agent is silent when all is well: its own heartbeat interval, 60 s by default.
silence AS (
  SELECT agentId, percentile_approx(seconds, 0.9) FILTER (WHERE seconds > 50) AS heartbeatSeconds
  FROM (
    SELECT
      agentId,
      (unix_millis(observedTime) - lag(unix_millis(observedTime))
        OVER (PARTITION BY agentId ORDER BY sequence)) / 1000 AS seconds
    FROM main.streaming_monitoring.streaming_health
    WHERE observedTime > current_timestamp() - INTERVAL 3 HOURS)
  GROUP BY agentId
),
agent AS (
  SELECT
    agentId,
    max_by(applicationId, sequence) AS applicationId,
    max_by(applicationName, sequence) AS applicationName,
    max_by(agentVersion, sequence) AS agentVersion,
    max_by(host, sequence) AS host,
    min(observedTime) AS firstHeardAt,
    max(observedTime) AS lastHeardAt,
    max(ingestedAt) AS lastIngestedAt,
    bool_or(eventType = 'AGENT_STOPPED') AS closed,
    max(sequence) + 1 AS produced,
    max(sequence) + 1 - min(sequence) AS producedHere,
    count(*) AS inTable,
    max_by(dropped, sequence) AS dropped,
    max(droppedTotal) AS droppedTotal,
    -- An agent that is older than the seven days has drops from before them.
    max(droppedTotal) - CASE WHEN min(sequence) = 0 THEN 0 ELSE min(droppedTotal) END
      AS droppedHere,
    count_if(isTruncated) AS truncatedRecords,
    percentile_approx((unix_millis(ingestedAt) - unix_millis(observedTime)) / 1000, 0.5)
      FILTER (WHERE ingestedAt > current_timestamp() - INTERVAL 1 HOUR) AS ingestDelaySeconds,
    max((unix_millis(ingestedAt) - unix_millis(observedTime)) / 1000)
      FILTER (WHERE ingestedAt > current_timestamp() - INTERVAL 1 HOUR) AS ingestDelayMaxSeconds,
    max(droppedTotal) FILTER (WHERE observedTime > current_timestamp() - INTERVAL 1 HOUR)
      - coalesce(
          max(droppedTotal) FILTER (WHERE observedTime <= current_timestamp() - INTERVAL 1 HOUR),
          0) AS droppedLastHour,
    -- Without the last minute, whose records may be on their way.
    max(sequence) FILTER (WHERE isOfLastHour) - min(sequence) FILTER (WHERE isOfLastHour) + 1
      - count_if(isOfLastHour) AS gapsLastHour
  FROM record
  GROUP BY agentId
)
SELECT
  agent.agentId,
  applicationId,
  applicationName,
  agentVersion,
  host,
  firstHeardAt,
  lastHeardAt,
  lastIngestedAt,
  closed,
  greatest(60, coalesce(heartbeatSeconds, 60)) AS heartbeatSeconds,
  -- Silent is whoever has missed three heartbeats.
  unix_millis(current_timestamp()) - unix_millis(lastHeardAt)
    <= 3000 * greatest(60, coalesce(heartbeatSeconds, 60)) AS isHeard,
  produced,
  inTable,
  dropped,
  droppedTotal,
  greatest(0, producedHere - inTable - droppedHere) AS missing,
  coalesce(droppedLastHour, 0) AS droppedLastHour,
  coalesce(gapsLastHour, 0) AS gapsLastHour,
  truncatedRecords,
  ingestDelaySeconds,
  ingestDelayMaxSeconds,
  (SELECT count(*)
   FROM main.streaming_monitoring.streaming_health_quarantine
   WHERE ingestedAt > current_timestamp() - INTERVAL 1 DAY) AS quarantined
FROM agent
LEFT JOIN silence ON agent.agentId = silence.agentId
