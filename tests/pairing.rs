//! Which result belongs to which call, where the ids of calls repeat: some servers number the calls of each
//! conversation, or of each response.

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::{events, jsonl};

/// The calls in the log: what was asked, in which agent, and the results.
fn calls(dialect: &str, lines: &[Value]) -> Vec<(String, String, Vec<String>)> {
    let bench = Bench::new();
    std::fs::write(bench.path("s.jsonl"), jsonl(lines)).unwrap();
    bench.ok(&["import", "--from", dialect, "--run", "r", "s.jsonl"]);
    let mut calls: Vec<(Value, String, String, Vec<String>)> = Vec::new();
    for event in events(&bench, "r") {
        let (id, data) = (event["correlation_id"].clone(), &event["data"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap() {
            "tool.started" => {
                let asked = data["args"].as_object().unwrap().values().next().unwrap();
                calls.push((id, text(asked), text(&data["agent_id"]), Vec::new()));
            }
            "tool.completed" | "tool.failed" => {
                let result =
                    format!("{}{}", text(&data["result"]), text(&data["error"]["message"]));
                match calls.iter_mut().find(|(known, ..)| *known == id) {
                    Some((.., results)) => results.push(result),
                    None => calls.push((id, "no start".into(), String::new(), vec![result])),
                }
            }
            _ => {}
        }
    }
    calls.into_iter().map(|(_, asked, agent, results)| (asked, agent, results)).collect()
}

fn expected(calls: &[(&str, &str, &[&str])]) -> Vec<(String, String, Vec<String>)> {
    let own = |results: &[&str]| results.iter().map(|result| (*result).to_owned()).collect();
    calls.iter().map(|(asked, agent, all)| ((*asked).into(), (*agent).into(), own(all))).collect()
}

/// A line of Claude Code: a message of that role with these parts, of an agent if one is named.
fn claude(at: usize, id: &str, agent: &str, parts: &Value) -> Value {
    let role = if id.is_empty() { "user" } else { "assistant" };
    let mut line = json!({"type": role, "uuid": format!("u{at}"), "sessionId": "s", "version": "2.0.0",
        "timestamp": format!("2026-01-01T00:00:{at:02}.000Z"), "message": {"role": role, "content": parts}});
    if !id.is_empty() {
        line["message"]["id"] = id.into();
    }
    if !agent.is_empty() {
        line["isSidechain"] = true.into();
        line["agentId"] = agent.into();
    }
    line
}

fn asks(id: &str, command: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}})
}

fn answers(id: &str, text: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": text})
}

/// If this fails, a call with the id of another one is lost, or a result goes to another call.
#[test]
fn calls_of_claude_code_with_one_id() {
    let both = |a: Value, b: Value| json!([a, b]);
    // Two sub-agents work at the same time, and their server numbers the calls of each conversation.
    let lines = [
        claude(1, "", "", &json!("go")),
        claude(2, "m1", "A", &json!([asks("c:0", "a")])),
        claude(3, "m2", "B", &json!([asks("c:0", "b")])),
        claude(4, "", "A", &json!([answers("c:0", "RA")])),
        claude(5, "", "B", &json!([answers("c:0", "RB")])),
    ];
    let found = calls("claude-code", &lines);
    assert_eq!(found, expected(&[("a", "A", &["RA"]), ("b", "B", &["RB"])]));
    // A restart of the client ends a call, and the result follows.
    let lines = [
        claude(1, "m1", "", &json!([asks("c", "a")])),
        claude(2, "", "", &json!([answers("c", "restarted")])),
        claude(3, "", "", &json!([answers("c", "RA")])),
    ];
    assert_eq!(calls("claude-code", &lines), expected(&[("a", "", &["restarted", "RA"])]));
    // The same call again, after the first one was interrupted.
    let lines = [
        claude(1, "m1", "", &json!([asks("c", "a")])),
        claude(2, "", "", &json!("[Request interrupted by user]")),
        claude(3, "m2", "", &json!([asks("c", "a")])),
        claude(4, "", "", &json!([answers("c", "RA")])),
    ];
    assert_eq!(calls("claude-code", &lines), expected(&[("a", "", &[]), ("a", "", &["RA"])]));
    // Two calls of one response.
    let lines = [
        claude(1, "m1", "", &both(asks("c", "a"), asks("c", "b"))),
        claude(2, "", "", &both(answers("c", "RA"), answers("c", "RB"))),
    ];
    assert_eq!(calls("claude-code", &lines), expected(&[("a", "", &["RA"]), ("b", "", &["RB"])]));
    // The log begins after the first call.
    let lines = [
        claude(1, "", "", &json!([answers("c", "R0")])),
        claude(2, "m2", "", &json!([asks("c", "b")])),
        claude(3, "", "", &json!([answers("c", "RB")])),
    ];
    let found = calls("claude-code", &lines);
    assert_eq!(found, expected(&[("no start", "", &["R0"]), ("b", "", &["RB"])]));
}

/// If this fails, a command that was interrupted seems to have run.
#[test]
fn an_interrupted_call_of_codex_and_the_next_one() {
    let line = |at: usize, kind: &str, payload: Value| json!({"timestamp": format!("2026-01-01T00:00:{at:02}Z"), "type": kind, "payload": payload});
    let call = |command: &str| {
        json!({"type": "function_call", "name": "exec", "call_id": "f:0",
            "arguments": format!("{{\"cmd\":\"{command}\"}}")})
    };
    let lines = [
        line(0, "session_meta", json!({"id": "t", "cwd": "/w", "cli_version": "0.110.0"})),
        line(1, "response_item", call("rm")),
        line(2, "event_msg", json!({"type": "turn_aborted", "reason": "interrupted"})),
        line(3, "event_msg", json!({"type": "user_message", "message": "no"})),
        line(4, "response_item", call("ls")),
        line(
            5,
            "response_item",
            json!({"type": "function_call_output", "call_id": "f:0", "output": "src"}),
        ),
    ];
    assert_eq!(calls("codex", &lines), expected(&[("rm", "", &[]), ("ls", "", &["src"])]));
}

/// If this fails, an observation that names its action ends another one.
#[test]
fn observations_of_openhands_name_their_actions() {
    let action = |at: usize, command: &str| {
        json!({"id": format!("e{at}"), "timestamp": format!("2026-01-01T00:00:{at:02}"), "source": "agent",
            "kind": "ActionEvent", "thought": [], "tool_name": "bash", "tool_call_id": "c0",
            "action": {"kind": "ExecuteBashAction", "command": command}})
    };
    let seen = |at: usize, of: &str, text: &str| {
        json!({"id": format!("e{at}"), "timestamp": format!("2026-01-01T00:00:{at:02}"),
            "source": "environment", "kind": "ObservationEvent", "tool_name": "bash", "tool_call_id": "c0",
            "action_id": of, "observation": {"kind": "ExecuteBashObservation", "content": text}})
    };
    for order in [["e1", "e2"], ["e2", "e1"]] {
        let [first, second] = order.map(|of| if of == "e1" { "RA" } else { "RB" });
        let lines =
            [action(1, "a"), action(2, "b"), seen(3, order[0], first), seen(4, order[1], second)];
        assert_eq!(calls("openhands", &lines), expected(&[("a", "", &["RA"]), ("b", "", &["RB"])]));
    }
}
