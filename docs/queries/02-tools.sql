-- Which tool fails most, and how slow is it?
-- runlog stats --by tool
SELECT tool,
  count(*) AS calls,
  sum(CASE WHEN status = 'failed' THEN 1 ELSE 0 END) AS failures,
  -- The durations at rank n / 2 and at rank 0.95 n, both rounded up.
  min(CASE WHEN place * 2 >= timed THEN duration_ms END) AS median_ms,
  min(CASE WHEN place * 100 >= timed * 95 THEN duration_ms END) AS p95_ms,
  sum(duration_ms) AS duration_ms
FROM (
  SELECT tool, status, duration_ms,
    count(duration_ms) OVER (PARTITION BY tool) AS timed,
    CASE WHEN duration_ms IS NOT NULL THEN
      row_number() OVER (PARTITION BY tool, duration_ms IS NULL ORDER BY duration_ms)
    END AS place
  FROM calls
  WHERE first_seen
) AS ranked
GROUP BY tool
ORDER BY failures DESC, calls DESC;
