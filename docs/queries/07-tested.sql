-- Did the tests run after the last edit?
-- runlog stats --by run
SELECT run_id,
  CASE WHEN tests_after_last_edit IS NOT NULL THEN 1 ELSE 0 END AS edited,
  CASE WHEN tests_after_last_edit > 0 THEN 1 ELSE 0 END AS tested
FROM runs
ORDER BY run_id;
