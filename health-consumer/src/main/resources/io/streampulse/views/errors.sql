-- What queries die of.
CREATE VIEW main.streaming_monitoring.errors
COMMENT 'Errors that ended queries in the last 7 days, by class; isNewToday: not seen in the days before.'
AS
SELECT
  coalesce(errorClass, 'without a class') AS errorClass,
  count(*) AS failures,
  count(DISTINCT queryId) AS queries,
  min(endedAt) AS firstAt,
  max(endedAt) AS lastAt,
  max_by(errorMessage, endedAt) AS lastMessage,
  max_by(queryId, endedAt) AS lastQueryId,
  max_by(queryName, endedAt) AS lastQueryName,
  min(endedAt) >= date_trunc('DAY', current_timestamp()) AS isNewToday
FROM main.streaming_monitoring.query_runs
WHERE outcome = 'FAILED'
GROUP BY coalesce(errorClass, 'without a class')
