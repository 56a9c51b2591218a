-- It worked yesterday: what differs? The runs of each project in their order, so that a run stands
-- below the one before it.
-- runlog stats OLD NEW --by project,run,version,status
SELECT runs.project AS project,
  runs.run_id AS run_id,
  runs.agent_version AS version,
  runs.status AS status,
  coalesce(work.calls, 0) AS calls,
  coalesce(work.failures, 0) AS failures,
  coalesce(work.retries, 0) AS retries,
  coalesce(work.model_calls, 0) AS model_calls,
  work.input_tokens AS input_tokens,
  work.output_tokens AS output_tokens,
  round(work.cost_usd, 6) AS cost_usd
FROM runs
LEFT JOIN (
  SELECT run_id,
    sum(calls) AS calls, sum(failures) AS failures, sum(retries) AS retries,
    sum(model_calls) AS model_calls, sum(input_tokens) AS input_tokens,
    sum(output_tokens) AS output_tokens, sum(cost_usd) AS cost_usd
  FROM (
    SELECT run_id, 1 AS calls,
      CASE WHEN status = 'failed' THEN 1 ELSE 0 END AS failures,
      CASE WHEN is_retry THEN 1 ELSE 0 END AS retries,
      0 AS model_calls, CAST(NULL AS bigint) AS input_tokens,
      CAST(NULL AS bigint) AS output_tokens, NULL AS cost_usd
    FROM calls
    WHERE first_seen
    UNION ALL
    SELECT run_id, 0, 0, 0, CASE WHEN kind IN ('call', 'calls') THEN 1 ELSE 0 END,
      input_tokens, output_tokens, cost_usd
    FROM usage
    WHERE first_seen
  ) AS parts
  GROUP BY run_id
) AS work ON work.run_id = runs.run_id
ORDER BY runs.project, runs.started_at, runs.run_id;
