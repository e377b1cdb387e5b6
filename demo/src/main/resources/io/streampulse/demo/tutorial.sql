SELECT batchId, numInputRows,
       round(inputRowsPerSecond, 1) AS input_per_second,
       round(processedRowsPerSecond, 1) AS processed_per_second,
       fallingBehind
FROM ${table}
WHERE eventType = 'PROGRESS' AND queryName = '${query}'
ORDER BY batchId
