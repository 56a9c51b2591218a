-- Is copied history (of resumed and forked sessions) counted twice? These figures are in no other
-- answer.
-- runlog stats --by run
SELECT run_id,
  sum(tokens) AS copied_tokens,
  sum(calls) AS copied_calls
FROM (
  SELECT run_id, 0 AS calls,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
      + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0) AS tokens
  FROM usage
  WHERE NOT first_seen
  UNION ALL
  SELECT run_id, 1, 0
  FROM calls
  WHERE NOT first_seen
) AS copied
GROUP BY run_id
ORDER BY copied_tokens DESC;
