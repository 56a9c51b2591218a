-- Are the calls of sub-agents counted?
-- runlog stats --by subagent
SELECT coalesce(agent_id, 'main') AS subagent,
  sum(calls) AS calls,
  sum(failures) AS failures,
  sum(model_calls) AS model_calls,
  sum(input_tokens) AS input_tokens,
  sum(output_tokens) AS output_tokens
FROM (
  SELECT agent_id, 0 AS calls, 0 AS failures,
    CASE WHEN kind IN ('call', 'calls') THEN 1 ELSE 0 END AS model_calls, input_tokens, output_tokens
  FROM usage
  WHERE first_seen
  UNION ALL
  SELECT agent_id, 1, CASE WHEN status = 'failed' THEN 1 ELSE 0 END, 0, NULL, NULL
  FROM calls
  WHERE first_seen
) AS work
GROUP BY 1
ORDER BY 2 DESC;
