-- Which session touched this file?
-- runlog stats --by file,run
SELECT path,
  run_id,
  sum(CASE WHEN action IN ('read', 'accessed', 'access') THEN 1 ELSE 0 END) AS times_read,
  sum(CASE WHEN action NOT IN ('read', 'accessed', 'access') AND applied THEN 1 ELSE 0 END) AS changes,
  sum(CASE WHEN applied THEN added END) AS added,
  sum(CASE WHEN applied THEN removed END) AS removed
FROM files
WHERE action <> 'deliverable'
GROUP BY path, run_id
ORDER BY path, run_id;
