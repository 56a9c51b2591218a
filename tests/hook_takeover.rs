//! What hooks take over of the session file of their agent: only what is new, only of their session,
//! from regular files, and nothing twice.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::hook_turns::{hook, with_runs};
use crate::support::{Bench, json_lines, jsonl};

const RUN: &str = "runs/claude-code-s-1";

/// A line of a session file of Claude Code.
fn line(session: &str, number: usize, kind: &str, content: &Value) -> Value {
    let usage = json!({"input_tokens": 10, "output_tokens": 5});
    let mut message = json!({"role": kind, "content": content});
    if kind == "assistant" {
        message["id"] = format!("m{number}").into();
        message["model"] = "m-1".into();
        message["usage"] = usage;
    }
    json!({"type": kind, "sessionId": session, "uuid": format!("{session}-{number}"), "cwd": "/home/ada/app",
        "parentUuid": null, "timestamp": format!("2026-05-01T10:{:02}:{:02}.000Z", number / 60, number % 60),
        "message": message})
}

/// A turn: a prompt, a call with its result, and an answer.
fn turn(number: usize) -> Vec<Value> {
    let (at, id) = (number * 4, format!("toolu_{number}"));
    let call =
        json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "make"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": id, "content": "made"}]);
    vec![
        line("s-1", at, "user", &json!(format!("do {number}"))),
        line("s-1", at + 1, "assistant", &call),
        line("s-1", at + 2, "user", &result),
        line(
            "s-1",
            at + 3,
            "assistant",
            &json!([{"type": "text", "text": format!("did {number}")}]),
        ),
    ]
}

fn log(bench: &Bench) -> Vec<Value> {
    json_lines(&bench.path(&format!("{RUN}/events.jsonl")))
}

fn figures(bench: &Bench) -> [Value; 5] {
    let state = fs::read_to_string(bench.path(&format!("{RUN}/run.json"))).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    ["prompts", "tool_calls", "input_tokens", "output_tokens", "errors"]
        .map(|name| state["counts"][name].clone())
}

/// If this fails, a session that is taken over turn by turn is another one than the whole file, or a turn
/// is in the log twice.
#[test]
fn turn_by_turn_is_the_whole() {
    let live = with_runs();
    let mut lines = Vec::new();
    hook(&live, "SessionStart", &json!({"source": "startup"}));
    for number in 0..6 {
        let turn = turn(number);
        hook(&live, "UserPromptSubmit", &json!({"prompt": format!("do {number}")}));
        let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"},
            "tool_use_id": format!("toolu_{number}"), "tool_response": "made"});
        hook(&live, "PreToolUse", &call);
        lines.extend_from_slice(&turn[..2]);
        fs::write(live.path("s-1.jsonl"), jsonl(&lines)).unwrap();
        hook(&live, "PostToolUse", &call);
        lines.extend_from_slice(&turn[2..]);
        // The client may be in the middle of its last line.
        let text = jsonl(&lines);
        fs::write(live.path("s-1.jsonl"), &text[..text.len() - 20]).unwrap();
        hook(&live, "Stop", &json!({}));
        fs::write(live.path("s-1.jsonl"), text).unwrap();
        hook(&live, "Stop", &json!({}));
        if number == 2 {
            // What is remembered can be deleted.
            fs::remove_file(live.path(&format!("{RUN}/logs/takeover.json"))).unwrap();
        }
    }
    hook(&live, "SessionEnd", &json!({"reason": "exit"}));
    let imported = with_runs();
    fs::copy(live.path("s-1.jsonl"), imported.path("s-1.jsonl")).unwrap();
    imported.ok(&["import", "s-1.jsonl"]);
    assert_eq!(figures(&live), figures(&imported));
    assert_eq!(figures(&live)[..2], [json!(6), json!(6)]);
    let before = log(&live).len();
    live.ok(&["import", "s-1.jsonl"]);
    assert_eq!(log(&live).len(), before, "the hooks left nothing for an import");
    assert_eq!(live.call(&["validate", "latest", "--expect-status", "imported"]).status, 0);
}

/// If this fails, a prompt is in the log twice if much is taken over between its hook and its line.
#[test]
fn much_between_a_hook_and_its_line() {
    let bench = with_runs();
    let mut lines: Vec<Value> = (1..5000).flat_map(turn).collect();
    fs::write(bench.path("s-1.jsonl"), jsonl(&lines)).unwrap();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "do 0"}));
    hook(
        &bench,
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_use_id": "toolu_0"}),
    );
    // A takeover may be cut on a slow machine.
    for _ in 0..20 {
        hook(&bench, "Stop", &json!({}));
    }
    let log_bytes = fs::metadata(bench.path(&format!("{RUN}/events.jsonl"))).unwrap().len();
    assert!(log_bytes > 2 * (4 << 20), "{log_bytes}");
    lines.extend(turn(0));
    fs::write(bench.path("s-1.jsonl"), jsonl(&lines)).unwrap();
    hook(&bench, "Stop", &json!({}));
    let log = log(&bench);
    let ids: std::collections::HashSet<String> =
        log.iter().map(|event| event["event_id"].to_string()).collect();
    assert_eq!(ids.len(), log.len());
    let prompts = log.iter().filter(|event| event["type"] == "message.user");
    assert_eq!(prompts.count(), 5000);
}

/// If this fails, a session file that was written anew is taken for an older one, and its lines are lost.
#[test]
fn a_file_that_was_written_anew() {
    let bench = with_runs();
    let (first, second) = (turn(0), turn(1));
    fs::write(bench.path("s-1.jsonl"), jsonl(&first)).unwrap();
    hook(&bench, "Stop", &json!({}));
    let other = [second, first].concat();
    fs::write(bench.path("s-1.jsonl"), jsonl(&other)).unwrap();
    hook(&bench, "Stop", &json!({}));
    assert_eq!(figures(&bench)[..4], [json!(2), json!(2), json!(40), json!(20)]);
}

/// If this fails, a hook waits for a pipe, or records what is no file of the agent.
#[test]
fn only_regular_files_are_read() {
    let bench = with_runs();
    let made = Command::new("mkfifo").arg(bench.path("s-1.jsonl")).status().unwrap();
    assert!(made.success());
    for (event, more) in [
        ("UserPromptSubmit", json!({"prompt": "go"})),
        ("Stop", json!({})),
        ("SessionEnd", json!({"reason": "exit"})),
    ] {
        hook(&bench, event, &more);
    }
    let texts: Vec<String> =
        log(&bench).iter().map(|event| event["data"]["text"].to_string()).collect();
    assert!(texts.contains(&"\"go\"".to_owned()), "{texts:?}");
}

/// If this fails, a payload brings another session's lines into a run.
#[test]
fn only_the_session_of_the_payload() {
    let bench = with_runs();
    let other = line("s-2", 0, "user", &json!("not mine"));
    fs::write(bench.path("s-1.jsonl"), jsonl(&[other])).unwrap();
    for event in ["SessionStart", "Stop", "SessionEnd"] {
        hook(&bench, event, &json!({"source": "resume"}));
    }
    let log = fs::read_to_string(bench.path(&format!("{RUN}/events.jsonl"))).unwrap();
    assert!(!log.contains("not mine"), "{log}");
    assert_eq!(fs::read_dir(bench.path("runs")).unwrap().count(), 1);
}
