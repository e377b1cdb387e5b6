-- One row for each query: the state of its newest run, the first of these that fits, and signals.
--
--   SILENT          its agent has missed three heartbeats and did not close, while others are heard
--   RESTARTING      it ended with an error less than two minutes ago, and has not started again
--   FAILED          it ended with an error earlier
--   STOPPED         it ended without one
--   HUNG            no event for longer than max(3 T, 2 x own p99 batch time, 60 s), its agent is
--                   heard, and that is beyond its own p99.9 batch time (10 min where it has none)
--   LONG_BATCH      the same, within its p99.9
--   STALLED         batches arrive, there is lag, and the end offsets are the same for 5 batches
--   FALLING_BEHIND  processed < input in 3 batches in a row; or lag over 60 s that rises (robust
--                   trend, 70 % of the steps don't fall) with a headroom below 1
--   CATCHING_UP     lag above max(10 s, 2 T) that falls, by the trend or in the newest 5 batches
--   IDLE            idle events, or no rows and no lag
--   OK              all else
--
-- The window is the newest 20 batches, or the 10 minutes up to the newest, whichever is more; T is
-- the query's own median gap between batches in it. Rates and headroom are of sums, not of batches.
-- Lag in seconds is lag in records by the rate at which records arrive.
CREATE VIEW main.streaming_monitoring.query_status
COMMENT 'State, signals and reason of every query of the last 7 days, one row for each query (its newest run).'
AS
WITH run AS (
  SELECT
    *,
    (unix_millis(lastBatchAt) - unix_millis(firstBatchAt)) / nullif(batches - 1, 0) AS meanGapMs
  FROM main.streaming_monitoring.query_runs
  WHERE isLatest
),
batch AS (
  SELECT
    h.queryId,
    h.runId,
    h.runId = run.runId AS isOfRun,
    h.eventTime,
    h.batchId,
    h.numInputRows,
    h.batchDurationMs,
    h.durationMs,
    h.fallingBehind,
    h.fallingBehindStreak,
    h.watermark,
    run.lastBatchAt,
    unix_millis(h.eventTime) - lag(unix_millis(h.eventTime))
      OVER (PARTITION BY h.queryId, h.runId ORDER BY h.eventTime, h.batchId) AS gapMs,
    aggregate(h.sources, CAST(NULL AS BIGINT), (total, s) ->
      CASE WHEN s.backlog IS NULL THEN total ELSE coalesce(total, 0L) + s.backlog END) AS lagRecords,
    transform(h.sources, s -> s.endOffset) AS endOffsets,
    -- Only Kafka's offsets can be added up.
    aggregate(h.sources, CAST(NULL AS BIGINT), (total, s) ->
      CASE WHEN s.endOffset RLIKE '^[{]"[^"]+":[{]"[0-9]+":'
        THEN coalesce(total, 0L) + aggregate(regexp_extract_all(s.endOffset, '"[0-9]+":([0-9]+)', 1),
          0L, (n, offset) -> n + CAST(offset AS BIGINT))
        ELSE total END) AS offset,
    aggregate(h.stateOperators, CAST(NULL AS BIGINT), (total, s) ->
      coalesce(total, 0L) + coalesce(s.numRowsTotal, 0L)) AS stateRows,
    aggregate(h.stateOperators, CAST(NULL AS BIGINT), (total, s) ->
      coalesce(total, 0L) + coalesce(s.memoryUsedBytes, 0L)) AS stateBytes
  FROM main.streaming_monitoring.streaming_health h
  JOIN run ON h.queryId = run.queryId
  WHERE h.eventType = 'PROGRESS'
    AND h.eventTime > current_timestamp() - INTERVAL 24 HOURS
    -- Enough for 20 batches, and no more than is read quickly.
    AND unix_millis(h.eventTime) >= unix_millis(run.lastBatchAt)
      - greatest(3600000, 40 * coalesce(run.meanGapMs, 0))
),
ordered AS (
  SELECT
    *,
    row_number() OVER (PARTITION BY queryId, runId ORDER BY eventTime DESC, batchId DESC) AS age,
    lag(lagRecords) OVER inRun AS lagBefore,
    lag(watermark) OVER inRun AS watermarkBefore,
    endOffsets = lag(endOffsets) OVER inRun AS isWhereItWas,
    max(batchId) OVER before > batchId OR max(offset) OVER before > offset AS isBack
  FROM batch
  WINDOW
    inRun AS (PARTITION BY queryId, runId ORDER BY eventTime, batchId),
    before AS (PARTITION BY queryId ORDER BY eventTime, batchId
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
windowed AS (
  SELECT
    *,
    isOfRun AND (age <= 20 OR eventTime >= lastBatchAt - INTERVAL 10 MINUTES) AS isIn
  FROM ordered
),
typical AS (
  SELECT
    *,
    count_if(isIn) OVER ofQuery AS windowBatches,
    percentile(CASE WHEN isIn THEN gapMs END, 0.5) OVER ofQuery AS T,
    percentile(CASE WHEN isIn THEN batchDurationMs END, 0.5) OVER ofQuery AS medianMs
  FROM windowed
  WINDOW ofQuery AS (PARTITION BY queryId)
),
marked AS (
  SELECT
    *,
    CASE
      WHEN NOT isIn THEN NULL
      WHEN age <= windowBatches / 3 THEN 'newest'
      WHEN age > windowBatches - windowBatches / 3 THEN 'oldest'
    END AS third,
    -- Slower than it comes; where batches follow each other at once, half of them are longer than T.
    coalesce(fallingBehind, FALSE) OR (batchDurationMs > T AND medianMs <= 0.8 * T) AS isSlow
  FROM typical
),
counted AS (
  SELECT
    *,
    isSlow AND coalesce(lag(isSlow) OVER inRun, FALSE) AND coalesce(lag(isSlow, 2) OVER inRun, FALSE)
      AS isThirdSlow
  FROM marked
  WINDOW inRun AS (PARTITION BY queryId, runId ORDER BY eventTime, batchId)
),
recent AS (
  SELECT
    queryId,
    max(windowBatches) AS windowBatches,
    max(T) AS T,
    max(medianMs) AS medianMs,
    min(eventTime) FILTER (WHERE isIn) AS windowStart,
    max_by(struct(eventTime, batchId, numInputRows, lagRecords, fallingBehindStreak, watermark,
      stateRows, stateBytes), eventTime) FILTER (WHERE isOfRun) AS newest,
    -- Records that arrived between the plans of the window's first and last batch.
    sum(numInputRows) FILTER (WHERE isIn) - min_by(numInputRows, eventTime) FILTER (WHERE isIn)
      + coalesce(max_by(lagRecords, eventTime) FILTER (WHERE isIn)
        - min_by(lagRecords, eventTime) FILTER (WHERE isIn), 0) AS arrived,
    (max(unix_millis(eventTime)) FILTER (WHERE isIn)
      - min(unix_millis(eventTime)) FILTER (WHERE isIn)) / 1000 AS seconds,
    sum(numInputRows) FILTER (WHERE isIn) AS numInputRows,
    sum(batchDurationMs) FILTER (WHERE isIn) / 1000 AS busySeconds,
    -- Tukey's line: from the median of the oldest third to that of the newest.
    (percentile(lagRecords, 0.5) FILTER (WHERE third = 'newest')
      - percentile(lagRecords, 0.5) FILTER (WHERE third = 'oldest'))
      / nullif(percentile(unix_millis(eventTime), 0.5) FILTER (WHERE third = 'newest')
        - percentile(unix_millis(eventTime), 0.5) FILTER (WHERE third = 'oldest'), 0) * 1000
      AS lagTrendPerSecond,
    count_if(isIn AND lagRecords >= lagBefore) / nullif(count_if(isIn AND lagBefore IS NOT NULL), 0)
      AS shareNotFalling,
    -- The newest batch after which the lag had not fallen, and how many came after it.
    max_by(struct(eventTime, lagRecords), eventTime)
      FILTER (WHERE isOfRun AND NOT coalesce(lagRecords < lagBefore, FALSE)) AS peak,
    coalesce(min(age) FILTER (WHERE isOfRun AND NOT coalesce(lagRecords < lagBefore, FALSE)), 1) - 1
      AS fallingFor,
    -- The batches since then ended where the one before ended.
    coalesce(min(age) FILTER (WHERE isOfRun AND NOT coalesce(isWhereItWas, FALSE)), 0) AS sameEnd,
    max(eventTime) FILTER (WHERE isOfRun AND NOT coalesce(isWhereItWas, FALSE)) AS sameEndSince,
    max(eventTime) FILTER (WHERE isOfRun AND coalesce(fallingBehindStreak, 0) = 0) AS keptUpAt,
    bool_or(isBack) AS isRewound,
    count_if(isIn AND isSlow) AS slowBatches,
    bool_or(isIn AND isThirdSlow) AS isSlowForLong,
    max(eventTime) FILTER (WHERE isOfRun AND NOT (watermark <=> watermarkBefore)) AS watermarkSince,
    max(eventTime) FILTER (WHERE isOfRun AND numInputRows > 0) AS rowsAt,
    map_filter(
      map(
        'addBatch', percentile(durationMs['addBatch'], 0.5) FILTER (WHERE isIn),
        'commitBatch', percentile(durationMs['commitBatch'], 0.5) FILTER (WHERE isIn),
        'commitOffsets', percentile(durationMs['commitOffsets'], 0.5) FILTER (WHERE isIn),
        'getBatch', percentile(durationMs['getBatch'], 0.5) FILTER (WHERE isIn),
        'latestOffset', percentile(durationMs['latestOffset'], 0.5) FILTER (WHERE isIn),
        'queryPlanning', percentile(durationMs['queryPlanning'], 0.5) FILTER (WHERE isIn),
        'walCommit', percentile(durationMs['walCommit'], 0.5) FILTER (WHERE isIn)),
      (phase, ms) -> ms IS NOT NULL) AS phaseMs
  FROM counted
  GROUP BY queryId
),
agent AS (
  SELECT *, bool_or(isHeard) OVER () AS isAnyHeard
  FROM main.streaming_monitoring.telemetry_health
),
measured AS (
  SELECT
    run.*,
    recent.windowBatches,
    recent.windowStart,
    -- As columns: over a LATERAL VIEW Spark loses some fields of a struct when few columns are read.
    newest.batchId AS newestBatchId,
    newest.numInputRows AS newestNumInputRows,
    newest.lagRecords AS newestLagRecords,
    newest.fallingBehindStreak AS newestFallingBehindStreak,
    newest.watermark AS newestWatermark,
    newest.stateRows AS newestStateRows,
    newest.stateBytes AS newestStateBytes,
    newest.eventTime AS newestEventTime,
    recent.sameEnd,
    recent.fallingFor,
    (recent.peak.lagRecords - newest.lagRecords) * 1000
      / nullif(unix_millis(newest.eventTime) - unix_millis(recent.peak.eventTime), 0)
      AS fallsPerSecond,
    recent.sameEndSince,
    recent.keptUpAt,
    recent.phaseMs,
    recent.medianMs,
    coalesce(recent.T, run.meanGapMs) AS T,
    baseline.batchDurationP99Ms,
    baseline.batchDurationP999Ms,
    agent.isHeard,
    agent.isAnyHeard,
    agent.lastHeardAt AS agentLastHeardAt,
    (unix_millis(current_timestamp()) - unix_millis(run.lastEventAt)) / 1000 AS ageSeconds,
    greatest(3 * coalesce(recent.T, run.meanGapMs, 0), 2 * coalesce(baseline.batchDurationP99Ms, 0),
      60000) / 1000 AS longSeconds,
    greatest(0, arrived) / nullif(recent.seconds, 0) AS inputRate,
    recent.numInputRows / nullif(recent.busySeconds, 0) AS processedRate,
    recent.lagTrendPerSecond,
    recent.shareNotFalling,
    filter(
      array(
        CASE WHEN slowBatches > 0 AND NOT isSlowForLong THEN 'JITTER' END,
        CASE WHEN run.runsLastHour >= 3 THEN 'FLAPPING' END,
        CASE WHEN isRewound THEN 'REWOUND' END,
        CASE WHEN newest.watermark IS NOT NULL
          AND unix_millis(rowsAt) - unix_millis(watermarkSince) > 300000 THEN 'WATERMARK_STUCK' END,
        CASE WHEN state.growsOnly THEN 'STATE_GROWTH' END,
        CASE WHEN baseline.batches >= 100 AND recent.windowBatches >= 5
          AND exists(map_keys(recent.phaseMs), phase ->
            recent.phaseMs[phase] > 2 * baseline.phaseMs[phase]
            AND recent.phaseMs[phase] > 0.3 * recent.medianMs) THEN 'SLOW_PHASE' END,
        CASE WHEN agent.gapsLastHour > 0 OR agent.droppedLastHour > 0
          OR agent.ingestDelaySeconds > 60 THEN 'BLIND' END),
      signal -> signal IS NOT NULL) AS signals
  FROM run
  LEFT JOIN recent ON run.queryId = recent.queryId
  LEFT JOIN main.streaming_monitoring.query_baseline baseline ON run.queryId = baseline.queryId
  LEFT JOIN main.streaming_monitoring.state_growth state ON run.queryId = state.queryId
  LEFT JOIN agent ON run.agentId = agent.agentId
),
-- Each of the next three is computed once, by a LATERAL VIEW: as a plain column Spark's optimizer would
-- write its rule into every place that reads it, and again into every place that reads that.
lagged AS (
  SELECT measured.*, rates.*
  FROM measured
  LATERAL VIEW inline(array(struct(
    processedRate / nullif(inputRate, 0),
    CASE
      WHEN newestLagRecords = 0 THEN 0
      ELSE newestLagRecords / coalesce(nullif(inputRate, 0), nullif(processedRate, 0))
    END))) rates AS headroom, lagSeconds
),
stated AS (
  SELECT lagged.*, rule.*
  FROM lagged
  LATERAL VIEW explode(array(
    CASE
      WHEN outcome = 'RUNNING' AND NOT isHeard AND isAnyHeard THEN 'SILENT'
      WHEN outcome = 'FAILED' AND unix_millis(current_timestamp()) - unix_millis(endedAt) < 120000
        THEN 'RESTARTING'
      WHEN outcome IN ('FAILED', 'STOPPED') THEN outcome
      WHEN isHeard AND ageSeconds > longSeconds
          AND ageSeconds > coalesce(batchDurationP999Ms, 600000) / 1000 THEN 'HUNG'
      WHEN isHeard AND ageSeconds > longSeconds THEN 'LONG_BATCH'
      WHEN newestLagRecords > 0 AND sameEnd >= 5 THEN 'STALLED'
      WHEN newestFallingBehindStreak >= 3
          OR (lagSeconds > 60 AND lagTrendPerSecond > 0 AND shareNotFalling >= 0.7 AND headroom < 1)
        THEN 'FALLING_BEHIND'
      WHEN lagSeconds > greatest(10, 2 * T / 1000) AND (lagTrendPerSecond < 0 OR fallingFor >= 5)
        THEN 'CATCHING_UP'
      WHEN lastEventType = 'IDLE'
          OR (newestNumInputRows = 0 AND coalesce(newestLagRecords, 0) = 0) THEN 'IDLE'
      ELSE 'OK'
    END)) rule AS state
),
worded AS (
  SELECT stated.*, since.*
  FROM stated
  LATERAL VIEW inline(array(struct(
    CASE
      WHEN state = 'SILENT' THEN agentLastHeardAt
      WHEN state IN ('RESTARTING', 'FAILED', 'STOPPED') THEN endedAt
      WHEN state IN ('HUNG', 'LONG_BATCH') THEN lastEventAt
      WHEN state = 'STALLED' THEN sameEndSince
      WHEN state = 'FALLING_BEHIND' AND newestFallingBehindStreak >= 3
        THEN coalesce(keptUpAt,
          timestamp_millis(CAST(unix_millis(newestEventTime) - newestFallingBehindStreak * T AS BIGINT)))
      WHEN state IN ('FALLING_BEHIND', 'CATCHING_UP') THEN windowStart
      ELSE startedAt
    END,
    CASE WHEN state = 'CATCHING_UP'
      THEN newestLagRecords
        / nullif(CASE WHEN fallingFor >= 5 THEN fallsPerSecond ELSE -lagTrendPerSecond END, 0)
      END)))
    since AS stateSince, catchUpSeconds
)
SELECT
  queryId,
  runId,
  queryName,
  applicationId,
  applicationName,
  state,
  array_position(array('FAILED', 'HUNG', 'SILENT', 'STALLED', 'FALLING_BEHIND', 'RESTARTING',
    'LONG_BATCH', 'CATCHING_UP', 'STOPPED', 'IDLE', 'OK'), state) - 1 AS severity,
  signals,
  CASE state
    WHEN 'SILENT' THEN 'its agent is not heard, and it did not say that it ends'
    WHEN 'RESTARTING' THEN concat('ended just now: ', coalesce(errorMessage, errorClass))
    WHEN 'FAILED' THEN concat('ended: ', coalesce(errorMessage, errorClass))
    WHEN 'STOPPED' THEN
      CASE WHEN lastEventType = 'TERMINATED' THEN 'ended without an error'
        ELSE 'its application ended' END
    WHEN 'HUNG' THEN concat('no event for ', CAST(round(ageSeconds) AS BIGINT), ' s, longer than ',
      CASE WHEN batchDurationP999Ms IS NULL THEN 'a first batch may take'
        ELSE concat('nearly all of its batches took (p99.9 ',
          round(batchDurationP999Ms / 1000, 1), ' s)') END)
    WHEN 'LONG_BATCH' THEN concat('no event for ', CAST(round(ageSeconds) AS BIGINT), ' s, as in its longest batches')
    WHEN 'STALLED' THEN concat(sameEnd, ' batches ended at the same offsets, ', newestLagRecords,
      ' records wait')
    WHEN 'FALLING_BEHIND' THEN
      CASE WHEN newestFallingBehindStreak >= 3
        THEN concat('processed less than came in ', newestFallingBehindStreak, ' batches in a row')
        ELSE concat('lag of ', CAST(round(lagSeconds) AS BIGINT), ' s rises: ', round(inputRate, 1),
          ' records/s come, ', round(processedRate, 1), ' can be processed') END
    WHEN 'CATCHING_UP' THEN concat('lag of ', CAST(round(lagSeconds) AS BIGINT), ' s falls, gone in ',
      coalesce(string(CAST(round(catchUpSeconds) AS BIGINT)), '?'), ' s')
    WHEN 'IDLE' THEN 'no new data'
    ELSE CASE
      WHEN newestEventTime IS NULL THEN 'started, no batch yet'
      WHEN newestLagRecords > 0 THEN concat('keeps up, ', newestLagRecords, ' records wait')
      ELSE 'keeps up' END
  END AS reason,
  stateSince,
  (unix_millis(current_timestamp()) - unix_millis(stateSince)) / 1000 AS stateSeconds,
  startedAt,
  lastEventAt,
  lastEventType,
  ageSeconds AS lastEventAgeSeconds,
  agentId,
  agentLastHeardAt,
  agentVersion,
  sparkVersion,
  host,
  clusterId,
  jobId,
  jobRunId,
  tags,
  jobTags,
  newestBatchId AS batchId,
  newestNumInputRows AS numInputRows,
  windowBatches,
  T AS batchGapMs,
  medianMs AS batchDurationMs,
  batchDurationP99Ms,
  inputRate AS inputRowsPerSecond,
  processedRate AS processedRowsPerSecond,
  headroom,
  newestLagRecords AS lagRecords,
  lagSeconds,
  lagTrendPerSecond,
  catchUpSeconds,
  newestFallingBehindStreak AS fallingBehindStreak,
  newestWatermark AS watermark,
  (unix_millis(newestEventTime) - unix_millis(newestWatermark)) / 1000 AS watermarkLagSeconds,
  newestStateRows AS stateRows,
  newestStateBytes AS stateBytes,
  phaseMs,
  runsLastHour,
  errorClass,
  errorMessage
FROM worded
