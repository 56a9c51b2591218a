-- Which session opened this pull request?
-- runlog stats --by pull-request,run
SELECT pull_request, run_id
FROM runs
WHERE pull_request IS NOT NULL
ORDER BY pull_request, run_id;
