//! The derived files of an imported run are those that the log gives, although they are made while
//! it is written.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

const FILES: [&str; 4] = ["run.json", "transcript.md", "logs/tools.jsonl", "logs/errors.jsonl"];

/// A line of a session, `minute` minutes after nine.
fn line(kind: &str, minute: usize, more: &Value) -> String {
    let mut line = json!({"type": kind, "sessionId": "s", "uuid": format!("u{minute}"),
        "timestamp": format!("2026-03-01T09:{minute:02}:00.000Z"), "cwd": "/tmp/p"});
    for (name, value) in more.as_object().unwrap() {
        line[name] = value.clone();
    }
    format!("{line}\n")
}

fn asks(minute: usize, text: &str) -> String {
    line("user", minute, &json!({"message": {"role": "user", "content": text}}))
}

fn calls(minute: usize, id: &str, tool: &str, more: &Value) -> String {
    let call = json!({"type": "tool_use", "id": id, "name": tool, "input": {"prompt": "look"}});
    let mut own = json!({"message": {"role": "assistant", "id": format!("msg_{id}"), "model": "m-1",
        "content": [call], "usage": {"input_tokens": 3, "output_tokens": 2}}});
    own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line("assistant", minute, &own)
}

fn ends(minute: usize, id: &str, failed: bool, more: &Value) -> String {
    let result =
        json!({"type": "tool_result", "tool_use_id": id, "content": "nothing", "is_error": failed});
    let mut own = json!({"message": {"role": "user", "content": [result]}});
    own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line("user", minute, &own)
}

/// Imports the text and checks that the derived files are the same when they are made again.
fn check(bench: &Bench, text: &str) -> String {
    fs::write(bench.path("s.jsonl"), text).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    let read = |file: &str| fs::read_to_string(bench.path(&format!("runs/claude-code-s/{file}")));
    // A run without calls or errors has no file for them.
    let made = FILES.map(|file| read(file).ok());
    for file in FILES {
        let _ = fs::remove_file(bench.path(&format!("runs/claude-code-s/{file}")));
    }
    bench.ok(&["validate", "claude-code-s", "--fix", "-q"]);
    assert_eq!(FILES.map(|file| read(file).ok()), made);
    made[1].clone().unwrap()
}

/// If this fails, an import writes derived files that a rebuild from the log would change: for a new
/// run, for one that grew, or for one whose events say something about earlier ones.
#[test]
fn import_writes_the_derived_files_of_the_log() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let none = json!({});
    let mut text = asks(0, "Find it.") + &calls(1, "c1", "Bash", &none);
    text += &ends(2, "c1", true, &none);
    check(&bench, &text);
    // The agent's own lines come before the result that says which call spawned it.
    let agent = json!({"agentId": "a1"});
    text += &calls(3, "c2", "Task", &none);
    text += &calls(4, "c3", "Read", &agent);
    text += &ends(5, "c3", false, &agent);
    text += &ends(6, "c2", false, &json!({"toolUseResult": {"agentId": "a1", "totalTokens": 9}}));
    let transcript = check(&bench, &text);
    assert!(transcript.contains("Read"), "{transcript}");
    text += &asks(7, "Go on.");
    check(&bench, &text);
}

/// If this fails, a summary that was recorded later is lost when the run is imported again.
#[test]
fn import_again_keeps_later_summaries() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let text = asks(0, "Find it.") + &calls(1, "c1", "Bash", &json!({}));
    check(&bench, &text);
    let run = ["emit", "--run", "claude-code-s"];
    bench.ok(&[&run[..], &["note", "--event-id", "n1", "-f", "text=raw"]].concat());
    let fill = ["-f", "target_event_id=n1", "-f", "summary=The better words.", "-f", "source=llm"];
    bench.ok(&[&run[..], &["summary.backfilled"], &fill[..]].concat());
    let transcript = check(&bench, &(text + &asks(2, "Go on.")));
    assert!(transcript.contains("The better words."), "{transcript}");
}
