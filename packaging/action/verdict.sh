# Ends the action with the exit status of the validation, after everything has been uploaded.
# RUNLOG_ACTION_STATUS   the exit status; empty: the validation did not get that far
set -euo pipefail

status=${RUNLOG_ACTION_STATUS:-70}
case $status in
  0) echo "All runs passed." ;;
  *) echo "::error::runlog validate exited with status $status; its findings are annotations and in the job summary" ;;
esac
exit "$status"
