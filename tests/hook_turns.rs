//! What hooks record in an order that is not the simplest one: sessions that began before their hooks,
//! turns that were interrupted, sessions that go on after their end, agents that change directory.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, json_lines, jsonl};

/// Gives one payload to the hook of that agent's session `s-1`, with these members.
pub(crate) fn hook(bench: &Bench, event: &str, more: &Value) {
    let mut payload = json!({"session_id": "s-1", "hook_event_name": event, "cwd": "/home/ada/app",
        "transcript_path": bench.path("s-1.jsonl").display().to_string()});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let said = bench.feed(&["hook"], payload.to_string().as_bytes());
    assert_eq!((said.status, &*said.out, &*said.err), (0, "", ""), "{payload}");
}

/// Lines of a session file of Claude Code: prompts with their answers.
fn rounds(rounds: &[(&str, &str)]) -> Vec<Value> {
    let mut lines = Vec::new();
    for (number, (prompt, answer)) in rounds.iter().enumerate() {
        let time = |second: usize| format!("2026-05-01T10:{number:02}:{second:02}.000Z");
        let line = |kind: &str, second: usize, message: Value| {
            json!({"type": kind, "sessionId": "s-1", "uuid": format!("{kind}-{number}"),
                "timestamp": time(second), "cwd": "/home/ada/app", "message": message})
        };
        lines.push(line("user", 0, json!({"role": "user", "content": prompt})));
        lines.push(line(
            "assistant",
            1,
            json!({"role": "assistant", "id": format!("m{number}"),
            "model": "m-1", "content": [{"type": "text", "text": answer}],
            "usage": {"input_tokens": 1000 * (number + 1), "output_tokens": 5}}),
        ));
    }
    lines
}

fn log(bench: &Bench) -> Vec<Value> {
    json_lines(&bench.path("runs/claude-code-s-1/events.jsonl"))
}

/// The texts of messages, in the order of the log.
fn said(bench: &Bench) -> Vec<String> {
    let log = log(bench);
    let said = log.iter().filter(|event| {
        ["message.user", "message.assistant", "user.interrupted"]
            .contains(&event["type"].as_str().unwrap())
    });
    said.map(|event| event["data"]["text"].as_str().unwrap_or("interrupted").to_owned()).collect()
}

/// A call that is only right if the run has ended well.
const VALIDATE: &[&str] = &["validate", "latest", "--expect-status", "completed,imported"];

/// A bench with a runs directory, in which hooks record.
pub(crate) fn with_runs() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    bench
}

/// If this fails, a session that began without hooks has its newest prompt first, and the tokens of
/// one task belong to another.
#[test]
fn a_session_that_began_without_hooks() {
    let bench = with_runs();
    let all = rounds(&[("FIRST", "one"), ("SECOND", "two"), ("THIRD", "three")]);
    fs::write(bench.path("s-1.jsonl"), jsonl(&all[..4])).unwrap();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "THIRD"}));
    assert_eq!(said(&bench), ["FIRST", "one", "SECOND", "two", "THIRD"]);
    fs::write(bench.path("s-1.jsonl"), jsonl(&all)).unwrap();
    hook(&bench, "Stop", &json!({}));
    assert_eq!(said(&bench), ["FIRST", "one", "SECOND", "two", "THIRD", "three"]);
    // A client may write the prompt before it reports it.
    let bench = with_runs();
    fs::write(bench.path("s-1.jsonl"), jsonl(&all[..5])).unwrap();
    hook(&bench, "SessionStart", &json!({"source": "resume"}));
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "THIRD"}));
    assert_eq!(said(&bench), ["FIRST", "one", "SECOND", "two", "THIRD"]);
}

/// If this fails, a prompt that repeats the last one of the history comes after the work that it led
/// to.
#[test]
fn the_same_prompt_again() {
    let bench = with_runs();
    fs::write(bench.path("s-1.jsonl"), jsonl(&rounds(&[("go on", "one")]))).unwrap();
    hook(&bench, "SessionStart", &json!({"source": "resume"}));
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "go on"}));
    assert_eq!(said(&bench), ["go on", "one", "go on"]);
    let both = rounds(&[("go on", "one"), ("go on", "two")]);
    fs::write(bench.path("s-1.jsonl"), jsonl(&both)).unwrap();
    hook(&bench, "Stop", &json!({}));
    assert_eq!(said(&bench), ["go on", "one", "go on", "two"]);
}

/// If this fails, a prompt is lost because the session file cannot be read.
#[test]
fn a_session_file_that_cannot_be_read() {
    let bench = with_runs();
    fs::create_dir(bench.path("s-1.jsonl")).unwrap();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "go"}));
    assert_eq!(said(&bench), ["go"]);
    let bench = with_runs();
    fs::write(bench.path("s-1.jsonl"), b"\x00\xff not a session\n{\"type\":").unwrap();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "go"}));
    assert_eq!(said(&bench), ["go"]);
}

