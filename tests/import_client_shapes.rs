//! Shapes that current versions of the clients write and that other tools count wrongly: calls of
//! other models in a message, copies with new ids, texts of the client in the user's name.

#![expect(clippy::needless_pass_by_value, reason = "`json!` makes the values at the calls")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, json_lines, jsonl};

fn write(bench: &Bench, path: &str, text: impl ToString) {
    let path = bench.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text.to_string()).unwrap();
}

/// Numbers of all runs by names, over all of them.
fn totals(bench: &Bench, names: &[&str]) -> Vec<f64> {
    let stats = bench.json(&["stats"]);
    names.iter().map(|name| stats["total"][name].as_f64().unwrap_or_default()).collect()
}

/// Numbers of the only run by names.
fn counts(bench: &Bench, names: &[&str]) -> Vec<f64> {
    let list = bench.json(&["list"]);
    let runs = list["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{list}");
    names.iter().map(|name| runs[0]["counts"][name].as_f64().unwrap_or_default()).collect()
}

/// The events of the only run.
fn log(bench: &Bench) -> Vec<Value> {
    let mut runs = fs::read_dir(bench.path("runs")).unwrap();
    let run = runs.next().unwrap().unwrap().path();
    assert!(runs.next().is_none());
    json_lines(&run.join("events.jsonl"))
}

/// The texts of the events of a type in the only run.
fn texts(bench: &Bench, kind: &str) -> Vec<String> {
    let log = log(bench);
    let events = log.iter().filter(|event| event["type"] == kind);
    events.map(|event| event["data"]["text"].as_str().unwrap().to_owned()).collect()
}

/// Imports lines as a session file.
fn import(bench: &Bench, path: &str, lines: &[Value]) {
    write(bench, path, jsonl(lines));
    bench.ok(&["import", path]);
}

