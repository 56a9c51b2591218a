//! The recorder under failing system calls and kills, if `strace` is available.

use std::collections::HashMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::{Bench, Prepared, Said, said, tasks};

/// Whether strace can inject faults here; prints a message if not.
fn can_inject() -> bool {
    let probe = Command::new("strace").args(["-qq", "-e", "trace=none", "true"]).output();
    let can = probe.is_ok_and(|output| output.status.success());
    if !can {
        let _ = writeln!(std::io::stderr(), "SKIPPED: strace is missing or may not trace");
    }
    can
}

/// Emits a note with that id while strace injects faults.
fn emit_under(bench: &Bench, inject: &str, id: &str) -> Said {
    call_under(bench, inject, &["emit", "--run", "r", "note", "-f", "text=x", "--event-id", id])
}

fn call_under(bench: &Bench, inject: &str, args: &[&str]) -> Said {
    let inject = format!("inject={inject}");
    said(&strace(bench, &["-o", "/dev/null", "-e", "trace=all", "-e", &inject], args))
}

/// Runs the program under strace.
fn strace(bench: &Bench, options: &[&str], args: &[&str]) -> Output {
    Command::new("strace")
        .args(["-f", "-qq"])
        .args(options)
        .arg(env!("CARGO_BIN_EXE_runlog"))
        .args(args)
        .current_dir(bench.path("."))
        .env("HOME", bench.path("home"))
        .env_remove("XDG_DATA_HOME")
        .env_remove("RUNLOG_RUN")
        .env_remove("RUNLOG_RUNS_DIR")
        .env_remove("RUNLOG_DURABILITY")
        .output()
        .unwrap()
}

/// strace's output for a call that succeeds.
fn trace_of(bench: &Bench, options: &[&str], args: &[&str]) -> String {
    let trace = bench.path("trace");
    let output = strace(bench, &[options, &["-o", trace.to_str().unwrap()]].concat(), args);
    assert!(output.status.success());
    fs::read_to_string(trace).unwrap()
}

/// Checks that the sequences are 1, 2, 3 … and that the event with that id is there `times` times.
fn assert_sound(bench: &Bench, id: &str, times: usize, what: &str) {
    let lines = bench.lines();
    for (index, line) in lines.iter().enumerate() {
        assert_eq!(line["sequence"], index + 1, "{what}");
    }
    let found = lines.iter().filter(|line| line["event_id"] == id).count();
    assert_eq!(found, times, "{what}");
}

/// The system calls of one command, each with its number: `(write, 2)` is the second write.
fn calls_of(bench: &Bench, args: &[&str]) -> Vec<(String, usize)> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut calls = Vec::new();
    for line in trace_of(bench, &[], args).lines() {
        let call = line.split_whitespace().nth(1).unwrap_or_default();
        let Some((name, _)) = call.split_once('(') else { continue };
        let count = seen.entry(name.to_owned()).or_insert(0);
        *count += 1;
        calls.push((name.to_owned(), *count));
    }
    calls
}

