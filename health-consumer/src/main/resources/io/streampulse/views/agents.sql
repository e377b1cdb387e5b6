-- Which agents there are, and which are older than the newest.
CREATE VIEW main.streaming_monitoring.agents
COMMENT 'Agents of the last 7 days, one row for each: version, Spark version, host, whether it is heard; isOutdated: a newer version is in use.'
AS
WITH agent AS (
  SELECT
    agentId,
    max_by(
      struct(agentVersion, sparkVersion, applicationId, applicationName, host, clusterId, tags),
      lastSequence) AS newest,
    count(DISTINCT queryId) AS queries
  FROM main.streaming_monitoring.run_totals
  GROUP BY agentId
),
ordered AS (
  SELECT
    agentId,
    newest.*,
    queries,
    -- 0.10.0 is newer than 0.9.0; a snapshot is as old as what it becomes.
    transform(split(regexp_replace(newest.agentVersion, '[^0-9.].*$', ''), '[.]'),
      part -> CAST(nullif(part, '') AS INT)) AS versionParts
  FROM agent
)
SELECT
  ordered.agentId,
  ordered.agentVersion,
  versionParts < max(versionParts) OVER () AS isOutdated,
  sparkVersion,
  ordered.applicationId,
  ordered.applicationName,
  ordered.host,
  clusterId,
  tags,
  queries,
  firstHeardAt,
  lastHeardAt,
  isHeard,
  closed
FROM ordered
JOIN main.streaming_monitoring.telemetry_health health ON ordered.agentId = health.agentId