/// A line of Claude Code's session `s`.
fn claude(kind: &str, id: &str, more: Value) -> Value {
    let mut line = json!({"type": kind, "sessionId": "s", "uuid": id, "cwd": "/p",
        "version": "2.1.280", "timestamp": "2026-09-24T10:00:00.000Z"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn claude_user(id: &str, text: &str, more: Value) -> Value {
    let mut line = claude("user", id, json!({"message": {"role": "user", "content": text}}));
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    line
}

fn claude_answer(id: &str, usage: Value) -> Value {
    claude(
        "assistant",
        id,
        json!({"message": {"role": "assistant", "id": id, "model": "m-main",
        "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn", "usage": usage}}),
    )
}

/// If this fails, the tokens of an adviser, of a compaction or of an abandoned attempt are lost, or
/// the calls that a message is the sum of count twice.
#[test]
fn calls_of_other_models_in_a_message() {
    let usage = |input: u64, output: u64, iterations: Value| json!({"input_tokens": input, "output_tokens": output, "iterations": iterations});
    let one = |kind: &str, model: Option<&str>, input: u64, output: u64| {
        let mut one = json!({"type": kind, "input_tokens": input, "output_tokens": output});
        if let Some(model) = model {
            one["model"] = model.into();
        }
        one
    };
    let cases = [
        (json!([one("message", None, 2, 3), one("message", None, 3, 4)]), [5.0, 7.0]),
        (json!([one("iteration", None, 5, 7)]), [5.0, 7.0]),
        (
            json!([one("message", None, 5, 7), one("advisor_message", Some("big"), 900, 90)]),
            [905.0, 97.0],
        ),
        (
            json!([
                one("message", Some("other"), 40, 1),
                one("fallback_message", Some("m-main"), 5, 7)
            ]),
            [45.0, 8.0],
        ),
        (
            json!([
                one("message", Some("other"), 0, 0),
                one("fallback_message", Some("m-main"), 5, 7)
            ]),
            [5.0, 7.0],
        ),
        (json!([one("compaction", None, 300, 30), one("message", None, 5, 7)]), [305.0, 37.0]),
    ];
    for (iterations, expected) in cases {
        let bench = Bench::new();
        let answer = claude_answer("a", usage(5, 7, iterations.clone()));
        let lines = [claude_user("u", "go", json!({})), answer.clone(), answer];
        import(&bench, "s.jsonl", &lines);
        assert_eq!(counts(&bench, &["input_tokens", "output_tokens"]), expected, "{iterations}");
        let calls = log(&bench).iter().filter(|event| event["type"] == "llm.usage").count();
        assert_eq!(calls, usize::from(expected != [5.0, 7.0]) + 1, "{iterations}");
    }
}

/// If this fails, what the client writes is a prompt, or a prompt is lost behind it.
#[test]
fn texts_of_claude_code_in_the_name_of_the_user() {
    let bench = Bench::new();
    let queued = |id: &str, text: &str, more: Value| {
        let mut attachment =
            json!({"type": "queued_command", "prompt": text, "commandMode": "prompt"});
        attachment.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        claude("attachment", id, json!({"attachment": attachment}))
    };
    let failed = "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n\
        <summary>npm run dev failed</summary>\n</task-notification>";
    let reported = "<task-notification>\n<task-id>a2</task-id>\n<status>completed</status>\n\
        <summary>review completed</summary>\n<result>REPORT: two bugs</result>\n</task-notification>";
    let lines = [
        claude_user(
            "u1",
            "<system-reminder>\nA task runs.\n</system-reminder>\n\nWhy does it fail?",
            json!({}),
        ),
        queued("q1", "rebase", json!({"origin": {"kind": "peer"}})),
        queued("q2", "take slice 3", json!({"isMeta": true})),
        queued("q3", "and the docs", json!({})),
        queued("q4", &failed.replace("b1", "b2"), json!({"commandMode": "task-notification"})),
        claude_user("u2", failed, json!({"origin": {"kind": "task-notification"}})),
        claude_user("u3", reported, json!({"origin": {"kind": "task-notification"}})),
        claude(
            "attachment",
            "h1",
            json!({"attachment": {"type": "hook_stopped_continuation",
            "hookName": "PreToolUse:Bash", "message": "paused"}}),
        ),
        claude(
            "attachment",
            "h2",
            json!({"attachment": {"type": "hook_cancelled",
            "hookName": "guard", "timedOut": true, "durationMs": 5000}}),
        ),
        claude(
            "attachment",
            "h3",
            json!({"attachment": {"type": "hook_cancelled", "hookName": "guard"}}),
        ),
        claude(
            "system",
            "h4",
            json!({"subtype": "stop_hook_summary", "hookErrors": [],
            "preventedContinuation": true, "stopReason": "tests fail"}),
        ),
        claude(
            "system",
            "h5",
            json!({"subtype": "informational", "level": "warning", "preventContinuation": true,
            "content": "UserPromptSubmit operation blocked by hook: no\n\nOriginal prompt: deploy"}),
        ),
    ];
    import(&bench, "s.jsonl", &lines);
    assert_eq!(texts(&bench, "message.user"), ["Why does it fail?", "and the docs"]);
    let notes = texts(&bench, "note");
    let expected = [
        "Background task b2 failed: npm run dev failed",
        "Background task b1 failed: npm run dev failed",
        "Background task a2 completed: review completed\nREPORT: two bugs",
        "Hook PreToolUse:Bash stopped the agent: paused",
        "Hook guard was ended after 5.0s: it took too long",
        "Stop hook stopped the agent: tests fail",
        "UserPromptSubmit operation blocked by hook: no\n\nOriginal prompt: deploy",
    ];
    assert_eq!(notes, expected);
    assert_eq!(counts(&bench, &["warnings"]), [6.0]);
}

/// If this fails, the agents of a workflow are lost, or its journal is told as an unknown file.
#[test]
fn agents_of_workflows() {
    let usage = json!({"input_tokens": 1, "output_tokens": 10});
    let agent = |mut line: Value| {
        line["isSidechain"] = true.into();
        line["agentId"] = "w1".into();
        line
    };
    for named in ["p/s.jsonl", "p"] {
        let bench = Bench::new();
        let folder = "p/s/subagents/workflows/wf_1";
        let lines = [
            agent(claude_user("u2", "Audit", json!({}))),
            agent(claude_answer("a2", usage.clone())),
        ];
        write(&bench, &format!("{folder}/agent-w1.jsonl"), jsonl(&lines));
        write(&bench, &format!("{folder}/journal.jsonl"), "{\"type\":\"started\",\"key\":\"k\"}\n");
        write(
            &bench,
            "p/s.jsonl",
            jsonl(&[claude_user("u1", "go", json!({})), claude_answer("a1", usage.clone())]),
        );
        let said = bench.call(&["import", named]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{named}");
        assert_eq!(counts(&bench, &["output_tokens", "prompts"]), [20.0, 1.0], "{named}");
    }
}

/// A line of a rollout of Codex.
fn rollout(number: u64, millis: u64, kind: &str, payload: Value) -> Value {
    let time = format!(
        "2026-10-02T09:{:02}:{:02}.{:03}Z",
        millis / 60_000,
        millis / 1000 % 60,
        millis % 1000
    );
    json!({"timestamp": time, "ordinal": number, "type": kind, "payload": payload})
}

/// The lines of a session of Codex, one second after another.
fn rollouts(lines: &[(&str, Value)]) -> Vec<Value> {
    let line = |(number, (kind, payload)): (usize, &(&str, Value))| {
        rollout(number as u64, 1500 * number as u64, kind, payload.clone())
    };
    lines.iter().enumerate().map(line).collect()
}

fn codex_usage(input: u64) -> Value {
    json!({"input_tokens": input, "cached_input_tokens": 0, "output_tokens": 10, "total_tokens": input + 10})
}

fn token_count(total: u64, last: u64) -> (&'static str, Value) {
    (
        "event_msg",
        json!({"type": "token_count", "info": {
        "total_token_usage": codex_usage(total), "last_token_usage": codex_usage(last)}}),
    )
}

const THREAD: &str = "019f3a10-0000-7000-8000-00000000a001";

/// If this fails, responses that the totals of Codex leave out are lost, or others count twice.
#[test]
fn records_of_single_responses() {
    let record = |id: &str, input: u64| {
        (
            "token_usage_record",
            json!({"thread_id": THREAD, "response_id": id, "usage": codex_usage(input)}),
        )
    };
    let bench = Bench::new();
    let lines = [
        ("session_meta", json!({"id": THREAD, "cwd": "/p"})),
        record("resp_a", 100),
        token_count(100, 100),
        record("resp_compact", 240),
        ("compacted", json!({"message": ""})),
        token_count(100, 0),
        record("resp_c", 100),
        token_count(100, 100),
    ];
    import(&bench, "rollout-1.jsonl", &rollouts(&lines));
    assert_eq!(counts(&bench, &["input_tokens", "output_tokens"]), [440.0, 30.0]);
    // The record may come second, or not at all where an older client goes on.
    let (a, b) = (record("resp_a", 100), record("resp_b", 100));
    let meta = || ("session_meta", json!({"id": THREAD, "cwd": "/p"}));
    let counts_of = |total: u64| {
        (
            "event_msg",
            json!({"type": "token_count", "info": {
        "total_token_usage": {"input_tokens": total, "cached_input_tokens": 0, "output_tokens": total / 10},
        "last_token_usage": codex_usage(100)}}),
        )
    };
    for (lines, input) in [
        (vec![meta(), counts_of(100), a.clone(), counts_of(200), b.clone()], 200.0),
        (vec![meta(), a.clone(), counts_of(100), b.clone(), counts_of(200)], 200.0),
        (vec![meta(), counts_of(100), b, counts_of(200), counts_of(300), counts_of(400)], 400.0),
    ] {
        let bench = Bench::new();
        import(&bench, "rollout-1.jsonl", &rollouts(&lines));
        assert_eq!(counts(&bench, &["input_tokens"]), [input], "{lines:?}");
    }
}

/// If this fails, calls that were denied or that failed count as successes, or what the client says in
/// the user's name is a prompt.
#[test]
fn texts_of_codex() {
    let outputs = [
        ("Command blocked by PreToolUse hook: no network. Command: curl x", "blocked"),
        ("This action was rejected due to unacceptable risk.\nReason: x.", "blocked"),
        (
            "exec_command failed for `git push`: CreateProcess { message: \"Rejected(\\\"This action was rejected due to unacceptable risk.\\\")\" }",
            "blocked",
        ),
        ("collab spawn failed: agent thread limit reached", "failed"),
        ("fine", "completed"),
    ];
    let message = |parts: Value| {
        ("response_item", json!({"type": "message", "role": "user", "content": parts}))
    };
    let part = |text: &str| json!({"type": "input_text", "text": text});
    let mut lines = vec![
        ("session_meta", json!({"id": THREAD, "cwd": "/p"})),
        message(json!([part(
            "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command."
        )])),
        message(json!([part("Fix "), part("@cart.rs"), part(" please")])),
        ("event_msg", json!({"type": "user_message", "message": "Fix @cart.rs please"})),
    ];
    for (number, (output, _)) in outputs.iter().enumerate() {
        let id = format!("c{number}");
        lines.push((
            "response_item",
            json!({"type": "function_call", "name": "t", "arguments": "{}", "call_id": id}),
        ));
        lines.push((
            "response_item",
            json!({"type": "function_call_output", "call_id": id, "output": output}),
        ));
    }
    let bench = Bench::new();
    import(&bench, "rollout-1.jsonl", &rollouts(&lines));
    assert_eq!(texts(&bench, "message.user").len(), 1);
    let log = log(&bench);
    let kinds = log.iter().filter_map(|event| event["type"].as_str()?.strip_prefix("tool."));
    let ends: Vec<&str> = kinds.filter(|kind| *kind != "started").collect();
    assert_eq!(ends, outputs.map(|(_, end)| end));
}

/// If this fails, the history that a fork or a sub-agent of Codex repeats counts again: its lines have
/// new times, and writing them takes a while.
#[test]
fn histories_that_are_repeated_slowly() {
    let parent = THREAD;
    let child = "019f3a10-0000-7000-8000-00000000a002";
    let history = |from: u64, start: u64, pause: u64| {
        let mut lines = Vec::new();
        for number in 0..40 {
            let at = |step: u64| start + (4 * number + step) * pause;
            let id = format!("call_{number}");
            let mut add = |step: u64, kind: &str, payload: Value| {
                lines.push(rollout(from + 4 * number + step, at(step), kind, payload));
            };
            let said = json!({"type": "user_message", "message": format!("prompt {number}")});
            add(0, "event_msg", said);
            add(
                1,
                "response_item",
                json!({"type": "function_call", "name": "t", "arguments": "{}", "call_id": id}),
            );
            add(
                2,
                "response_item",
                json!({"type": "function_call_output", "call_id": id, "output": "execution error"}),
            );
            let (kind, count) = token_count(10 * (number + 1), 10);
            add(3, kind, count);
        }
        lines
    };
    let meta = |number: u64, at: u64, more: Value| {
        let mut meta = json!({"id": parent, "cwd": "/p"});
        meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rollout(number, at, "session_meta", meta)
    };
    let own = |from: u64, at: u64| {
        let (kind, count) = token_count(420, 20);
        vec![
            rollout(from, at, "event_msg", json!({"type": "user_message", "message": "new work"})),
            rollout(from + 1, at + 2000, kind, count),
        ]
    };
    let first = || [vec![meta(0, 0, json!({}))], history(1, 1000, 900)].concat();
    let fork = json!({"id": child, "forked_from_id": parent});
    let agent = json!({"id": child, "session_id": parent, "parent_thread_id": parent,
        "subagent_history_start_ordinal": 162, "thread_source": "subagent",
        "source": {"subagent": {"thread_spawn": {"parent_thread_id": parent}}}});
    for (facts, is_agent) in [(fork, false), (agent, true)] {
        let start = 600_000;
        let copy = [
            vec![meta(0, start, facts.clone()), meta(1, start + 10, json!({}))],
            history(2, start + 20, 20),
            own(162, start + 60_000),
        ];
        let bench = Bench::new();
        write(&bench, "sessions/rollout-1.jsonl", jsonl(&first()));
        write(&bench, "sessions/rollout-2.jsonl", jsonl(&copy.concat()));
        bench.ok(&["import", "sessions"]);
        let names = ["input_tokens", "calls", "failures"];
        assert_eq!(totals(&bench, &names), [420.0, 40.0, 40.0], "{facts}");
        if is_agent {
            assert_eq!(counts(&bench, &["prompts", "errors"]), [40.0, 40.0]);
        }
    }
}

/// If this fails, a stream of Codex that only warned has errors, or one that stopped at an error
/// passes.
#[test]
fn warnings_in_a_stream_of_codex() {
    let begin =
        [json!({"type": "thread.started", "thread_id": THREAD}), json!({"type": "turn.started"})];
    let usage = json!({"type": "turn.completed", "usage": codex_usage(100)});
    let warning = json!({"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "deprecated"}});
    let retry = json!({"type": "error", "message": "Reconnecting... 1/5"});
    let bench = Bench::new();
    import(&bench, "out.jsonl", &[&begin[..], &[warning, retry, usage.clone()]].concat());
    assert_eq!(counts(&bench, &["errors", "warnings"]), [0.0, 2.0]);
    let bench = Bench::new();
    let refused = json!({"type": "error", "message": "unexpected status 401"});
    import(&bench, "out.jsonl", &[&begin[..], &[usage], &begin[1..], &[refused]].concat());
    assert_eq!(bench.call(&["validate", "latest", "--expect-status=completed"]).status, 5);
}

/// If this fails, a failed command of Copilot is a success.
#[test]
fn exit_codes_of_copilot() {
    let line = |kind: &str, second: u32, data: Value| {
        json!({"type": kind, "id": format!("e{second}"), "parentId": null, "data": data,
            "timestamp": format!("2026-09-10T10:00:{second:02}.000Z")})
    };
    let results = [
        (json!({"content": "1 failed\n<shellId: 0 completed with exit code 1>"}), 1.0),
        (json!({"content": "bad\n<exited with exit code 2>"}), 1.0),
        (json!({"content": "bad", "contents": [{"type": "shell_exit", "exitCode": 3}]}), 1.0),
        (json!({"content": "good\n<shellId: 1 completed with exit code 0>"}), 0.0),
        (json!({"content": "what exit code 1 means"}), 0.0),
    ];
    for (result, failures) in results {
        let bench = Bench::new();
        let lines = [
            line("session.start", 0, json!({"sessionId": "c-1", "version": 1})),
            line(
                "tool.execution_start",
                1,
                json!({"toolCallId": "t", "toolName": "bash", "arguments": {}}),
            ),
            line(
                "tool.execution_complete",
                2,
                json!({"toolCallId": "t", "success": true, "result": result}),
            ),
        ];
        import(&bench, "events.jsonl", &lines);
        assert_eq!(counts(&bench, &["tool_failures"]), [failures], "{result}");
    }
}

/// If this fails, a compaction of Gemini CLI repeats prompts and answers, or what a sub-agent did is
/// the title of the session.
#[test]
fn rewritten_histories_of_gemini() {
    let said = |id: &str, kind: &str, text: &str| json!({"id": id, "timestamp": "2026-09-28T10:00:01.000Z", "type": kind, "content": [{"text": text}]});
    let head = |id: &str, kind: &str| json!({"sessionId": id, "projectHash": "f", "startTime": "2026-09-28T10:00:00.000Z", "kind": kind});
    let kept = [
        said("n1", "user", "<state_snapshot>S</state_snapshot>"),
        said("n2", "gemini", "Got it. Thanks for the additional context!"),
        said("n3", "user", "P2"),
        said("n4", "gemini", "two"),
    ];
    let lines = [
        head("g-1", "main"),
        said("u0", "user", "/help"),
        said("u1", "user", "P1"),
        said("g1", "gemini", "one"),
        said("u2", "user", "P2"),
        said("g2", "gemini", "two"),
        json!({"$set": {"messages": kept}}),
        said("u3", "user", "P3"),
        said("u5", "user", "/tmp is full"),
        said("u4", "user", "I ran the following shell command:\n```sh\nls\n```"),
    ];
    let bench = Bench::new();
    write(&bench, "chats/session-1.jsonl", jsonl(&lines));
    let agent = [
        head("a-1", "subagent"),
        said("s1", "user", "Look"),
        json!({"$set": {"summary": "LOOKED"}}),
    ];
    write(&bench, "chats/g-1/a-1.jsonl", jsonl(&agent));
    bench.ok(&["import", "chats"]);
    let shown = texts(&bench, "message.user");
    assert_eq!(shown.iter().filter(|text| text.starts_with('P')).count(), 3, "{shown:?}");
    assert_eq!(counts(&bench, &["prompts"]), [4.0]);
    assert_eq!(texts(&bench, "message.assistant"), ["one", "two"]);
    assert!(!bench.ok(&["list"]).contains("LOOKED"));
}

/// If this fails, the messages that a fork of OpenCode repeats count twice over both sessions.
#[test]
fn forks_of_opencode() {
    let bench = Bench::new();
    let session = |id: &str, prefix: &str, many: u64| {
        let time = |at: u64| json!({"created": 1_770_000_000_000_u64 + at});
        let message = |number: u64| {
            let id = format!("msg_{prefix}{number}");
            json!({"info": {"id": id, "sessionID": "x", "role": "assistant", "modelID": "m", "time": time(number),
                "cost": 1, "tokens": {"input": 100, "output": 10, "reasoning": 0, "cache": {"read": 0, "write": 0}}},
                "parts": [{"id": format!("prt_{prefix}{number}"), "messageID": format!("msg_{prefix}{number}"), "sessionID": "x", "type": "text", "text": "ok"}]})
        };
        let messages: Vec<Value> = (0..many).map(message).collect();
        json!({"info": {"id": id, "title": "t", "version": "1.3", "projectID": "p", "directory": "/p", "time": time(0)}, "messages": messages})
    };
    write(&bench, "a.json", session("ses_first", "a", 2));
    write(&bench, "b.json", session("ses_fork", "b", 3));
    bench.ok(&["import", "a.json", "b.json"]);
    assert_eq!(totals(&bench, &["input_tokens", "cost_usd"]), [300.0, 3.0]);
}

/// If this fails, each event of an exported conversation of OpenHands is a run.
#[test]
fn exported_conversations_of_openhands() {
    let bench = Bench::new();
    let event = |id: &str, source: &str, kind: &str, more: Value| {
        let mut event =
            json!({"id": id, "timestamp": "2026-09-07T10:00:00", "source": source, "kind": kind});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    let said =
        json!({"llm_message": {"role": "user", "content": [{"type": "text", "text": "review"}]}});
    let call = json!({"tool_name": "terminal", "tool_call_id": "c1", "action": {"kind": "ExecuteBashAction", "command": "ls"}});
    let seen = json!({"tool_name": "terminal", "tool_call_id": "c1", "action_id": "e2",
        "observation": {"kind": "ExecuteBashObservation", "content": [{"type": "text", "text": "a"}], "exit_code": 0}});
    let folder = "zip/conversation_a1b2c3d4e5f60718293a4b5c6d7e8f90";
    let events = [
        event("e1", "user", "MessageEvent", said),
        event("e2", "agent", "ActionEvent", call),
        event("e3", "environment", "ObservationEvent", seen),
    ];
    for (number, event) in events.iter().enumerate() {
        write(&bench, &format!("{folder}/event_{number:06}_e{number}.json"), event);
    }
    write(&bench, &format!("{folder}/meta.json"), json!({"id": "a1b2", "title": "T"}));
    let said = bench.call(&["import", "zip"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(counts(&bench, &["tool_calls", "prompts"]), [1.0, 1.0]);
}

/// If this fails, a sub-agent of a sub-agent in a trajectory is lost.
#[test]
fn agents_of_agents_in_a_trajectory() {
    let trajectory = |id: &str, inner: Value| {
        json!({"schema_version": "ATIF-v1.7", "session_id": "deep", "trajectory_id": id,
            "agent": {"name": "a", "version": "1", "model_name": id},
            "steps": [{"step_id": 1, "timestamp": "2026-09-07T10:00:00Z", "source": "agent", "message": id,
                "metrics": {"prompt_tokens": 10, "completion_tokens": 1}}],
            "subagent_trajectories": inner})
    };
    let deep =
        trajectory("one", json!([trajectory("two", json!([trajectory("three", json!([]))]))]));
    let bench = Bench::new();
    write(&bench, "trajectory.json", deep);
    bench.ok(&["import", "trajectory.json"]);
    assert_eq!(counts(&bench, &["input_tokens", "output_tokens"]), [30.0, 3.0]);
}

/// If this fails, a session counts twice because a trajectory was made from it, or its title is lost.
#[test]
fn what_lies_beside_a_session() {
    let id = "5f0c1c58-6c1e-4a4e-9e7f-000000000001";
    let bench = Bench::new();
    let mut line = claude_answer("a", json!({"input_tokens": 5, "output_tokens": 7}));
    line["sessionId"] = id.into();
    write(&bench, &format!("trial/agent/sessions/projects/p/{id}.jsonl"), jsonl(&[line]));
    let trajectory = json!({"schema_version": "ATIF-v1.6", "session_id": id,
        "agent": {"name": "claude-code", "version": "2"},
        "steps": [{"step_id": 1, "source": "agent", "message": "ok",
            "metrics": {"prompt_tokens": 5, "completion_tokens": 7}}]});
    write(&bench, "trial/agent/trajectory.json", trajectory);
    let said = bench.call(&["import", "trial"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(totals(&bench, &["input_tokens", "output_tokens"]), [5.0, 7.0]);
    // Alone, the trajectory is the session.
    let alone = Bench::new();
    fs::copy(bench.path("trial/agent/trajectory.json"), alone.path("trajectory.json")).unwrap();
    alone.ok(&["import", "trajectory.json"]);
    assert_eq!(totals(&alone, &["input_tokens"]), [5.0]);
}