/// If this fails, what happened in a turn that was interrupted belongs to the next task.
#[test]
fn a_turn_that_was_interrupted() {
    let bench = with_runs();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "ONE"}));
    let mut lines = rounds(&[("ONE", "text of one"), ("TWO", "text of two")]);
    let interrupted = json!({"type": "user", "sessionId": "s-1", "uuid": "i", "timestamp":
        "2026-05-01T10:00:02.000Z", "message": {"role": "user", "content":
        [{"type": "text", "text": "[Request interrupted by user]"}]}});
    lines.insert(2, interrupted);
    fs::write(bench.path("s-1.jsonl"), jsonl(&lines[..3])).unwrap();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "TWO"}));
    fs::write(bench.path("s-1.jsonl"), jsonl(&lines)).unwrap();
    hook(&bench, "Stop", &json!({}));
    assert_eq!(said(&bench), ["ONE", "text of one", "interrupted", "TWO", "text of two"]);
}

/// If this fails, a session that goes on passes as one that has ended, and its current task can be
/// folded; or its second end is lost.
#[test]
fn a_session_that_goes_on_after_its_end() {
    for has_file in [false, true] {
        let bench = with_runs();
        if has_file {
            fs::write(bench.path("s-1.jsonl"), jsonl(&rounds(&[("one", "done")]))).unwrap();
        }
        hook(&bench, "UserPromptSubmit", &json!({"prompt": "one"}));
        hook(&bench, "SessionEnd", &json!({"reason": "exit"}));
        bench.ok(VALIDATE);
        hook(&bench, "SessionStart", &json!({"source": "resume"}));
        hook(&bench, "UserPromptSubmit", &json!({"prompt": "deploy it"}));
        hook(
            &bench,
            "PreToolUse",
            &json!({"tool_name": "Bash", "tool_use_id": "x1", "tool_input": {}}),
        );
        let said = bench.call(VALIDATE);
        assert_eq!(said.status, 5, "{}", said.out);
        assert!(bench.ok(&["top", "--once"]).contains("claude-code-s-1"));
        let fold = ["chapter", "add", "latest", "--start", "2", "--end", "2", "--name", "N"];
        bench.fails(65, &[&fold[..], &["--message", "m"]].concat());
        hook(&bench, "SessionEnd", &json!({"reason": "exit"}));
        bench.ok(VALIDATE);
        // The user looks at it again, and does nothing.
        let before = log(&bench).len();
        hook(&bench, "SessionStart", &json!({"source": "resume"}));
        bench.ok(VALIDATE);
        assert_eq!(log(&bench).len(), before + 1);
    }
}

/// If this fails, a call that was refused has the result of a later one.
#[test]
fn a_refused_call_gets_no_later_result() {
    let bench = with_runs();
    let call = json!({"tool_name": "run_shell_command", "tool_input": {"command": "deploy"},
        "timestamp": "2026-11-26T10:00:00Z"});
    let mut result = call.clone();
    result["tool_response"] = json!({"llmContent": "deployed"});
    hook(&bench, "BeforeTool", &call);
    hook(&bench, "BeforeTool", &call);
    hook(&bench, "AfterTool", &result);
    let log = json_lines(&bench.path("runs/gemini-s-1/events.jsonl"));
    let of = |kind: &str| {
        let found = log.iter().filter(|event| event["type"] == kind);
        found.map(|event| event["correlation_id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of("tool.completed"), of("tool.started")[1..]);
}

/// If this fails, a session is in two runs because its agent changed directory.
#[test]
fn an_agent_that_changes_directory() {
    let bench = with_runs();
    fs::create_dir_all(bench.path("other/runs")).unwrap();
    let in_folder = |folder: &str, event: &str, more: &Value| {
        let mut payload = json!({"session_id": "s-1", "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fs::write(bench.path("payload.json"), payload.to_string()).unwrap();
        let mut command = bench.command();
        command.arg("hook").current_dir(bench.path(folder));
        command.env("CLAUDE_PROJECT_DIR", bench.path("."));
        command.stdin(fs::File::open(bench.path("payload.json")).unwrap());
        assert!(command.status().unwrap().success());
    };
    in_folder(".", "UserPromptSubmit", &json!({"prompt": "Build it"}));
    in_folder(
        "other",
        "PreToolUse",
        &json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {}}),
    );
    assert_eq!(log(&bench).len(), 3);
    assert!(fs::read_dir(bench.path("other/runs")).unwrap().next().is_none());
}

/// If this fails, an answer or the reason of a failure that only the hook has is lost.
#[test]
fn what_only_the_hook_knows() {
    let bench = with_runs();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "go"}));
    let failed = json!({"error": "rate_limit", "last_assistant_message": "I got so far"});
    hook(&bench, "StopFailure", &failed);
    assert_eq!(said(&bench), ["go", "I got so far"]);
    assert_eq!(log(&bench).last().unwrap()["data"]["message"], "rate_limit");
    let end = json!({"sessionId": "c-1", "timestamp": 1, "cwd": "/", "reason": "error",
        "error": {"message": "quota exceeded", "name": "E"}});
    let words = ["hook", "--agent", "copilot", "--event", "sessionEnd"];
    assert_eq!(bench.feed(&words, end.to_string().as_bytes()).status, 0);
    let log = json_lines(&bench.path("runs/copilot-c-1/events.jsonl"));
    assert_eq!(log.last().unwrap()["data"]["error"]["message"], "quota exceeded");
}

