SELECT batchId, numInputRows,
       round(observed.avg, 1) AS avg_ms, observed.max AS max_ms,
       observed.p50 AS p50_ms, observed.p99 AS p99_ms
FROM (
  SELECT batchId, numInputRows,
         from_json(observedMetrics['observedLatency'], 'avg DOUBLE, max BIGINT, p50 BIGINT, p99 BIGINT') AS observed
  FROM ${table}
  WHERE eventType = 'PROGRESS' AND queryName = '${query}' AND numInputRows > 0
)
ORDER BY batchId DESC
LIMIT 5
