//! `--from opencode`, on small sessions made for these tests.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use serde_json::{Value, json};

use crate::support::Bench;

fn import(bench: &Bench, lines: &[Value]) -> Value {
    let call = ["emit", "--run", "r", "--stdin", "--from", "opencode", "--receipt", "got.json"];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let said = bench.feed(&call, input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_slice(&std::fs::read(bench.path("got.json")).unwrap()).unwrap()
}

const START: u64 = 1_770_000_000_000;

fn session(id: &str, parent: Option<&str>) -> Value {
    json!({"id": id, "version": "1.2", "projectID": "p", "directory": "/sea", "parentID": parent,
        "title": "Sailing", "time": {"created": START}})
}

fn message(id: &str, session: &str, role: &str, more: Value) -> Value {
    let mut message = json!({"id": id, "sessionID": session, "role": role, "time": {"created": START},
        "modelID": "m"});
    message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    message
}

fn part(id: &str, message: &str, kind: &str, more: Value) -> Value {
    let mut part = json!({"id": id, "messageID": message, "type": kind});
    part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    part
}

fn tool(id: &str, message: &str, state: Value) -> Value {
    part(
        id,
        message,
        "tool",
        json!({"callID": format!("call-{id}"), "tool": "bash", "state": state}),
    )
}

/// If this fails, a part of a session is lost, or a model call is counted twice.
#[test]
fn a_session() {
    let bench = Bench::with_run();
    let time = json!({"start": START + 1000, "end": START + 1250});
    let lines = [
        session("s", None),
        message("u", "s", "user", json!({})),
        part("p1", "u", "text", json!({"text": "Sail"})),
        part("p2", "u", "text", json!({"text": "A reminder", "synthetic": true})),
        message(
            "a",
            "s",
            "assistant",
            json!({"cost": 0.75,
            "tokens": {"input": 20, "output": 2, "cache": {"read": 5, "write": 1}}}),
        ),
        part("p3", "a", "reasoning", json!({"text": "Hm."})),
        part("p4", "a", "text", json!({"text": "I sail."})),
        tool(
            "p5",
            "a",
            json!({"status": "completed", "input": {"command": "sail"}, "output": "calm",
            "metadata": {"exit": 0}, "time": time}),
        ),
        part("p6", "a", "step-finish", json!({"tokens": {"input": 10, "output": 1}, "cost": 0.25})),
        tool(
            "p7",
            "a",
            json!({"status": "completed", "input": {}, "output": "sunk",
            "metadata": {"exit": 3}}),
        ),
        tool(
            "p8",
            "a",
            json!({"status": "error", "input": {},
            "error": "The user rejected permission to use this tool"}),
        ),
        tool("p9", "a", json!({"status": "running", "input": {}})),
        part("p10", "a", "step-finish", json!({"tokens": {"input": 20, "output": 2}, "cost": 0.5})),
        part("p11", "a", "patch", json!({"files": ["/sea/log"]})),
        part("p12", "a", "compaction", json!({"auto": true})),
        message(
            "b",
            "s",
            "assistant",
            json!({"error": {"name": "MessageAbortedError",
            "data": {"message": "stopped"}}}),
        ),
        message("c", "s", "assistant", json!({"tokens": {"input": 4, "output": 1}})),
    ];
    let receipt = import(&bench, &lines);
    let found: Vec<(String, String)> = bench
        .lines()
        .iter()
        .skip(1)
        .map(|line| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&line["type"]), text(&line["correlation_id"]))
        })
        .collect();
    let expected = [
        ("config.loaded", ""),
        ("config.loaded", ""),
        ("message.user", ""),
        ("message.system", ""),
        ("llm.usage", ""),
        ("message.reasoning", ""),
        ("message.assistant", ""),
        ("tool.started", "call-p5"),
        ("tool.completed", "call-p5"),
        ("llm.usage", ""),
        ("tool.started", "call-p7"),
        ("tool.failed", "call-p7"),
        ("tool.started", "call-p8"),
        ("tool.blocked", "call-p8"),
        ("tool.started", "call-p9"),
        ("llm.usage", ""),
        ("file.written", ""),
        ("note", ""),
        ("user.interrupted", ""),
        ("llm.usage", ""),
    ];
    let found: Vec<(&str, &str)> =
        found.iter().map(|(kind, call)| (kind.as_str(), call.as_str())).collect();
    assert_eq!(found, expected);
    let lines = bench.lines();
    assert_eq!(lines[9]["data"]["duration_ms"], 250);
    // Each end has its own time.
    assert_eq!(lines[8]["timestamp"], "2026-02-02T02:40:01.000Z");
    assert_eq!(lines[9]["timestamp"], "2026-02-02T02:40:01.250Z");
    assert_eq!(lines[12]["data"]["exit_code"], 3);
    assert_eq!((&receipt["calls"], &receipt["failures"]), (&json!(4), &json!(1)));
    assert_eq!((&receipt["prompts"], &receipt["opaque"]), (&json!(1), &json!(0)));
    // Two steps of one message, and a message without steps.
    assert_eq!(receipt["usage"]["input_tokens"], 34);
    assert_eq!(receipt["usage"]["output_tokens"], 4);
    assert_eq!(receipt["usage"]["cost_usd"], 0.75);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, the work of a spawned agent seems to be that of the session itself.
#[test]
fn a_session_with_a_parent_is_a_spawned_agent() {
    let bench = Bench::with_run();
    import(
        &bench,
        &[
            session("s", None),
            message("a", "s", "assistant", json!({})),
            tool(
                "p1",
                "a",
                json!({"status": "completed", "input": {}, "output": "done",
                "metadata": {"sessionId": "child"}}),
            ),
            session("child", Some("s")),
            message("b", "child", "assistant", json!({})),
            part("p2", "b", "text", json!({"text": "Aye."})),
        ],
    );
    let lines = bench.lines();
    let find = |kind: &str| lines.iter().find(|line| line["type"] == kind).unwrap()["data"].clone();
    assert_eq!(find("tool.completed")["spawned_agent_id"], "child");
    let said = find("message.assistant");
    assert_eq!((&said["agent_id"], &said["spawned_by"]), (&json!("child"), &json!("call-p1")));
}

/// If this fails, tokens spent on reasoning are in no total, or count twice.
#[test]
fn reasoning_tokens_are_output() {
    for (tokens, output) in [
        (
            json!({"total": 2110, "input": 100, "output": 10, "reasoning": 1000,
            "cache": {"read": 1000, "write": 0}}),
            1010,
        ),
        // An older version: the output has the reasoning.
        (json!({"input": 100, "output": 1010, "reasoning": 1000}), 1010),
        (json!({"total": 1110, "input": 100, "output": 1010, "reasoning": 1000}), 1010),
    ] {
        let bench = Bench::with_run();
        let step = part("p1", "a", "step-finish", json!({"tokens": tokens, "cost": 0.5}));
        import(&bench, &[session("s", None), message("a", "s", "assistant", json!({})), step]);
        let lines = bench.lines();
        let usage = lines.iter().find(|line| line["type"] == "llm.usage").unwrap();
        assert_eq!(usage["data"]["output_tokens"], output, "{tokens}");
    }
}
