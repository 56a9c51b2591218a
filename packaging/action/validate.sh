# Validates the runs and writes the reports. The verdict itself is left to the last step, so that
# the reports of a red run are uploaded too.
# RUNLOG_RUNS_DIR           the directory that holds the runs
# RUNLOG_ACTION_RUNS        the runs, separated by white space; empty: all
# RUNLOG_ACTION_ARGUMENTS   more arguments, one per line
set -euo pipefail

reports=$RUNNER_TEMP/runlog-reports
mkdir -p "$reports"
echo "reports=$reports" >> "$GITHUB_OUTPUT"

arguments=(--report "json=$reports/runlog.json" --report "junit=$reports/runlog.xml" \
  --report "sarif=$reports/runlog.sarif")
while IFS= read -r argument; do
  [ -z "$argument" ] || arguments+=("$argument")
done <<< "${RUNLOG_ACTION_ARGUMENTS:-}"

IFS=$' \t\n' read -r -d '' -a runs <<< "${RUNLOG_ACTION_RUNS:-}" || true
[ "${#runs[@]}" -gt 0 ] || arguments+=(--all)

status=0
runlog validate "${arguments[@]}" -- ${runs[@]+"${runs[@]}"} || status=$?
echo "exit-status=$status" >> "$GITHUB_OUTPUT"