/// If this fails, a kill loses an event, records it twice, or prevents recording.
#[test]
fn killed_at_each_system_call_and_repeated() {
    if !can_inject() {
        return;
    }
    let bench = Bench::with_run();
    let calls =
        calls_of(&bench, &["emit", "--run", "r", "note", "-f", "text=x", "--event-id", "traced"]);
    assert!(calls.len() > 30, "{calls:?}");
    let mut kills = 0;
    for (number, (name, count)) in calls.iter().enumerate() {
        let what = format!("killed at call {number}, {name} {count}");
        let id = format!("k{number}");
        let killed = emit_under(&bench, &format!("{name}:signal=KILL:when={count}"), &id);
        kills += usize::from(killed.status != 0);
        bench.emit(&["note", "-f", "text=x", "--event-id", &id]);
        assert_sound(&bench, &id, 1, &what);
    }
    // The last calls, such as `exit_group`, may come too late for a kill.
    assert!(kills + 5 > calls.len(), "{kills} of {} calls were killed at", calls.len());
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, a kill while a run is created leaves a run that cannot be created again, or
/// derived files that are never repaired.
#[test]
fn killed_while_a_run_is_made_or_ended() {
    if !can_inject() {
        return;
    }
    let create = ["emit", "run.created", "--run", "r", "--event-id", "e1"];
    let end = ["emit", "run.completed", "--run", "r", "--event-id", "e3"];
    let open_call = Prepared::new();
    let with_open_call = || {
        let bench = Bench::with_run();
        bench.emit(&["tool.started", "-f", "tool_name=a", "--event-id", "e2"]);
        bench
    };
    let probe = Bench::new();
    let creating = calls_of(&probe, &create);
    probe.emit(&["tool.started", "-f", "tool_name=a", "--event-id", "e2"]);
    let ending = calls_of(&probe, &end);
    for (number, (name, count)) in creating.iter().enumerate().step_by(2) {
        let bench = Bench::new();
        call_under(&bench, &format!("{name}:signal=KILL:when={count}"), &create);
        bench.ok(&create);
        assert_sound(&bench, "e1", 1, &format!("killed at call {number}, {name} {count}"));
        let judged = bench.validate(number);
        assert_eq!(judged.status, 5, "the run is open, and else sound: {judged:?}");
        assert!(
            bench.path("runs/r/transcript.md").exists() && bench.path("runs/r/run.json").exists()
        );
    }
    for (number, (name, count)) in ending.iter().enumerate().step_by(2) {
        let what = format!("killed at call {number}, {name} {count}");
        let bench = open_call.copy(with_open_call);
        call_under(&bench, &format!("{name}:signal=KILL:when={count}"), &end);
        bench.ok(&end);
        assert_sound(&bench, "e3", 1, &what);
        // The killed process may leave the file that it was about to put in place.
        let left = bench.validate(number).codes().contains(&"RL505");
        assert_eq!(left, !bench.temporary_files().is_empty(), "{what}");
        if left {
            bench.call(&["validate", "r", "--fix", "-q"]);
            assert!(bench.temporary_files().is_empty(), "{what}");
        }
        assert_eq!(bench.validate(number).codes(), ["RL202"], "{what}");
    }
}

/// If this fails, pages of a chapter stay after its removal, because an export was killed before.
#[test]
fn killed_while_chapters_are_exported() {
    if !can_inject() {
        return;
    }
    const CHANGES: &[&str] = &["renameat", "unlinkat", "mkdirat", "symlinkat"];
    let made = Prepared::new();
    let with_chapter = || {
        let bench = tasks("SkSk");
        bench.ok(&["chapter", "export", "r"]);
        add(&bench, "1", "One");
        bench
    };
    let probe = made.copy(with_chapter);
    let nest = ["chapter", "add", "r", "--start", "1", "--end", "2"];
    let nest = [&nest[..], &["--name", "Both", "--message", "M"]].concat();
    let changes = calls_of(&probe, &nest);
    let changes = changes.iter().filter(|(name, _)| CHANGES.contains(&name.as_str()));
    for (name, count) in changes {
        for next in [&["chapter", "remove", "r", "both"][..], &["chapter", "remove", "r", "one"]] {
            let what = format!("killed at {name} {count}, then {next:?}");
            let bench = made.copy(with_chapter);
            call_under(&bench, &format!("{name}:signal=KILL:when={count}"), &nest);
            // The kill may have come before the event.
            let removed = bench.call(next);
            assert!(matches!(removed.status, 0 | 66), "{what}: {}", removed.err);
            bench.ok(&["validate", "r", "--fix"]);
            bench.ok(&["chapter", "export", "r", "--out", "right"]);
            let names = |root: &str| {
                let entries = walkdir::WalkDir::new(bench.path(root)).sort_by_file_name();
                let paths = entries.into_iter().map(|entry| entry.unwrap().into_path());
                let relative = |path: PathBuf| path.strip_prefix(bench.path(root)).unwrap().into();
                paths.map(relative).collect::<Vec<PathBuf>>()
            };
            let (there, right) = (names("runs/r/chapters"), names("right"));
            assert_eq!(there, right, "{what}");
        }
    }
}

fn add(bench: &Bench, task: &str, name: &str) {
    let range = ["chapter", "add", "r", "--start", task, "--end", task];
    bench.ok(&[&range[..], &["--name", name, "--message", "M"]].concat());
}

/// The system calls on the log, in the order of an append that repairs a torn tail. The last column
/// is the result of an error: whether the event may be in the log nevertheless.
const CALLS: [(&str, bool); 5] = [
    ("flock", false),
    ("pread64", false),
    ("write", false),
    ("ftruncate", false),
    ("fdatasync", true),
];

/// A run whose log has a torn tail.
fn torn() -> Bench {
    let bench = Bench::with_run();
    bench.append_raw(TORN);
    bench
}

const TORN: &[u8] = b"{\"event_id\":\"torn";

/// The torn bytes are still in the log, or were moved away.
fn assert_kept(bench: &Bench, what: &str) {
    let rejected = fs::read_to_string(bench.path("runs/r/logs/rejected.jsonl")).unwrap_or_default();
    let there = fs::read(bench.log_path()).unwrap().ends_with(TORN);
    assert!(there || rejected.contains("torn"), "{what} lost the torn bytes");
}

/// The torn bytes were moved away, and exactly one event records that.
fn assert_told(bench: &Bench, what: &str) {
    assert_kept(bench, what);
    let lines = bench.lines();
    let told: Vec<_> = lines.iter().filter(|line| line["type"] == "log.recovered").collect();
    assert_eq!(told.len(), 1, "{what}");
    assert_eq!(told[0]["data"]["bytes"], TORN.len(), "{what}");
}

/// If this fails, a kill during a repair loses the torn bytes, or no event records the move.
#[test]
fn killed_at_each_system_call_of_a_repair() {
    if !can_inject() {
        return;
    }
    let emit = ["emit", "--run", "r", "note", "-f", "text=x", "--event-id", "n"];
    for (name, count) in calls_of(&torn(), &emit) {
        let (bench, what) = (torn(), format!("killed at {name} {count}"));
        call_under(&bench, &format!("{name}:signal=KILL:when={count}"), &emit);
        bench.ok(&emit);
        assert_sound(&bench, "n", 1, &what);
        assert_told(&bench, &what);
    }
}

/// If this fails, an interrupted system call counts as a failed one.
#[test]
fn interrupted_calls_are_repeated() {
    if !can_inject() {
        return;
    }
    for (call, _) in CALLS {
        for (bench, kind) in [(Bench::with_run(), "whole"), (torn(), "torn")] {
            let what = format!("{call} interrupted, log {kind}");
            let said = emit_under(&bench, &format!("{call}:error=EINTR:when=1"), call);
            assert_eq!(said.status, 0, "{what}: {}", said.err);
            assert_sound(&bench, call, 1, &what);
            assert!(kind == "whole" || !bench.log().contains("\"torn"), "{what}");
        }
    }
}

/// If this fails, a signal at the wrong moment makes a command fail, or gives it another result.
#[test]
fn no_interrupted_call_counts_as_failed() {
    if !can_inject() {
        return;
    }
    const INTERRUPTIBLE: &[&str] = &[
        "openat",
        "openat2",
        "statx",
        "newfstatat",
        "read",
        "pread64",
        "write",
        "mkdirat",
        "renameat",
        "unlinkat",
        "flock",
        "ftruncate",
        "fsync",
        "fdatasync",
        "getdents64",
    ];
    let bench = Bench::with_run();
    // Another runs directory that a command must not take because `runs` was hard to look at.
    fs::create_dir_all(bench.path("home/.local/share/runlog/runs")).unwrap();
    let big = format!("{{\"tool_name\":\"t\",\"error\":\"{}\"}}", "x".repeat(300_000));
    fs::write(bench.path("big.json"), big).unwrap();
    let commands: [&[&str]; 5] = [
        &["emit", "--run", "r", "tool.failed", "--data", "@big.json"],
        &["emit", "--run", "r", "run.paused"],
        &["emit", "run.created"],
        &["validate", "r", "--expect-status", "any"],
        &["transcript", "r"],
    ];
    for command in commands {
        let calls = calls_of(&bench, command);
        for (call, number) in calls.iter().filter(|(_, number)| *number <= 4) {
            if !INTERRUPTIBLE.contains(&call.as_str()) {
                continue;
            }
            let said = call_under(&bench, &format!("{call}:error=EINTR:when={number}"), command);
            let what = format!("{command:?}, {call} {number} interrupted");
            assert_eq!(said.status, 0, "{what}: {}{}", said.out, said.err);
            assert!(!said.err.contains("nterrupted"), "{what}: {}", said.err);
        }
    }
}

/// If this fails, a failing disk leaves half a line, or an event is acknowledged but not recorded,
/// or torn bytes are lost, or the run stays unusable.
#[test]
fn failing_calls_are_told_and_rolled_back() {
    if !can_inject() {
        return;
    }
    for (call, may_be_there) in CALLS {
        for error in ["EIO", "ENOSPC", "EDQUOT", "EFBIG"] {
            for (bench, kind) in [(Bench::with_run(), "whole"), (torn(), "torn")] {
                // Without a torn tail, nothing is truncated.
                if call == "ftruncate" && kind == "whole" {
                    continue;
                }
                let what = format!("{call} with {error}, log {kind}");
                let before = fs::read(bench.log_path()).unwrap();
                let said = emit_under(&bench, &format!("{call}:error={error}:when=1"), "n");
                assert_eq!(said.status, 74, "{what}: {}", said.err);
                assert!(said.err.contains("--event-id"), "{what} has no hint: {}", said.err);
                let after = fs::read(bench.log_path()).unwrap();
                if kind == "whole" {
                    assert!(after.starts_with(&before), "{what} changed the log");
                    assert!(may_be_there || after == before, "{what} left something");
                } else {
                    assert_kept(&bench, &what);
                }
                bench.emit(&["note", "-f", "text=x", "--event-id", "n"]);
                assert_sound(&bench, "n", 1, &what);
                if kind == "torn" {
                    assert_told(&bench, &what);
                }
            }
        }
    }
}

/// If this fails, lines of a program that appends without the lock are joined with others or
/// overwritten.
#[test]
fn a_foreign_appender_is_given_way_to() {
    if !can_inject() {
        return;
    }
    for (foreign, status, lines) in
        [(&b"not an event\n"[..], 76, 2), (b"half a li", 0, 3), (b"", 0, 2)]
    {
        let bench = Bench::with_run();
        let before = fs::read(bench.log_path()).unwrap();
        let said = std::thread::scope(|scope| {
            let emit = scope.spawn(|| emit_under(&bench, "write:delay_enter=1500000:when=1", "n"));
            std::thread::sleep(std::time::Duration::from_millis(900));
            bench.append_raw(foreign);
            emit.join().unwrap()
        });
        assert_eq!(said.status, status, "{}", said.err);
        let after = fs::read(bench.log_path()).unwrap();
        assert!(after.starts_with(&before));
        assert_eq!(after.split_inclusive(|byte| *byte == b'\n').count(), lines, "{}", bench.log());
        if status == 0 {
            assert_sound(&bench, "n", 1, "after a foreign appender");
        } else {
            assert_eq!(after, [&before[..], foreign].concat());
        }
    }
}

/// If this fails, a full disk leaves half a line, or recording cannot continue when there is space.
#[test]
fn a_full_disk() {
    let bench = Bench::new();
    fs::create_dir(bench.path("small")).unwrap();
    let script = r#"
        set -e
        mount -t tmpfs -o size=256k tmpfs small
        "$1" --runs-dir small emit run.created --run r --print none
        "$1" --runs-dir small emit note --run r -f text=first --print none
        head -c 100000000 /dev/zero >small/filler 2>/dev/null || true
        before=$(sha256sum small/r/events.jsonl)
        n=0
        # The page that the log is in may still have room for some.
        while "$1" --runs-dir small emit note --run r --event-id "n$n" -f text=full --print none 2>err; do
            before=$(sha256sum small/r/events.jsonl)
            n=$((n + 1))
            test $n -lt 100
        done
        status=0
        "$1" --runs-dir small emit note --run r --event-id again -f text=full 2>err || status=$?
        test "$before" = "$(sha256sum small/r/events.jsonl)" || { echo "not rolled back"; exit 1; }
        rm small/filler
        "$1" --runs-dir small emit note --run r --event-id again -f text=full --print none
        "$1" --runs-dir small validate r --expect-status any >&2 || exit 1
        echo "status $status"
    "#;
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(env!("CARGO_BIN_EXE_runlog"))
        .current_dir(bench.path("."))
        .env_remove("RUNLOG_RUN")
        .env_remove("RUNLOG_RUNS_DIR")
        .output();
    let probe = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", "mount -t tmpfs tmpfs small"])
        .current_dir(bench.path("."))
        .output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        let _ = writeln!(std::io::stderr(), "SKIPPED: no small file system can be mounted here");
        return;
    }
    let said = said(&output.unwrap());
    assert_eq!((said.status, said.out.as_str()), (0, "status 74\n"), "{}", said.err);
}

