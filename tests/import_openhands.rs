//! `--from openhands`, on small sessions made for these tests.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use serde_json::{Value, json};

use crate::support::{Bench, document, jsonl};

fn import(bench: &Bench, input: &str) -> Value {
    let call = ["emit", "--run", "r", "--stdin", "--from", "openhands", "--receipt", "got.json"];
    let said = bench.feed(&call, input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_slice(&std::fs::read(bench.path("got.json")).unwrap()).unwrap()
}

/// Type, call and a telling field of each event.
fn told(bench: &Bench) -> Vec<(String, String, Value)> {
    let names = ["text", "result", "error", "reason", "args", "input_tokens", "model"];
    let told = |line: &Value| {
        let name = names.iter().find(|name| !line["data"][**name].is_null());
        let value = name.map_or(Value::Null, |name| line["data"][*name].clone());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        (text(&line["type"]), text(&line["correlation_id"]), value)
    };
    bench.lines().iter().skip(1).map(told).collect()
}

fn event(kind: &str, call: &str, value: Value) -> (String, String, Value) {
    (kind.to_owned(), call.to_owned(), value)
}

fn used(input: u64, output: u64) -> Value {
    json!({"accumulated_cost": 0.0, "accumulated_token_usage": {"model": "m",
        "prompt_tokens": input, "completion_tokens": output, "cache_read_tokens": 0}})
}

fn action(id: u64, call: &str, name: &str, args: Value, input: u64) -> Value {
    json!({"id": id, "timestamp": "2026-02-01T10:00:01.5", "source": "agent", "action": name,
        "args": args, "llm_metrics": used(input, input / 10),
        "tool_call_metadata": {"function_name": format!("do_{name}"), "tool_call_id": call,
            "model_response": {"id": format!("resp-{input}"), "model": "m"}}})
}

fn run_of(name: &str) -> String {
    const ORDER: &[&str] = &["instance_id", "metadata", "history", "metrics", "error"];
    let run = json!({"instance_id": name, "metadata": {"llm_config": {"model": "m"}}, "history": [
        {"id": 0, "timestamp": "2026-02-01T10:00:00", "source": "user", "action": "message",
            "args": {"content": "Count the boats"}},
        {"id": 1, "source": "user", "action": "recall", "args": {"query": "Count the boats"}},
        {"id": 2, "source": "environment", "cause": 1, "observation": "recall", "content": "Added",
            "extras": {"microagent_knowledge": [{"content": "Boats float."}]}},
        action(3, "c1", "run", json!({"command": "ls", "thought": "I look.", "hidden": false}), 100),
        {"id": 4, "source": "agent", "cause": 3, "observation": "run", "content": "none",
            "success": false, "extras": {"metadata": {"exit_code": 2}}},
        action(5, "c2", "edit", json!({"path": "/a", "thought": ""}), 250),
        {"id": 6, "source": "agent", "cause": 5, "observation": "edit", "content": "ERROR:\nno such text"},
        action(7, "c3", "finish", json!({"final_thought": "Three boats."}), 260),
    ], "metrics": used(300, 30), "error": "out of steps"});
    document(&run, ORDER).replace('\n', " ").replace("resp-", &format!("resp-{name}-"))
}

/// If this fails, a run of V0 loses a call, an outcome, a text or tokens, or counts cumulative
/// tokens more than once.
#[test]
fn a_v0_run() {
    let bench = Bench::with_run();
    let receipt = import(&bench, &format!("{}\n", run_of("boats")));
    let expected = [
        event("config.loaded", "", "m".into()),
        event("message.user", "", "Count the boats".into()),
        event("openhands.action/recall", "", Value::Null),
        event("message.system", "", "Added\n\nBoats float.".into()),
        event("message.assistant", "", "I look.".into()),
        event("tool.started", "c1", json!({"command": "ls"})),
        event("llm.usage", "", 100.into()),
        event("tool.failed", "c1", json!({"message": "none"})),
        event("tool.started", "c2", json!({"path": "/a"})),
        event("llm.usage", "", 150.into()),
        event("tool.failed", "c2", json!({"message": "ERROR:\nno such text"})),
        event("tool.started", "c3", json!({"final_thought": "Three boats."})),
        event("tool.completed", "c3", "Three boats.".into()),
        event("llm.usage", "", 10.into()),
        event("llm.usage", "", 40.into()),
    ];
    let found = told(&bench);
    assert_eq!(found[..expected.len()], expected);
    assert_eq!(found.last().unwrap().0, "error");
    assert_eq!((&receipt["calls"], &receipt["failures"]), (&json!(3), &json!(2)));
    assert_eq!(receipt["prompts"], 1);
    assert_eq!(receipt["usage"]["input_tokens"], 300);
    assert_eq!(receipt["usage"]["output_tokens"], 30);
    assert_eq!(receipt["usage"]["cost_usd"], Value::Null);
    let lines = bench.lines();
    assert_eq!(lines[2]["session_id"], "boats");
    assert_eq!(lines[2]["timestamp"], "2026-02-01T10:00:00.000Z");
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, the runs of one file share their calls or their cumulative tokens.
#[test]
fn runs_of_one_file_are_separate() {
    let bench = Bench::with_run();
    let receipt = import(&bench, &format!("{}\n{}\n", run_of("boats"), run_of("ships")));
    assert_eq!((&receipt["calls"], &receipt["prompts"]), (&json!(6), &json!(2)));
    assert_eq!(receipt["usage"]["input_tokens"], 600);
}

/// If this fails, a call whose start the log does not have is shown without its command.
#[test]
fn v1_end_without_a_start() {
    let end = |call: &str| {
        json!({"id": format!("o-{call}"), "source": "environment", "kind": "ObservationEvent",
            "tool_name": "terminal", "timestamp": "2026-02-01T10:00:03", "tool_call_id": call,
            "observation": {"command": "sail home", "content": [{"type": "text", "text": "calm"}]}})
    };
    let start = json!({"id": "a", "source": "agent", "kind": "ActionEvent", "tool_call_id": "c1",
        "timestamp": "2026-02-01T10:00:02", "action": {"command": "sail"}, "tool_name": "terminal"});
    let bench = Bench::with_run();
    let input: String =
        [start, end("c1"), end("c2")].iter().map(|line| format!("{line}\n")).collect();
    import(&bench, &input);
    let log = std::fs::read_to_string(bench.path("runs/r/events.jsonl")).unwrap();
    assert_eq!(log.matches(r#""command":"sail home","_runlog""#).count(), 1, "{log}");
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("terminal: sail home"), "{text}");
}

/// If this fails, a V1 event is lost, or reasoning that the source holds twice is shown twice.
#[test]
fn v1_events() {
    let stats = |input: u64| {
        json!({"id": format!("s{input}"), "timestamp": "2026-02-01T10:00:00", "source": "environment",
            "kind": "ConversationStateUpdateEvent", "key": "stats",
            "value": {"usage_to_metrics": {"default": {"model_name": "m",
                "accumulated_token_usage": {"prompt_tokens": input, "completion_tokens": 1,
                    "cache_read_tokens": input / 2}}}}})
    };
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    let lines = [
        json!({"id": "a", "timestamp": "2026-02-01T10:00:00", "source": "user", "kind": "MessageEvent",
            "llm_message": {"role": "user", "content": text("Sail")}, "extended_content": text("Wind")}),
        stats(100),
        stats(100),
        json!({"id": "b", "source": "agent", "kind": "ActionEvent", "timestamp": "2026-02-01T10:00:02",
            "thought": text("<think>Hm.</think>\n\nI sail."), "reasoning_content": "Hm.",
            "action": {"kind": "TerminalAction", "command": "sail", "timeout": null},
            "tool_name": "terminal", "tool_call_id": "c1"}),
        json!({"id": "c", "source": "environment", "kind": "ObservationEvent", "tool_name": "terminal",
            "timestamp": "2026-02-01T10:00:03", "tool_call_id": "c1", "action_id": "b",
            "observation": {"content": text("calm"), "is_error": false, "metadata": {"exit_code": -1}}}),
        json!({"id": "d", "source": "agent", "kind": "ActionEvent", "timestamp": "2026-02-01T10:00:04",
            "thought": [], "action": {"command": "sink"}, "tool_name": "terminal", "tool_call_id": ""}),
        json!({"id": "e", "source": "user", "kind": "UserRejectObservation", "tool_name": "terminal",
            "timestamp": "2026-02-01T10:00:05", "tool_call_id": "", "action_id": "d",
            "rejection_reason": "no"}),
        stats(40),
        json!({"id": "f", "source": "user", "kind": "PauseEvent", "timestamp": "2026-02-01T10:00:06"}),
    ];
    let bench = Bench::with_run();
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let receipt = import(&bench, &input);
    let expected = [
        event("message.user", "", "Sail".into()),
        event("message.system", "", "Wind".into()),
        event("llm.usage", "", 50.into()),
        event("message.reasoning", "", "Hm.".into()),
        event("message.assistant", "", "I sail.".into()),
        event("tool.started", "c1", json!({"command": "sail"})),
        event("tool.completed", "c1", "calm".into()),
        event("tool.started", "d", json!({"command": "sink"})),
        event("tool.blocked", "d", "no".into()),
        // Lower figures begin anew.
        event("llm.usage", "", 20.into()),
        event("user.interrupted", "", Value::Null),
    ];
    assert_eq!(told(&bench), expected);
    assert_eq!(receipt["usage"]["input_tokens"], 70);
    assert_eq!(receipt["usage"]["cache_read_tokens"], 70);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, a run that the source says failed, or that its agent gave up, passes the gate.
#[test]
fn how_a_v0_run_ended() {
    let end_of = |done: &str, error: Value, order: [&str; 5]| {
        let bench = Bench::new();
        std::fs::create_dir(bench.path("runs")).unwrap();
        let finish = json!({"final_thought": "Boats.", "task_completed": done});
        let run = json!({"instance_id": "boats", "test_result": {}, "history": [
            {"id": 0, "timestamp": "2026-02-01T10:00:00", "source": "user", "action": "message",
                "args": {"content": "Count the boats"}},
            action(1, "c1", "finish", finish, 10),
        ], "metrics": used(10, 1), "error": error});
        std::fs::write(bench.path("o.jsonl"), document(&run, &order).replace('\n', " ")).unwrap();
        bench.ok(&["import", "o.jsonl"]);
        let state = bench.json(&["list"]);
        let status = state["runs"][0]["status"].as_str().unwrap().to_owned();
        let strict = ["validate", "--expect-status", "completed,imported"];
        (status, bench.call(&strict).status)
    };
    let order = ["instance_id", "test_result", "history", "metrics", "error"];
    let end = |done: &str, error: &str| end_of(done, error.into(), order);
    let told = |status: &str, exit| (status.to_owned(), exit);
    let error_first = ["error", "history", "instance_id", "metrics", "test_result"];
    assert_eq!(end_of("true", "out of steps".into(), error_first), told("failed", 5));
    assert_eq!(end_of("true", json!({"code": "LLM"}), order), told("failed", 5));
    assert_eq!(end("true", ""), told("completed", 0));
    assert_eq!(end("partial", ""), told("incomplete", 5));
    assert_eq!(end("false", ""), told("incomplete", 5));
    assert_eq!(end("unsure", ""), told("imported", 0));
    assert_eq!(end("true", "out of steps"), told("failed", 5));
    assert_eq!(end("unsure", "out of steps"), told("failed", 5));
}

/// If this fails, a file that the agent only looked at is listed as edited.
#[test]
fn a_view_by_the_editor_is_no_edit() {
    let bench = Bench::with_run();
    let by_editor = |id: u64, name: &str, args: Value| {
        let mut action = action(id, &format!("c{id}"), name, args, 10 * id);
        action["tool_call_metadata"]["function_name"] = "str_replace_editor".into();
        let done = json!({"id": id + 1, "source": "agent", "cause": id, "observation": name,
            "content": "done"});
        [action, done]
    };
    let edit = json!({"path": "/a", "command": "str_replace", "old_str": "x", "new_str": "y"});
    let lines: Vec<Value> = [
        by_editor(1, "read", json!({"path": "/a", "view_range": [1, 5]})),
        by_editor(3, "edit", edit),
        by_editor(5, "read", json!({"path": "/b"})),
    ]
    .concat();
    import(&bench, &jsonl(&lines));
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    assert!(text.contains("/a: edited\n") && !text.contains("/b: edited"), "{text}");
    assert!(text.contains("view /a") && text.contains("view /b"), "{text}");
}
