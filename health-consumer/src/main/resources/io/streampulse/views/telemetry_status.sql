-- Whether anything can be said of queries at all: one row.
CREATE VIEW main.streaming_monitoring.telemetry_status
COMMENT 'One row: the newest record and row there are, how many messages of the last day were quarantined, and isOutage: agents should be heard, and none is (the topic or the consumer is down, or every job).'
AS
SELECT
  count(*) AS agents,
  count_if(isHeard) AS agentsHeard,
  max(lastHeardAt) AS newestEventAt,
  max(lastIngestedAt) AS newestIngestedAt,
  count_if(isHeard) = 0
    AND count_if(NOT closed AND lastHeardAt > current_timestamp() - INTERVAL 1 DAY) > 0 AS isOutage,
  -- Also where no agent has a row, because all that they send is quarantined.
  (SELECT count(*)
   FROM main.streaming_monitoring.streaming_health_quarantine
   WHERE ingestedAt > current_timestamp() - INTERVAL 1 DAY) AS quarantined
FROM main.streaming_monitoring.telemetry_health
