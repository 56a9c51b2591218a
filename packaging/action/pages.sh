# Makes a page of each run. A run that cannot be shown, or none at all, does not change the verdict.
# RUNLOG_RUNS_DIR         the directory that holds the runs
# RUNLOG_ACTION_RUNS      the runs, separated by white space; empty: all
# RUNLOG_ACTION_REPORTS   the folder of the pages
set -euo pipefail

IFS=$' \t\n' read -r -d '' -a runs <<< "${RUNLOG_ACTION_RUNS:-}" || true
if [ "${#runs[@]}" -eq 0 ]; then
  while IFS= read -r run; do
    runs+=("$run")
  done < <(runlog list --format ids)
fi

for run in ${runs[@]+"${runs[@]}"}; do
  name=${run%/}
  name=${name##*/}
  runlog transcript --format html --output "$RUNLOG_ACTION_REPORTS/$name.html" -- "$run" \
    || echo "::warning::no page was made of one run; the log of this step has the reason"
done