/// If this fails, success is reported before the event and the run's directory entries are on disk.
#[test]
fn success_is_told_after_the_sync() {
    if !can_inject() {
        return;
    }
    let bench = Bench::new();
    for args in [
        &["emit", "run.created", "--run", "r"][..],
        &["emit", "note", "--run", "r", "-f", "text=x"],
        &["emit", "tool.failed", "--run", "r", "-f", "tool_name=a"],
    ] {
        let trace = trace_of(&bench, &["-y", "-e", "trace=write,fsync,fdatasync"], args);
        let place = |what: &str| {
            let found = trace.lines().position(|line| line.contains(what));
            found.unwrap_or_else(|| panic!("no {what} in {trace}"))
        };
        let written = trace
            .lines()
            .position(|line| line.contains("write(") && line.contains("events.jsonl"))
            .unwrap();
        let synced = trace
            .lines()
            .position(|line| line.contains("fdatasync(") && line.contains("events.jsonl"))
            .unwrap();
        assert!(written < synced && synced < place("write(1<"), "{trace}");
        if args.contains(&"run.created") {
            let directory =
                trace.lines().position(|line| line.contains("fsync(") && line.contains("runs/r>"));
            assert!(directory.unwrap() < written, "{trace}");
        }
    }
}

/// If this fails, an import is reported before its events are on disk, or the state of the run names
/// a last event that is not.
#[test]
fn an_import_is_told_after_the_sync() {
    if !can_inject() {
        return;
    }
    let bench = Bench::new();
    let line = r#"{"type":"user","sessionId":"s","uuid":"u1","timestamp":"2026-03-01T09:00:00.000Z","message":{"role":"user","content":"Find it."}}"#;
    fs::write(bench.path("s.jsonl"), format!("{line}\n")).unwrap();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let options = ["-y", "-e", "trace=write,fsync,fdatasync,renameat"];
    let trace = trace_of(&bench, &options, &["import", "s.jsonl"]);
    let is_of_log = |line: &str, call: &str| line.contains(call) && line.contains("events.jsonl");
    let written = trace.lines().enumerate().filter(|(_, line)| is_of_log(line, "write("));
    let written: Vec<usize> = written.map(|(at, _)| at).collect();
    // The source lines are on disk before the events that name them, which follow `run.created`.
    let is_of_source = |line: &str| line.contains("fdatasync(") && line.contains("source.jsonl");
    let kept = trace.lines().position(is_of_source);
    assert!(kept.is_some() && kept < written.get(1).copied(), "{trace}");
    let written = written.last();
    let synced = trace.lines().position(|line| is_of_log(line, "fdatasync("));
    let named = trace.lines().position(|line| line.contains("run.json"));
    let told = trace.lines().position(|line| line.contains("write(1<"));
    assert!(*written.unwrap() < synced.unwrap(), "{trace}");
    assert!(synced < named && synced < told && told.is_some() && named.is_some(), "{trace}");
}

