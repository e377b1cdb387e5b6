-- Real-time mode: latencies as Spark reports them, one row for each query and kind of latency
-- (processingLatencyMs, sourceQueuingLatencyMs, e2eLatencyMs).
CREATE VIEW main.streaming_monitoring.rtm_latency
COMMENT 'Latencies of queries in real-time mode over the last 24 hours: median and worst of what each batch reports for p50, p95 and p99.'
AS
SELECT
  queryId,
  max_by(queryName, eventTime) AS queryName,
  max_by(applicationName, eventTime) AS applicationName,
  latency,
  count(*) AS batches,
  percentile_approx(percentiles['P50'], 0.5) AS p50Ms,
  percentile_approx(percentiles['P95'], 0.5) AS p95Ms,
  percentile_approx(percentiles['P99'], 0.5) AS p99Ms,
  max(percentiles['P99']) AS worstP99Ms
FROM (
  SELECT queryId, queryName, applicationName, eventTime, latency, percentiles
  FROM main.streaming_monitoring.streaming_health
  LATERAL VIEW explode(latencies) AS latency, percentiles
  WHERE eventType = 'PROGRESS'
    AND eventTime > current_timestamp() - INTERVAL 24 HOURS)
GROUP BY queryId, latency
