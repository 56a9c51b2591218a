//! Streams that begin with the line that creates their run, and what belongs to the run that is named.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, json_lines};

const DONE: &str = "{\"type\":\"run.completed\",\"data\":{}}\n";

fn created(requirement: &str, more: &str) -> String {
    format!(
        "{{\"type\":\"run.created\",\"data\":{{\"deliverables\":{{\"required\":[{requirement:?}]}}}}{more}}}\n"
    )
}

/// If this fails, a run whose beginning was refused is recorded without its requirements, and passes.
#[test]
fn a_refused_beginning_makes_no_run() {
    for first in [
        created("report.md:mn=3", ""),
        created("report.md", ",\"severity\":\"loud\""),
        created("report.md", ",\"run_id\":\"../r\""),
    ] {
        for create in [&["--create"][..], &[]] {
            let bench = Bench::new();
            let stream = first.clone() + "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n" + DONE;
            let args = [&["emit", "--stdin", "--run", "r"][..], create].concat();
            let said = bench.feed(&args, stream.as_bytes());
            assert_eq!(said.status, 65, "{first}: {}", said.err);
            assert!(!bench.path("runs/r").exists(), "{first}");
        }
    }
}

/// If this fails, a stream of a second run is recorded in the first one, and its requirements are
/// never checked.
#[test]
fn a_second_beginning_is_refused() {
    let bench = Bench::new();
    let first = created("a.md", ",\"event_id\":\"c1\"");
    let feed = |text: &str| bench.feed(&["emit", "--stdin", "--run", "r"], text.as_bytes());
    assert_eq!(feed(&(first.clone() + DONE)).status, 0);
    let before = fs::read(bench.path("runs/r/events.jsonl")).unwrap();
    let said = feed(&(created("b.md", "") + DONE));
    assert_eq!(said.status, 73, "{}", said.err);
    assert_eq!(fs::read(bench.path("runs/r/events.jsonl")).unwrap(), before);
    assert!(!bench.path("runs/r/logs/rejected.jsonl").exists());
    // A retry is none.
    let again = first + "{\"type\":\"note\",\"data\":{\"text\":\"later\"}}\n";
    assert_eq!(feed(&again).status, 0);
    // Between other lines, it is rejected and does not pass.
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    let middle =
        "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n".to_owned() + &created("b.md", "");
    assert_eq!(feed(&middle).status, 65);
    let verdict = bench.call(&["validate", "r"]);
    assert_eq!(verdict.status, 1);
    assert!(verdict.out.contains("RL016"), "{}", verdict.out);
}

/// If this fails, options that a stream cannot use are taken and ignored.
#[test]
fn options_of_one_event_are_refused() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    for option in [
        &["--actor", "me"][..],
        &["--task", "t"],
        &["--session", "s"],
        &["--summary", "s"],
        &["--severity", "error"],
        &["--branch", "b"],
        &["--parent", "p"],
        &["--correlation-id", "c"],
        &["--event-id", "e"],
        &["--timestamp", "2026-01-01T00:00:00Z"],
        &["-f", "a=b"],
        &["-F", "a=1"],
        &["--data", "{}"],
    ] {
        let args = [&["emit", "--stdin", "--run", "r"][..], option].concat();
        let said = bench.feed(&args, b"{\"type\":\"note\",\"data\":{}}\n");
        assert_eq!(said.status, 2, "{option:?}: {}", said.err);
        assert!(said.err.contains(option[0]), "{}", said.err);
    }
    assert_eq!(json_lines(&bench.path("runs/r/events.jsonl")).len(), 1);
}

/// If this fails, a command that runs in a copied run records in the original.
#[test]
fn a_copied_run_is_named_by_its_directory() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "orig"]);
    fs::create_dir(bench.path("runs/copy")).unwrap();
    fs::copy(bench.path("runs/orig/events.jsonl"), bench.path("runs/copy/events.jsonl")).unwrap();
    let child = [env!("CARGO_BIN_EXE_runlog"), "emit", "note", "-f", "text=inner"];
    bench.ok(&[&["exec", "--run", "copy", "--"][..], &child].concat());
    assert_eq!(json_lines(&bench.path("runs/orig/events.jsonl")).len(), 1);
    let events: Vec<Value> = json_lines(&bench.path("runs/copy/events.jsonl"));
    assert!(events.iter().any(|event| event["type"] == "note"));
    let printed = bench.ok(&["emit", "note", "--run", "copy", "--print", "run"]);
    assert_eq!(printed.trim(), "copy");
}

/// If this fails, a misspelt name in a stream is told by nobody.
#[test]
fn misspelt_names_in_a_stream_are_told_once() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    let line =
        |kind: &str, key: &str| format!("{{\"type\":\"{kind}\",\"data\":{{\"{key}\":\"x\"}}}}\n");
    let lines =
        [line("run.compelted", "a"), line("tool.started", "tool_nmae"), line("note", "text")];
    let said = bench.feed(&["emit", "--stdin", "--run", "r"], lines.concat().repeat(3).as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    for near in ["did you mean run.completed?", "did you mean tool_name?"] {
        assert_eq!(said.err.matches(near).count(), 1, "{}", said.err);
    }
    assert_eq!(said.err.matches("did you mean").count(), 2, "{}", said.err);
}

/// If this fails, a stream that is sent twice makes a good run bad, or the run is printed twice.
#[test]
fn a_beginning_that_requires_nothing_new_is_no_error() {
    let bench = Bench::new();
    let stream = created("a.md", "") + "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n" + DONE;
    let args = ["emit", "--stdin", "--run", "r", "--print", "run"];
    let said = bench.feed(&args, stream.as_bytes());
    assert_eq!((said.status, said.out.as_str()), (0, "r\n"), "{}", said.err);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "x").unwrap();
    let again = "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n".to_owned() + &created("a.md", "");
    assert_eq!(bench.feed(&args[..4], again.as_bytes()).status, 65);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}
