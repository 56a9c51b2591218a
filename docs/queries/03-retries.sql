-- How many tokens went into retries, and into calls repeated with the same arguments?
-- runlog stats --by model
SELECT model,
  sum(tokens) AS tokens,
  sum(CASE WHEN retries > 0 THEN tokens ELSE 0 END) AS retry_tokens,
  sum(CASE WHEN repeats > 0 THEN tokens ELSE 0 END) AS repeat_tokens
FROM (
  SELECT model, retries, repeats,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0)
      + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0) AS tokens
  FROM usage
  WHERE first_seen
) AS answers
GROUP BY model
ORDER BY retry_tokens DESC;