/// If this fails, an import that is killed or whose disk fails leaves events whose source line is not on
/// disk, or the next import repeats something or stops.
#[test]
fn an_import_that_is_killed_or_fails_keeps_its_source_lines() {
    if !can_inject() {
        return;
    }
    let line = |at: u32| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"u{at}\",\"timestamp\":\"2026-03-01T09:00:0{at}.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"Find {at}.\"}}}}\n"
        )
    };
    let session: String = (1..4).map(line).collect();
    let begin = || {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("s.jsonl"), &session).unwrap();
        bench
    };
    let import = ["import", "s.jsonl"];
    let calls = calls_of(&begin(), &import);
    let kills = calls.iter().step_by(5).map(|(name, at)| format!("{name}:signal=KILL:when={at}"));
    let faults = ["write", "fdatasync"]
        .into_iter()
        .flat_map(|call| (1..6).map(move |at| format!("{call}:error=ENOSPC:when={at}")));
    for what in kills.chain(faults) {
        let bench = begin();
        call_under(&bench, &what, &import);
        bench.ok(&import);
        bench.ok(&["validate", "claude-code-s", "--expect-status", "imported"]);
        let log = crate::support::imports::events(&bench, "claude-code-s");
        let prompts = log.iter().filter(|event| event["type"] == "message.user");
        for (at, prompt) in (1..).zip(prompts.clone()) {
            let id = prompt["event_id"].as_str().unwrap();
            let shown = bench.ok(&["show", "claude-code-s", "--event", id, "--source"]);
            assert_eq!(shown, line(at), "{what}");
        }
        assert_eq!(prompts.count(), 3, "{what}");
    }
}

