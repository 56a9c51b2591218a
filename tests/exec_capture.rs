//! `exec --capture`: keeps what the command prints, without secrets and without changing it.

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{Bench, json_lines, said as said_of};

fn captured(bench: &Bench, option: &str, script: &str) -> Command {
    let mut command = bench.command();
    command.args(["exec", "--run", "r", option, "--", "/bin/sh", "-c", script]);
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command.stdin(Stdio::null());
    command
}

/// The data of the last event.
fn data(bench: &Bench) -> Value {
    json_lines(&bench.log_path()).last().unwrap()["data"].clone()
}

/// If this fails, the output of a command is lost, mixed up, or shown in no view.
#[test]
fn both_streams_are_kept_and_shown() {
    let bench = Bench::with_run();
    let script = "echo marker-one; echo marker-two >&2; exit 3";
    let said = said_of(&captured(&bench, "--capture", script).output().unwrap());
    assert_eq!((said.status, said.out.as_str()), (3, "marker-one\n"), "{}", said.err);
    let end = data(&bench);
    assert_eq!((&end["stdout"], &end["stdout_bytes"]), (&"marker-one\n".into(), &11.into()));
    assert_eq!((&end["stderr"], &end["stderr_bytes"]), (&"marker-two\n".into(), &11.into()));
    let succeeds =
        captured(&bench, "--capture", "echo marker-three; echo marker-four >&2").status();
    assert!(succeeds.unwrap().success());
    for view in [
        &["show", "r", "--full"][..],
        &["transcript", "r", "--detail", "full", "--format", "text"],
        &["transcript", "r", "--format", "html", "-o", "-"],
        &["transcript", "r", "--detail", "full", "--format", "markdown", "-o", "-"],
    ] {
        let shown = bench.ok(view);
        for marker in ["marker-one", "marker-two", "marker-three", "marker-four"] {
            assert!(shown.contains(marker), "{view:?} lacks {marker}:\n{shown}");
        }
    }
    assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 0);
}

/// If this fails, the events in the output are lost when it is captured too.
#[test]
fn capturing_and_recording_events_go_together() {
    let bench = Bench::with_run();
    let line = r#"{"type":"note","data":{"text":"from the output"}}"#;
    let mut command = bench.command();
    command.args(["exec", "--run", "r", "--capture", "--from", "native", "--", "/bin/echo", line]);
    assert!(command.output().unwrap().status.success());
    let lines = json_lines(&bench.log_path());
    let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, ["run.created", "tool.started", "note", "tool.completed"]);
    assert_eq!(data(&bench)["stdout"], format!("{line}\n"));
}

/// If this fails, streams that go to one place are recorded out of order, or streams that go
/// nowhere are mixed.
#[test]
fn one_place_is_one_text() {
    let script = "echo one; echo two >&2; echo three";
    let file = Bench::with_run();
    let log = File::create(file.path("log")).unwrap();
    let mut command = captured(&file, "--capture", script);
    command.stdout(log.try_clone().unwrap()).stderr(log);
    assert!(command.status().unwrap().success());
    assert_eq!(data(&file)["stdout"], "one\ntwo\nthree\n");
    assert_eq!(data(&file)["stderr"], Value::Null);
    assert_eq!(std::fs::read_to_string(file.path("log")).unwrap(), "one\ntwo\nthree\n");

    let pipe = Bench::with_run();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let mut command = captured(&pipe, "--capture", script);
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let passed = std::io::read_to_string(&mut reader).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(passed, "one\ntwo\nthree\n");
    assert_eq!(data(&pipe)["stdout"], passed);

    let nowhere = Bench::with_run();
    let mut command = captured(&nowhere, "--capture", script);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().success());
    assert_eq!(data(&nowhere)["stdout"], "one\nthree\n");
    assert_eq!(data(&nowhere)["stderr"], "two\n");
}

