-- Which call failed in that turn? `WHERE run_id = … AND task = …` chooses a turn, and without the
-- condition on severity the rows say why.
-- runlog show RUN --task 3 --severity error
SELECT run_id, task, sequence, event_type, tool, summary
FROM events
WHERE severity = 'error'
ORDER BY run_id, sequence;