/// If this fails, other users can read a run, or a stricter umask is ignored.
#[test]
fn modes_are_narrow() {
    use std::os::unix::fs::PermissionsExt as _;
    for (umask, file, directory) in [("000", 0o640, 0o750), ("077", 0o600, 0o700)] {
        let bench = Bench::new();
        let script = format!(
            "umask {umask}; runlog=$1; $runlog emit run.created --run r; \
             $runlog emit tool.failed --run r -f tool_name=a -f text=xxxx --inline-limit 3; \
             echo prose | $runlog emit --run r --stdin; $runlog emit run.completed --run r"
        );
        let output = Command::new("/bin/sh")
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_runlog")])
            .current_dir(bench.path("."))
            .env_clear()
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        let mut waiting = vec![bench.path("runs/r")];
        let mut seen = 0;
        while let Some(path) = waiting.pop() {
            let metadata = fs::symlink_metadata(&path).unwrap();
            let expected = if metadata.is_dir() { directory } else { file };
            assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
            seen += 1;
            if metadata.is_dir() {
                waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        assert!(seen >= 9, "{seen}");
    }
}

/// If this fails, `emit` reads a whole log, or keeps it in memory.
#[test]
fn memory_does_not_grow_with_the_log() {
    let bench = Bench::with_run();
    let line = bench.log().replace("\"sequence\":1", "\"sequence\":2");
    // A long part in the middle that need not be read: 300 MB as a hole in the file.
    let file = fs::OpenOptions::new().write(true).open(bench.log_path()).unwrap();
    let long = 300 << 20;
    file.set_len(long).unwrap();
    drop(file);
    bench.append_raw(format!("\n{line}").as_bytes());
    let limited = |args: &[&str]| {
        Command::new("prlimit")
            .arg("--as=100000000")
            .arg(env!("CARGO_BIN_EXE_runlog"))
            .args(args)
            .current_dir(bench.path("."))
            .env_clear()
            .output()
    };
    let Ok(output) = limited(&["emit", "--run", "r", "note"]) else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: prlimit is missing");
        return;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = limited(&["emit", "--run", "r", "note", "--event-id", "given"]).unwrap();
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let log = fs::read(bench.log_path()).unwrap();
    assert!(log[long as usize..].iter().filter(|byte| **byte == b'\n').count() >= 4);
}

/// If this fails, a file size limit kills the recorder or leaves half a line.
#[test]
fn the_file_size_limit() {
    let bench = Bench::with_run();
    let length = bench.log().len();
    let prlimit = |bytes: usize, id: &str| {
        let output = Command::new("prlimit")
            .arg(format!("--fsize={bytes}"))
            .arg(env!("CARGO_BIN_EXE_runlog"))
            .args(["emit", "--run", "r", "note", "-f", "text=x", "--event-id", id])
            .current_dir(bench.path("."))
            .output();
        match output {
            Ok(output) => Some(said(&output)),
            Err(_) => {
                let _ = writeln!(std::io::stderr(), "SKIPPED: prlimit is missing");
                None
            }
        }
    };
    let Some(limited) = prlimit(length + 50, "n") else { return };
    assert_eq!(limited.status, 74, "{}", limited.err);
    assert_eq!(bench.log().len(), length, "half a line was left");
    assert_eq!(prlimit(1 << 20, "n").unwrap().status, 0);
    assert_sound(&bench, "n", 1, "after the limit was raised");
}

/// If this fails, a stream whose batch fails in the middle acknowledges events that are not in the
/// log, or does not acknowledge recorded ones, or leaves half a line.
#[test]
fn a_batch_that_fails_half_way_is_told_as_far_as_it_came() {
    let bench = Bench::with_run();
    let line = "{\"type\":\"note\",\"data\":{\"text\":\"a step of the work\"}}\n";
    let input = bench.path("input.jsonl");
    fs::write(&input, line.repeat(60_000)).unwrap();
    let output = Command::new("prlimit")
        .arg("--fsize=6000000")
        .arg(env!("CARGO_BIN_EXE_runlog"))
        .args(["emit", "--run", "r", "--stdin", "--print", "sequence"])
        .current_dir(bench.path("."))
        .stdin(fs::File::open(&input).unwrap())
        .output();
    let Ok(output) = output else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: prlimit is missing");
        return;
    };
    let said = said(&output);
    assert_eq!(said.status, 74, "{}", said.err);
    let told: Vec<u64> = said.out.lines().map(|line| line.parse().unwrap()).collect();
    let log = bench.log();
    assert!(log.ends_with('\n') && told.len() > 1000, "{}", told.len());
    assert_eq!(told, (2..=log.lines().count() as u64).collect::<Vec<u64>>());
    assert!(said.err.contains(" events recorded; then: "), "{}", said.err);
}
