-- What fills the context, prompt by prompt?
-- runlog stats --by run,prompt
SELECT run_id,
  task AS prompt,
  max(context_tokens) AS largest_context,
  sum(result_bytes) AS result_bytes
FROM (
  SELECT run_id, task, context_tokens, 0 AS result_bytes
  FROM usage
  WHERE first_seen
  UNION ALL
  SELECT run_id, task, NULL, coalesce(result_bytes, 0)
  FROM calls
  WHERE first_seen
) AS work
GROUP BY run_id, task
ORDER BY run_id, task;
