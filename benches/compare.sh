#!/usr/bin/env bash
# Compares runlog with public tools on this machine, in turn, and prints ratios of medians.
# Needs hyperfine and jq; jaq where it is there. Absolute times mean nothing on a shared machine.
# RUNS: how often single emits are timed. EVENTS: how many a stream has. RUNS_MADE: how many
# runs are summarized. SESSIONS: a folder with session files of agents, to import instead of made
# ones.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# There, so that its settings of the linker count.
(cd "$root" && cargo build --release --quiet --locked)
runlog=${CARGO_TARGET_DIR:-$root/target}/release/runlog
runs=${RUNS:-1000}
events=${EVENTS:-1000000}
jaq=$(command -v jaq || true)
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

echo "making a stream of $events events …" >&2
awk -v n="$events" 'BEGIN {
  for (i = 1; i <= n; i++) {
    if (i % 4 == 1) printf "{\"type\":\"tool.started\",\"correlation_id\":\"c%d\",\"data\":{\"tool_name\":\"bash\",\"args_summary\":{\"command\":\"ls -la dir%d | head -20\"}}}\n", i, i
    else if (i % 4 == 2) printf "{\"type\":\"tool.completed\",\"correlation_id\":\"c%d\",\"data\":{\"tool_name\":\"bash\",\"duration_ms\":%d,\"exit_code\":0,\"result_summary\":\"12 files, all of the tests pass now\"}}\n", i - 1, i % 997
    else printf "{\"type\":\"note\",\"data\":{\"text\":\"step %d: looked at the file and found what needs to change\"}}\n", i
  }
}' >stream.jsonl
grep '"note"' stream.jsonl >notes.jsonl
before=true
seconds() { # command… → median of three, in seconds; `before` is not timed
  for round in 1 2 3; do
    $before
    /usr/bin/time -f %e -o took "$@" >/dev/null 2>&1
    cat took
  done | sort -n | sed -n 2p
}
fresh() { rm -rf runs/stream; "$runlog" emit run.created --run stream --print none; }
export runlog
for stream in notes.jsonl stream.jsonl; do
  ours=$(before=fresh seconds sh -c "'$runlog' emit --run stream --stdin --quiet <$stream")
  jq=$(seconds jq -c . "$stream")
  printf '%s, %s lines: emit --stdin %s s; jq -c . %s s' "$stream" "$(wc -l <"$stream")" "$ours" "$jq"
  [ -z "$jaq" ] || { theirs=$(seconds "$jaq" -c . "$stream"); printf '; jaq -c . %s s' "$theirs"; }
  echo
  echo "jq / emit --stdin:       $(ratio "$jq" "$ours")"
  [ -z "$jaq" ] || echo "jaq / emit --stdin:      $(ratio "$theirs" "$ours") (at least 1)"
done

# The log of the last stream. Only a run that has ended is valid.
"$runlog" emit run.completed --run stream --print none
log=runs/stream/events.jsonl
ours=$(seconds "$runlog" validate stream)
jq=$(seconds jq -c . "$log")
lines=$(seconds wc -l "$log")
printf 'validate, %s bytes: %s s; jq -c . %s s; wc -l %s s\n' "$(stat -c %s "$log")" "$ours" "$jq" "$lines"
echo "jq / validate:           $(ratio "$jq" "$ours") (at least 10)"
echo "validate / wc -l:        $(ratio "$ours" "$lines")"

ours=$(seconds "$runlog" show stream --type tool.completed --format jsonl)
jq=$(seconds jq -c 'select(.type=="tool.completed")' "$log")
printf 'show --type, the same log: %s s; jq select %s s\n' "$ours" "$jq"
echo "jq / show --type:        $(ratio "$jq" "$ours") (at least 10)"

"$runlog" emit run.created --run hundred --print none
head -100000 stream.jsonl | "$runlog" emit --run hundred --stdin --quiet
log=runs/hundred/events.jsonl
jq=$(seconds jq -c . "$log")
for format in markdown html; do
  ours=$(seconds "$runlog" transcript hundred --format "$format")
  printf 'transcript --format %s, 100 000 events: %s s; jq -c . %s s\n' "$format" "$ours" "$jq"
  echo "jq / transcript:         $(ratio "$jq" "$ours") (at least 1)"
done

