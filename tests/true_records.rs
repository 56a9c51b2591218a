//! What is recorded of a command is what that command wrote, whatever else writes to the same place.

use std::fs::{self, File, OpenOptions};
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::support::{Bench, json_lines};

/// The calls of the run: for each word that a command printed, the end of its call.
fn ends(bench: &Bench) -> Vec<Value> {
    let is_end = |line: &Value| line["type"] == "tool.completed" || line["type"] == "tool.failed";
    json_lines(&bench.log_path()).into_iter().filter(is_end).collect()
}

/// Starts a command under `exec` with its output in that file.
fn job(bench: &Bench, log: &File, script: &str) -> Child {
    let mut command = bench.command();
    command.args(["exec", "--run", "r", "--capture", "/bin/sh", "-c", script]);
    command.stdin(Stdio::null());
    command.stdout(log.try_clone().unwrap()).stderr(log.try_clone().unwrap());
    command.spawn().unwrap()
}

/// If this fails, a call is recorded with the output of another job that shares its file, as jobs of
/// cron and CI do, or has another job's words as its error.
#[test]
fn jobs_that_share_a_file_have_their_own_bytes() {
    for append in [false, true] {
        let bench = Bench::with_run();
        let path = bench.path("log");
        let log = match append {
            true => OpenOptions::new().create(true).append(true).open(&path).unwrap(),
            false => File::create(&path).unwrap(),
        };
        let script = |number: usize| {
            format!("for i in 1 2 3; do echo job-{number}-$i; sleep 0.02; done; exit {number}")
        };
        let jobs: Vec<Child> = (0..6).map(|number| job(&bench, &log, &script(number))).collect();
        // Another process writes to the file, too.
        fs::write(bench.path("noise.sh"), "for i in $(seq 40); do echo noise; done").unwrap();
        let noise = std::process::Command::new("/bin/sh")
            .arg(bench.path("noise.sh"))
            .stdout(log.try_clone().unwrap())
            .status();
        assert!(noise.unwrap().success());
        for mut child in jobs {
            child.wait().unwrap();
        }
        let ends = ends(&bench);
        assert_eq!(ends.len(), 6);
        for end in ends {
            let number = end["data"]["exit_code"].as_u64().unwrap();
            let own = format!("job-{number}-1\njob-{number}-2\njob-{number}-3\n");
            assert_eq!(end["data"]["stdout"], own, "{append}");
            let message = format!("exit status {number}: job-{number}-3");
            if number > 0 {
                assert_eq!(end["data"]["error"]["message"], message);
            }
        }
        let written = fs::read_to_string(&path).unwrap();
        assert_eq!(written.matches("job-").count(), 18, "{written}");
        assert_eq!(written.matches("noise").count(), 40, "{written}");
    }
}

/// If this fails, a command that said nothing fails with the words of another one.
#[test]
fn a_silent_failure_has_no_words() {
    let bench = Bench::with_run();
    let log = File::create(bench.path("log")).unwrap();
    let mut silent = bench.command();
    silent.args(["exec", "--run", "r", "sh", "-c", "sleep 0.2; exit 4"]);
    silent.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log.try_clone().unwrap());
    let mut silent = silent.spawn().unwrap();
    fs::write(bench.path("other"), "").unwrap();
    let talker = std::process::Command::new("/bin/sh")
        .args(["-c", "echo the other job broke >&2"])
        .stderr(log.try_clone().unwrap())
        .status();
    assert!(talker.unwrap().success());
    assert_eq!(silent.wait().unwrap().code(), Some(4));
    let error = &ends(&bench)[0]["data"]["error"];
    assert_eq!(error["message"], "exit status 4");
    assert!(error.get("details").is_none(), "{error}");
}

/// If this fails, the options of a command are taken for those of runlog, or `--` is needed.
#[test]
fn a_command_needs_no_dashes() {
    let bench = Bench::with_run();
    let bare = bench.ok(&["exec", "--run", "r", "printf", "%s|", "--run", "-x", "--", "a"]);
    assert_eq!(bare, "--run|-x|--|a|");
    let dashed = bench.ok(&["exec", "--run", "r", "--", "printf", "%s|", "-x"]);
    assert_eq!(dashed, "-x|");
    bench.fails(2, &["exec", "--run", "r"]);
}

/// If this fails, the events of a wrapped agent do not belong to the call that ran it: two attempts
/// look like one.
#[test]
fn events_of_an_attempt_lie_under_its_call() {
    let bench = Bench::with_run();
    let line = r#"{"type":"note","data":{"text":"said"}}"#;
    for _ in 0..2 {
        bench.ok(&["exec", "--run", "r", "--from", "native", "echo", line]);
    }
    // A stream that a command records itself, too.
    let script = format!("echo '{line}' | \"$0\" emit --stdin");
    let program = env!("CARGO_BIN_EXE_runlog");
    bench.ok(&["exec", "--run", "r", "sh", "-c", &script, program]);
    let lines = bench.lines();
    let starts: Vec<&Value> = lines.iter().filter(|line| line["type"] == "tool.started").collect();
    let notes: Vec<&Value> = lines.iter().filter(|line| line["type"] == "note").collect();
    assert_eq!((starts.len(), notes.len()), (3, 3));
    for (start, note) in starts.iter().zip(&notes) {
        assert_eq!(note["parent_event_id"], start["event_id"]);
    }
    assert!(
        lines
            .iter()
            .all(|line| { line["type"] == "note" || line.get("parent_event_id").is_none() })
    );
    // A call makes the run a running one.
    assert!(bench.ok(&["list", "--format", "json"]).contains("\"status\": \"running\""));
}