/// If this fails, the output of a command that failed is recorded twice, once as standard error.
#[test]
fn one_place_is_not_standard_error_too() {
    for (is_one, script) in
        [(true, "echo out; echo bad >&2; exit 3"), (false, "echo bad >&2; exit 3")]
    {
        let bench = Bench::with_run();
        let (reader, writer) = std::io::pipe().unwrap();
        let mut command = captured(&bench, "--capture", script);
        let errors = if is_one { writer.try_clone().unwrap().into() } else { Stdio::piped() };
        command.stdout(writer).stderr(errors);
        let child = command.spawn().unwrap();
        drop(command);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
        drop(reader);
        let error = &data(&bench)["error"];
        assert_eq!(error["message"], "exit status 3: bad");
        let tail = if is_one { Value::Null } else { "bad".into() };
        assert_eq!(error["details"]["stderr_tail"], tail);
    }
}

/// If this fails, a large output is cut although no limit was given, or not cut although one was.
#[test]
fn a_limit_keeps_both_ends() {
    let bench = Bench::with_run();
    assert!(captured(&bench, "--capture", "seq 1 100000").output().unwrap().status.success());
    let whole: String = (1..=100_000).map(|n| format!("{n}\n")).collect();
    let blob = data(&bench)["stdout"]["$blob"].as_str().unwrap().to_owned();
    assert_eq!(
        std::fs::read_to_string(bench.path(&format!("runs/r/blobs/{blob}"))).unwrap(),
        whole
    );
    for (limit, most) in [("--capture=1k", 1024), ("--capture=200k", 200 << 10)] {
        let options = ["--inline-limit", "1M", limit];
        let mut command = bench.command();
        command.args(["exec", "--run", "r"]).args(options).args(["--", "seq", "1", "100000"]);
        assert_eq!(said_of(&command.output().unwrap()).out, whole);
        let end = data(&bench);
        let text = end["stdout"].as_str().unwrap();
        let gap = "\n[… the middle is left out; there were 588895 bytes …]\n";
        let (head, tail) = text.split_once(gap).unwrap_or_else(|| panic!("no gap in {text}"));
        assert!(whole.starts_with(&format!("{head}\n")) && whole.ends_with(tail));
        assert!(head.len() + tail.len() <= most && head.len() + tail.len() > most * 9 / 10);
        assert_eq!(end["stdout_bytes"], 588_895);
    }
    let small = captured(&bench, "--capture=1k", "printf '%01024d' 7").output().unwrap();
    assert_eq!(data(&bench)["stdout"].as_str().unwrap().as_bytes(), small.stdout);
    let none = captured(&bench, "--capture", "true").output().unwrap();
    assert!(none.status.success());
    assert_eq!((&data(&bench)["stdout"], &data(&bench)["stdout_bytes"]), (&"".into(), &0.into()));
}

/// If this fails, a secret that a limit cuts in two gets into the log.
#[test]
fn a_limit_cuts_no_secret() {
    let key = format!("AKIA{}", "A1B2C3D4E5F6G7H8");
    for (limit, around) in [("--capture=64", 30), ("--capture=64", 200_000), ("--capture=400", 190)]
    {
        for shift in 0..24 {
            let bench = Bench::with_run();
            let filler = |length: usize| format!("head -c {length} /dev/zero | tr '\\0' '.'");
            let (before, after) = (filler(around - shift), filler(around + shift));
            let script = format!("{before}; printf ' {key} '; {after}; printf ' {key} '; {before}");
            let passed = captured(&bench, limit, &script).output().unwrap();
            assert_eq!(passed.stdout.windows(20).filter(|w| *w == key.as_bytes()).count(), 2);
            let log = bench.log();
            for start in 0..key.len() - 8 {
                assert!(!log.contains(&key[start..start + 8]), "{limit} {around} {shift}: {log}");
            }
        }
    }
}

/// If this fails, a bad limit is noticed only after the command has run.
#[test]
fn a_bad_limit_stops_it_before_the_command() {
    let bench = Bench::with_run();
    let said = said_of(&captured(&bench, "--capture=lots", "touch ran").output().unwrap());
    assert_eq!(said.status, 2);
    assert!(!bench.path("ran").exists());
}
