//! The same work counts once, whatever recorded it: hooks, a stream, the session file, or all three.

#![expect(clippy::needless_pass_by_value, reason = "`json!` makes the values at the calls")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// Ids as the providers of models give them.
const MESSAGE: &str = "msg_01XbCdEfGhJk29mnPqRsTuVw";
const CALL: &str = "toolu_01AbCdEfGhJk29mnPqRsTuVw";
const PROMPT: &str = "0b4b1c62-6f0e-4d55-9c4e-8c21b8f4a9d3";

/// A line of a session file of Claude Code, written now.
fn line(session: &str, id: &str, kind: &str, message: Value) -> Value {
    json!({"type": kind, "sessionId": session, "uuid": id, "promptId": PROMPT, "cwd": "/w",
        "timestamp": chrono::Utc::now().to_rfc3339(), "message": message})
}

/// A prompt, a call that fails, and its result.
fn lines(session: &str) -> Vec<Value> {
    let call =
        json!({"type": "tool_use", "id": CALL, "name": "Bash", "input": {"command": "make"}});
    let result =
        json!({"type": "tool_result", "tool_use_id": CALL, "content": "boom", "is_error": true});
    vec![
        line(session, "u1", "user", json!({"role": "user", "content": "fix it"})),
        line(
            session,
            "u2",
            "assistant",
            json!({"role": "assistant", "id": MESSAGE, "model": "m-1", "content": [call],
                "usage": {"input_tokens": 10, "output_tokens": 5}}),
        ),
        line(session, "u3", "user", json!({"role": "user", "content": [result]})),
    ]
}

fn hook(bench: &Bench, session: &str, event: &str, more: Value) {
    let mut payload = json!({"session_id": session, "hook_event_name": event, "cwd": "/w",
        "transcript_path": bench.path(&format!("{session}.jsonl")).display().to_string()});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let said = bench.feed(&["hook"], payload.to_string().as_bytes());
    assert_eq!((said.status, &*said.out, &*said.err), (0, "", ""), "{payload}");
}

/// A session whose events hooks report. The end of the call is this event.
fn live(bench: &Bench, session: &str, file: &str, end: (&str, Value)) {
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": CALL});
    hook(bench, session, "UserPromptSubmit", json!({"prompt": "fix it", "prompt_id": PROMPT}));
    hook(bench, session, "PreToolUse", call.clone());
    let mut ended = call;
    ended.as_object_mut().unwrap().extend(end.1.as_object().unwrap().clone());
    hook(bench, session, end.0, ended);
    fs::write(bench.path(&format!("{session}.jsonl")), file).unwrap();
    hook(bench, session, "SessionEnd", json!({"reason": "exit"}));
}

/// Calls, failures, prompts, errors, input and output tokens of all runs, by `list` and by `stats`.
pub(crate) fn totals(bench: &Bench) -> Vec<u64> {
    let (list, stats) = (bench.json(&["list"]), bench.json(&["stats"]));
    let names =
        ["tool_calls", "tool_failures", "prompts", "errors", "input_tokens", "output_tokens"];
    let number = |from: &Value, name: &str| from[name].as_u64().unwrap_or_default();
    let (list, stats) = (&list["total"], &stats["total"]);
    for (name, other) in [
        ("tool_calls", "calls"),
        ("tool_failures", "failures"),
        ("input_tokens", "input_tokens"),
        ("output_tokens", "output_tokens"),
    ] {
        assert_eq!(number(list, name), number(stats, other), "{name}: {list} {stats}");
    }
    names.iter().map(|name| number(list, name)).collect()
}

fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    bench
}

/// If this fails, a command that failed passes for a good one, because the hook does not get its exit
/// code; or a hook and the file tell how the call ended, and both count.
#[test]
fn the_file_tells_how_a_call_ended() {
    let ends = [
        ("PostToolUse", json!({"tool_response": {"stdout": "boom"}})),
        ("PostToolUseFailure", json!({"error": "boom"})),
        ("PermissionDenied", json!({"reason": "no"})),
    ];
    for end in ends {
        let bench = bench();
        live(&bench, "s", &jsonl(&lines("s")), end.clone());
        let story = bench.ok(&["transcript", "--format", "text"]);
        for word in ["same id", "revises", "recorded_by"] {
            assert!(!story.contains(word), "{end:?} {story}");
        }
        for _ in 0..2 {
            assert_eq!(totals(&bench), [1, 1, 1, 1, 10, 5], "{end:?}");
            let checked = bench.ok(&["validate", "--strict", "--format", "json", "latest"]);
            assert!(!checked.contains("RL204"), "it does not end twice: {end:?} {checked}");
            let log = fs::read(bench.path("runs/claude-code-s/events.jsonl")).unwrap();
            bench.ok(&["import", "s.jsonl"]);
            assert_eq!(fs::read(bench.path("runs/claude-code-s/events.jsonl")).unwrap(), log);
        }
    }
}

/// If this fails, a prompt counts twice because the hook and the file give it other ids, or what the
/// client writes counts as a prompt of the user.
#[test]
fn prompts_of_hooks() {
    for (asked, written, prompts) in [
        (json!({"prompt": "fix it"}), "fix it", 1),
        (
            json!({"prompt": "<ide_opened_file>a.rs</ide_opened_file>\nfix it"}),
            "<ide_opened_file>a.rs</ide_opened_file>\nfix it",
            1,
        ),
        (
            json!({"prompt": "<task-notification>done</task-notification>", "prompt_id": PROMPT}),
            "<task-notification>done</task-notification>",
            0,
        ),
        (
            json!({"prompt": "/review src", "prompt_id": PROMPT}),
            "<command-message>review</command-message>\n<command-name>/review</command-name>",
            0,
        ),
        (json!({"prompt": "/etc is full", "prompt_id": PROMPT}), "/etc is full", 1),
    ] {
        let bench = bench();
        hook(&bench, "s", "UserPromptSubmit", asked.clone());
        let file = [line("s", "u1", "user", json!({"role": "user", "content": written}))];
        fs::write(bench.path("s.jsonl"), jsonl(&file)).unwrap();
        hook(&bench, "s", "SessionEnd", json!({"reason": "exit"}));
        bench.ok(&["import", "s.jsonl"]);
        assert_eq!(totals(&bench)[2], prompts, "{asked}");
    }
}

/// If this fails, an import that leaves the source lines out and one that keeps them both count.
#[test]
fn an_import_without_source_lines_and_one_with_them() {
    let bench = bench();
    fs::write(bench.path("s.jsonl"), jsonl(&lines("s"))).unwrap();
    bench.ok(&["import", "--no-source", "s.jsonl"]);
    let log = bench.path("runs/claude-code-s/events.jsonl");
    let before = fs::read_to_string(&log).unwrap();
    assert!(!before.contains("\"uuid\":"), "{before}");
    for more in [&["import", "s.jsonl"][..], &["import", "--no-source", "s.jsonl"]] {
        bench.ok(more);
        assert_eq!(fs::read_to_string(&log).unwrap(), before);
        assert_eq!(totals(&bench), [1, 1, 1, 1, 10, 5]);
    }
}