echo "passing 1 GiB of standard error through …" >&2
ours=$(seconds sh -c '"$runlog" exec --run small -q -- sh -c "head -c 1G /dev/zero >&2" 2>&1 >/dev/null | cat >/dev/null')
theirs=$(seconds sh -c 'sh -c "head -c 1G /dev/zero" | tee /dev/null | cat >/dev/null')
printf 'exec, 1 GiB of standard error: %s s; tee: %s s\n' "$ours" "$theirs"
echo "exec / tee:              $(ratio "$ours" "$theirs") (at most 1.2)"

echo "making ${RUNS_MADE:-1000} runs of 1000 events …" >&2
head -1000 stream.jsonl >some.jsonl
for number in $(seq "${RUNS_MADE:-1000}"); do
  "$runlog" emit run.created --runs-dir archive --run "r$number" --print none
  "$runlog" emit --runs-dir archive --run "r$number" --stdin --quiet <some.jsonl
done
ours=$(seconds "$runlog" summarize --runs-dir archive --all)
theirs=$(seconds sh -c 'cat archive/*/events.jsonl | jq -c .type')
printf 'summarize --all: %s s; cat | jq -c .type: %s s\n' "$ours" "$theirs"
echo "jq / summarize --all:    $(ratio "$theirs" "$ours") (at least 1)"

sessions=${SESSIONS:-sessions}
if [ -z "${SESSIONS:-}" ]; then
  echo "making 200 session files …" >&2
  mkdir sessions
  for number in $(seq 200); do
    awk -v s="$number" 'BEGIN {
      for (i = 0; i < 40; i++) body = body "fn step() { call(\\\"value\\\"); }\\n    // what this does\\n"
      base = ",\"sessionId\":\"bench-" s "\",\"cwd\":\"/tmp/project\",\"version\":\"2.0.0\",\"gitBranch\":\"main\",\"isSidechain\":false}"
      for (i = 1; i <= 60; i++) {
        at = ",\"timestamp\":\"2026-01-01T10:" sprintf("%02d", i % 60) ":00.000Z\",\"uuid\":\"" s "-" i
        use = "{\"type\":\"tool_use\",\"id\":\"toolu_" s "_" i "\",\"name\":\"Bash\",\"input\":{\"command\":\"cat step" i ".rs\"}}"
        tokens = "{\"input_tokens\":" i ",\"output_tokens\":" i * 3 ",\"cache_read_input_tokens\":900,\"cache_creation_input_tokens\":40}"
        print "{\"type\":\"assistant\",\"message\":{\"id\":\"msg_" s "_" i "\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[" use "],\"usage\":" tokens "},\"requestId\":\"req_" s "_" i "\"" at "a\"" base
        print "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"toolu_" s "_" i "\",\"content\":\"" body "\"}]}" at "b\"" base
      }
    }' >"sessions/s$number.jsonl"
  done
fi
fresh_runs() { rm -rf imported; }
ours=$(before=fresh_runs seconds env RUNLOG_DURABILITY=disk "$runlog" --runs-dir imported import "$sessions")
jq=$(seconds find "$sessions" -name '*.json*' -exec jq -c . {} +)
printf 'import, %s files of %s kB: %s s; jq -c . %s s' "$(find "$sessions" -type f | wc -l)" "$(du -sk "$sessions" | cut -f1)" "$ours" "$jq"
[ -z "$jaq" ] || { theirs=$(seconds find "$sessions" -name '*.json*' -exec "$jaq" -c . {} +); printf '; jaq -c . %s s' "$theirs"; }
echo
echo "import / jq:             $(ratio "$ours" "$jq")"
[ -z "$jaq" ] || echo "import / jaq:            $(ratio "$ours" "$theirs") (at most 1.5)"

echo "eight writers of 1000 events each …" >&2
"$runlog" emit run.created --run many --print none
eight() { for w in 1 2 3 4 5 6 7 8; do "$1" & done; wait; }
ours() { for _ in $(seq 1000); do "$runlog" emit note --run many -f text=hello --print none; done; }
theirs() { for _ in $(seq 1000); do flock lock sh -c 'echo "{\"type\":\"note\",\"data\":{\"text\":\"hello\"}}" >>many.jsonl'; done; }
export -f eight ours theirs
ours=$(seconds bash -c 'eight ours')
theirs=$(seconds bash -c 'eight theirs')
printf '8 x 1000 emits: %s s; flock + sh + echo: %s s\n' "$ours" "$theirs"
echo "flock + echo / emits:    $(ratio "$theirs" "$ours") (at least 1)"
