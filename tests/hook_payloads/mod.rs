//! `hook`: each event of each agent, with the fields that its published types require and with all of
//! them, is recorded with the right type, ids and data.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod gemini;

use std::fs;

use regex_lite::Regex;
use serde_json::{Value, json};

use crate::support::{Bench, json_lines};

/// An event of an agent.
struct Row {
    event: &'static str,
    /// The fields that the event always has, besides those of all events: a JSON object.
    required: &'static str,
    /// The fields that it may have.
    optional: &'static str,
    means: Means,
}

/// What is recorded.
enum Means {
    /// The whole payload.
    Kept,
    /// An event of this type with this id (a regular expression, without `/state`), state and data.
    /// The last object is what the optional fields add.
    Known(&'static str, &'static str, &'static str, &'static str, &'static str),
    /// An event of this type with this data, whose id means nothing.
    Told(&'static str, &'static str),
}

/// An event whose whole payload is kept.
const fn kept(event: &'static str, required: &'static str, optional: &'static str) -> Row {
    Row { event, required, optional, means: Means::Kept }
}

/// An event whose id means nothing.
const fn told(
    event: &'static str,
    required: &'static str,
    (kind, data): (&'static str, &'static str),
) -> Row {
    Row { event, required, optional: "{}", means: Means::Told(kind, data) }
}

/// A state of a call.
const fn call(
    event: &'static str,
    (required, optional): (&'static str, &'static str),
    (kind, id, state): (&'static str, &'static str, &'static str),
    (data, more): (&'static str, &'static str),
) -> Row {
    Row { event, required, optional, means: Means::Known(kind, id, state, data, more) }
}

/// The id of a call that has none of its own.
const BY_CONTENT: &str = r"call_[0-9a-f]{16}\.1";
/// The id of a prompt that has none of its own.
const PROMPT_BY_CONTENT: &str = r"prompt_[0-9a-f]{16}\.1";

/// An agent with what all its events have.
struct Agent {
    name: &'static str,
    /// The member that names the session.
    session: &'static str,
    /// The member that names the event; empty if the command line does.
    event: &'static str,
    /// The fields that all events have.
    required: &'static str,
    /// The fields that all events may have, and what they add to the data of calls and prompts.
    optional: &'static str,
    more: &'static str,
    /// The number of its documented events.
    events: usize,
    rows: &'static [Row],
}

/// The documented events of an agent.
pub(crate) fn documented(name: &str) -> Vec<&'static str> {
    let agents =
        [&claude_code::AGENT, &codex::AGENT, &gemini::AGENT, &copilot::AGENT, &cursor::AGENT];
    let agent = agents.into_iter().find(|agent| agent.name == name).unwrap();
    agent.rows.iter().map(|row| row.event).collect()
}

/// One object with the members of all of these.
fn merged(objects: &[&str]) -> Value {
    let mut all = serde_json::Map::new();
    for object in objects {
        let object: Value = serde_json::from_str(object).unwrap();
        all.extend(object.as_object().unwrap().clone());
    }
    Value::Object(all)
}

/// Gives each event to the hook, and compares what is recorded.
fn check(agent: &Agent) {
    let bench = Bench::new();
    fs::create_dir(bench.path("runs")).unwrap();
    let mut events: Vec<&str> = agent.rows.iter().map(|row| row.event).collect();
    events.dedup();
    assert_eq!(events.len(), agent.events, "{}", agent.name);
    for (number, row) in agent.rows.iter().enumerate() {
        for is_full in [false, true] {
            let mut parts = vec![agent.required, row.required];
            if is_full {
                parts.extend([agent.optional, row.optional]);
            }
            let mut payload = merged(&parts);
            let session = format!("s-{number}-{is_full}");
            payload[agent.session] = json!(session);
            let mut words = vec!["hook"];
            if agent.event.is_empty() {
                words.extend(["--agent", agent.name, "--event", row.event]);
            } else {
                payload[agent.event] = json!(row.event);
            }
            let said = bench.feed(&words, payload.to_string().as_bytes());
            let told = (said.status, said.out.as_str(), said.err.as_str());
            assert_eq!(told, (0, "", ""), "{payload}");
            let log = bench.path(&format!("runs/{}-{session}/events.jsonl", agent.name));
            recorded(agent, row, is_full, &payload, &json_lines(&log));
        }
    }
    bench.ok(&["validate", "--all"]);
}

/// Compares the log of a session with what the row says.
fn recorded(agent: &Agent, row: &Row, is_full: bool, payload: &Value, log: &[Value]) {
    let [created, event, rest @ ..] = log else { panic!("{payload}: {log:?}") };
    assert_eq!(created["type"], "run.created", "{payload}");
    // The end of a session ends the run. What failed is an error. The answer is in no session file,
    // because there is none.
    let may_have_more = ["sessionend", "stopfailure"].contains(&&*row.event.to_lowercase());
    let answers = ["last_assistant_message", "lastAssistantMessage", "prompt_response"];
    let answer = answers.iter().find_map(|name| payload.get(name));
    let is_answer = |more: &Value| answer.is_some_and(|text| more["data"]["text"] == *text);
    assert!(may_have_more || rest.iter().all(is_answer), "{payload}: {rest:?}");
    assert_eq!(event["session_id"], payload[agent.session], "{payload}");
    let mut expected = json!({"_runlog": {"dialect": agent.name, "recorded_by": "hook"}});
    let mut add = |object: &str| {
        expected.as_object_mut().unwrap().extend(merged(&[object]).as_object().unwrap().clone());
    };
    if is_full {
        add(agent.more);
    }
    match row.means {
        Means::Kept => {
            assert_eq!(event["type"], format!("{}.hook/{}", agent.name, row.event));
            assert_eq!(event["severity"], "debug");
            expected["payload"] = payload.clone();
            if let Some(id) = payload.get("agent_id").or(payload.get("agentId")) {
                expected["agent_id"] = id.clone();
            }
        }
        Means::Told(kind, data) => {
            add(data);
            assert_eq!(event["type"], kind);
        }
        Means::Known(kind, id, state, data, more) => {
            add(data);
            if is_full {
                add(more);
            }
            assert_eq!(event["type"], kind, "{payload}");
            let id = if is_full && id == PROMPT_BY_CONTENT && payload.get("prompt_id").is_some() {
                "p-1"
            } else {
                id
            };
            let event_id = event["event_id"].as_str().unwrap();
            let pattern = Regex::new(&format!("^({id})/{state}$")).unwrap();
            let found =
                pattern.captures(event_id).unwrap_or_else(|| panic!("{event_id}: {payload}"));
            if kind.starts_with("tool.") {
                assert_eq!(event["correlation_id"], found[1], "{payload}");
            }
        }
    }
    assert_eq!(event["data"], expected, "{payload}");
}

/// If this fails, an event of Claude Code is lost or recorded as something else.
#[test]
fn of_claude_code() {
    check(&claude_code::AGENT);
}

/// If this fails, an event of Codex is lost or recorded as something else.
#[test]
fn of_codex() {
    check(&codex::AGENT);
}

/// If this fails, an event of Gemini CLI is lost or recorded as something else.
#[test]
fn of_gemini_cli() {
    check(&gemini::AGENT);
}

/// If this fails, an event of Copilot CLI is lost or recorded as something else.
#[test]
fn of_copilot_cli() {
    check(&copilot::AGENT);
}

/// If this fails, an event of Cursor is lost or recorded as something else.
#[test]
fn of_cursor() {
    check(&cursor::AGENT);
}
