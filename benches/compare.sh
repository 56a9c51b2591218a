#!/usr/bin/env bash
# Compares runlog with public tools on this machine, in turn, and prints ratios of medians.
# Needs hyperfine and jq. Absolute times mean nothing on a shared machine.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cargo build --release --quiet --locked --manifest-path "$root/Cargo.toml"
runlog=${CARGO_TARGET_DIR:-$root/target}/release/runlog
runs=${RUNS:-1000}
work=$(mktemp -d "${TMPDIR:-/tmp}/runlog-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
unset RUNLOG_RUN RUNLOG_RUNS_DIR
export RUNLOG_DURABILITY=process

# The commands take turns, in ten rounds, so that a change of the machine's pace hits all.
medians() { # command… → one median (ms) a line
  for round in 1 2 3 4 5 6 7 8 9 10; do
    hyperfine -N --warmup 20 --runs "$((runs / 10))" --export-json "round.$round" "$@" >/dev/null 2>&1
  done
  jq -rs '[.[].results] | transpose[] | map(.times[]) | sort | .[length / 2 | floor] * 1000' round.*
}
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

"$runlog" emit run.created --run small --print none
"$runlog" emit run.created --run large --print none
line() { printf '{"type":"note","data":{"text":"%s"}}\n' "$(head -c 700 /dev/zero | tr '\0' x)"; }
echo "making a log of 1 GB …" >&2
line >one; for _ in $(seq 10); do cat one one >two; mv two one; done
while [ "$(stat -c %s runs/large/events.jsonl)" -lt 1000000000 ]; do
  for _ in $(seq 100); do cat one; done | "$runlog" emit --run large --stdin --quiet
done

mapfile -t t < <(medians \
  "$runlog emit note --run small -f text=hello" \
  "/bin/true" \
  "sh -c 'jq -nc \"{type:\\\"note\\\",data:{text:\\\"hello\\\"}}\" | flock lock tee -a jq.jsonl'" \
  "$runlog emit note --run large -f text=hello")
printf 'emit, one event: %s ms; /bin/true: %s ms; jq | flock tee: %s ms; emit into 1 GB: %s ms\n' "${t[@]}"
echo "emit / true:             $(ratio "${t[0]}" "${t[1]}") (at most 2.5)"
echo "jq line / emit:          $(ratio "${t[2]}" "${t[0]}") (at least 3)"
echo "emit into 1 GB / empty:  $(ratio "${t[3]}" "${t[0]}") (at most 1.2)"
