-- The loss ledger: what each agent produced, what is in the table, and what became of the rest.
--   produced = in the table + dropped (by reason) + missing
-- "missing" is what was in flight when an agent was killed, or is still on its way.
CREATE VIEW main.streaming_monitoring.telemetry_health
COMMENT 'The loss ledger of the last 7 days, one row for each agent instance: produced = inTable + droppedTotal + missing.'
AS
WITH agent AS (
  SELECT
    agentId,
    max_by(struct(applicationId, applicationName, agentVersion, host, dropped), lastSequence)
      AS newest,
    min(firstHeardAt) AS firstHeardAt,
    max(lastHeardAt) AS lastHeardAt,
    max(lastIngestedAt) AS lastIngestedAt,
    max(closedAt) IS NOT NULL AS closed,
    max(lastSequence) + 1 AS produced,
    sum(records) AS inTable,
    max(lastDropped) AS droppedTotal,
    min(firstSequence) AS firstSequence,
    min(firstDropped) AS firstDropped,
    -- It has records from before the seven days: it was heard as soon as they began. One whose first
    -- records were dropped was not.
    min(firstSequence) > 0
      AND min(firstHeardAt) < current_timestamp() - INTERVAL 167 HOURS AS isOlder,
    sum(truncatedRecords) AS truncatedRecords
  FROM main.streaming_monitoring.run_totals
  GROUP BY agentId
),
record AS (
  SELECT
    agentId,
    sequence,
    ingestedAt,
    observedTime > current_timestamp() - INTERVAL 1 HOUR AS isOfLastHour,
    -- Without the last minute, whose records may be on their way.
    observedTime > current_timestamp() - INTERVAL 1 HOUR
      AND observedTime < current_timestamp() - INTERVAL 1 MINUTE AS isArrived,
    aggregate(map_values(dropped), 0L, (n, records) -> n + records) AS dropped,
    (unix_millis(ingestedAt) - unix_millis(observedTime)) / 1000 AS delaySeconds,
    (unix_millis(observedTime) - lag(unix_millis(observedTime))
      OVER (PARTITION BY agentId ORDER BY sequence)) / 1000 AS silentSeconds
  FROM main.streaming_monitoring.streaming_health
  WHERE observedTime > current_timestamp() - INTERVAL 3 HOURS
),
recent AS (
  SELECT
    agentId,
    -- How long an agent is silent when all is well: its own heartbeat interval, 60 s by default.
    percentile_approx(silentSeconds, 0.9) FILTER (WHERE silentSeconds > 50) AS heartbeatSeconds,
    percentile_approx(delaySeconds, 0.5)
      FILTER (WHERE ingestedAt > current_timestamp() - INTERVAL 1 HOUR) AS ingestDelaySeconds,
    max(delaySeconds)
      FILTER (WHERE ingestedAt > current_timestamp() - INTERVAL 1 HOUR) AS ingestDelayMaxSeconds,
    max(dropped) FILTER (WHERE isOfLastHour)
      - coalesce(
          max(dropped) FILTER (WHERE NOT isOfLastHour),
          CASE WHEN min(sequence) = 0 THEN 0 ELSE min(dropped) END) AS droppedLastHour,
    max(sequence) FILTER (WHERE isArrived) - min(sequence) FILTER (WHERE isArrived) + 1
      - count_if(isArrived) AS gapsLastHour
  FROM record
  GROUP BY agentId
)
SELECT
  agent.agentId,
  newest.applicationId,
  newest.applicationName,
  newest.agentVersion,
  newest.host,
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
  newest.dropped,
  droppedTotal,
  greatest(0, produced - inTable - droppedTotal
    - CASE WHEN isOlder THEN firstSequence - firstDropped ELSE 0 END) AS missing,
  coalesce(droppedLastHour, 0) AS droppedLastHour,
  coalesce(gapsLastHour, 0) AS gapsLastHour,
  truncatedRecords,
  ingestDelaySeconds,
  ingestDelayMaxSeconds,
  (SELECT count(*)
   FROM main.streaming_monitoring.streaming_health_quarantine
   WHERE ingestedAt > current_timestamp() - INTERVAL 1 DAY) AS quarantined
FROM agent
LEFT JOIN recent ON agent.agentId = recent.agentId
