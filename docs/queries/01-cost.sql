-- What did it cost, per model, day and project?
-- runlog stats --by model,day,project
-- Days are in the time zone of the session; `stats` has them in UTC. In DuckDB: SET TimeZone = 'UTC';
SELECT usage.model AS model,
  date(coalesce(usage.time, runs.started_at, runs.recorded_at)) AS day,
  runs.project AS project,
  sum(CASE WHEN usage.kind IN ('call', 'calls') THEN 1 ELSE 0 END) AS model_calls,
  sum(usage.input_tokens) AS input_tokens,
  sum(usage.output_tokens) AS output_tokens,
  sum(usage.cache_read_tokens) AS cache_read_tokens,
  sum(usage.cache_creation_tokens) AS cache_creation_tokens,
  round(sum(usage.cost_usd), 6) AS cost_usd
FROM usage
JOIN runs ON runs.run_id = usage.run_id
WHERE usage.first_seen
GROUP BY 1, 2, 3
ORDER BY 2, 9 DESC;