/// If this fails, a payload that was cut is lost although its run is known.
#[test]
fn a_payload_that_was_cut() {
    let bench = with_runs();
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "go"}));
    let cut = br#"{"session_id":"s-1","hook_event_name":"Stop","last_assist"#;
    assert_eq!(bench.feed(&["hook"], cut).status, 0);
    let kept = fs::read_to_string(bench.path("runs/claude-code-s-1/logs/rejected.jsonl")).unwrap();
    assert!(kept.contains("last_assist"), "{kept}");
    let marked = "\u{feff}{\"session_id\":\"s-1\",\"hook_event_name\":\"Notification\"}";
    assert_eq!(bench.feed(&["hook"], marked.as_bytes()).err, "");
}

/// If this fails, a command that the session file says failed is a good one for the next agent.
#[test]
fn an_end_that_the_session_file_corrects() {
    let bench = with_runs();
    let line = |kind: &str, payload: Value| json!({"timestamp": "2026-05-01T10:00:00.000Z", "type": kind, "payload": payload});
    let output = "Wall time: 0.1 seconds\nProcess exited with code 1\nOutput:\nno such file";
    let lines = [
        line("session_meta", json!({"id": "s-1", "cwd": "/p"})),
        line("event_msg", json!({"type": "user_message", "message": "Fix it"})),
        line(
            "response_item",
            json!({"type": "function_call", "name": "exec_command",
            "arguments": "{\"cmd\":\"make test\"}", "call_id": "call_1"}),
        ),
        line(
            "response_item",
            json!({"type": "function_call_output", "call_id": "call_1", "output": output}),
        ),
    ];
    let codex = |more: Value| {
        let mut payload = json!({"model": "m", "turn_id": "t", "tool_name": "Bash", "tool_use_id": "call_1",
            "tool_input": {"command": "make test"}, "transcript_path": bench.path("rollout-1.jsonl").display().to_string()});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    hook(&bench, "UserPromptSubmit", &codex(json!({"prompt": "Fix it"})));
    hook(&bench, "PreToolUse", &codex(json!({})));
    hook(&bench, "PostToolUse", &codex(json!({"tool_response": output})));
    fs::write(bench.path("rollout-1.jsonl"), jsonl(&lines)).unwrap();
    hook(&bench, "Stop", &codex(json!({})));
    let digest = bench.ok(&["summarize", "latest", "--session", "--extractive"]);
    assert!(digest.contains("make test: exit status 1: no such file"), "{digest}");
    assert!(!digest.contains("no error"), "{digest}");
    let context = bench.ok(&["context", "latest"]);
    assert!(!context.contains("earlier call"), "{context}");
    assert_eq!(context.matches("no such file").count(), 1, "{context}");
}

/// If this fails, a call that was not permitted becomes a failed one when the session file is read.
#[test]
fn a_call_that_was_not_permitted() {
    let bench = with_runs();
    let call = json!({"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": {"command": "curl x"},
        "reason": "auto mode: network"});
    hook(&bench, "UserPromptSubmit", &json!({"prompt": "Get it"}));
    hook(&bench, "PreToolUse", &call);
    hook(&bench, "PermissionDenied", &call);
    let line = |kind: &str, message: Value| {
        json!({"type": kind, "sessionId": "s-1", "uuid": kind, "timestamp": "2026-05-01T10:00:00.000Z",
            "message": message})
    };
    let lines = [
        line(
            "assistant",
            json!({"role": "assistant", "id": "m", "model": "m", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "curl x"}}]}),
        ),
        line(
            "user",
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
            "is_error": true, "content": "Permission for this action has been denied. Reason: x"}]}),
        ),
    ];
    fs::write(bench.path("s-1.jsonl"), jsonl(&lines)).unwrap();
    hook(&bench, "Stop", &json!({}));
    let kinds: Vec<Value> = log(&bench).iter().map(|event| event["type"].clone()).collect();
    assert!(
        kinds.contains(&json!("tool.blocked")) && !kinds.contains(&json!("tool.failed")),
        "{kinds:?}"
    );
}
