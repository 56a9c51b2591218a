//! Imports of small logs of agents.

use std::fs;

use serde_json::{Value, json};

use super::{Bench, fixture};

/// A line of a session: what is asked.
pub(crate) const ASKED: &str =
    r#"{"type":"user","session_id":"s","uuid":"u1","message":{"role":"user","content":"go"}}"#;
/// Its good end.
pub(crate) const WELL: &str = r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","uuid":"r1","result":"done"}"#;
/// Its bad end.
pub(crate) const BADLY: &str =
    r#"{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"s","uuid":"r2"}"#;
/// What is asked after its end.
pub(crate) const MORE: &str = r#"{"type":"user","session_id":"s","uuid":"u2","message":{"role":"user","content":"and this"}}"#;

/// Members of `data` that every imported event has.
const SHARED: &[&str] = &["_runlog", "source", "source_text", "source_ref"];

impl Bench {
    /// Imports a log into the run `r`, which must stay sound, and returns the receipt.
    pub(crate) fn import_from(&self, dialect: &str, input: &str) -> Value {
        let args =
            ["emit", "--run", "r", "--stdin", "--from", dialect, "--receipt", "receipt.json"];
        let said = self.feed(&args, input.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        assert_eq!(self.call(&["validate", "r"]).status, 0);
        serde_json::from_slice(&fs::read(self.path("receipt.json")).unwrap()).unwrap()
    }

    /// The imported events: type, correlation id and own data of each.
    pub(crate) fn mapped_events(&self) -> Vec<Value> {
        let own = |mut line: Value| {
            let mut data = line["data"].take();
            data.as_object_mut().unwrap().retain(|name, _| !SHARED.contains(&name.as_str()));
            json!([line["type"], line["correlation_id"], data])
        };
        self.lines().into_iter().skip(1).map(own).collect()
    }
}

/// A document with its members in that order, one per line.
pub(crate) fn document(value: &Value, order: &[&str]) -> String {
    let members = value.as_object().unwrap();
    assert_eq!(members.len(), order.iter().filter(|name| members.contains_key(**name)).count());
    let member = |name: &&str| Some(format!("{}: {}", json!(name), members.get(*name)?));
    format!("{{\n{}\n}}\n", order.iter().filter_map(member).collect::<Vec<_>>().join(",\n"))
}

/// The lines as JSONL.
pub(crate) fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Run `r` with these lines (type, timestamp, data, perhaps a call), as another log has them.
pub(crate) fn log_of(lines: impl IntoIterator<Item = Value>) -> Bench {
    let created = json!({"type": "run.created", "timestamp": "2026-01-01T00:00:00Z", "data": {}});
    let whole = |(at, mut line): (usize, Value)| {
        let ids = json!({"schema_version": 1, "event_id": format!("e{at}"), "run_id": "r",
            "session_id": "s", "sequence": at + 1});
        line.as_object_mut().unwrap().extend(ids.as_object().unwrap().clone());
        line
    };
    let lines: Vec<Value> = [created].into_iter().chain(lines).enumerate().map(whole).collect();
    let bench = Bench::new();
    let args = ["emit", "--stdin", "--create", "--run", "r", "--from", "runlog"];
    let said = bench.feed(&args, jsonl(&lines).as_bytes());
    assert_eq!((said.status, said.err.contains("rejected: ")), (0, false), "{}", said.err);
    bench
}

/// All source lines of a run, as `zstdcat` prints them.
pub(crate) fn source_lines(bench: &Bench, run: &str) -> String {
    let bytes = fs::read(bench.path(&format!("runs/{run}/source.jsonl.zst"))).unwrap();
    String::from_utf8(zstd::decode_all(&*bytes).unwrap()).unwrap()
}

/// The payload of an event, without the place of its source line.
pub(crate) fn without_place(event: &Value) -> Value {
    let mut data = event["data"].clone();
    if let Some(own) = data["_runlog"].as_object_mut() {
        own.remove("source");
    }
    data
}

/// The events of a run.
pub(crate) fn events(bench: &Bench, run: &str) -> Vec<Value> {
    let log = fs::read_to_string(bench.path(&format!("runs/{run}/events.jsonl"))).unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The ids, types and data of the imported events, in order.
pub(crate) fn imported(bench: &Bench, run: &str) -> Vec<(Value, Value, Value)> {
    let of_source = |event: &Value| event["data"]["_runlog"].get("dialect").is_some();
    let facts =
        |event: &Value| (event["event_id"].clone(), event["type"].clone(), without_place(event));
    events(bench, run).iter().filter(|event| of_source(event)).map(facts).collect()
}

/// The fixture's session as a file, in a directory that keeps runs.
pub(crate) fn session(bench: &Bench, name: &str) {
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path(name), fixture("agent-session.jsonl")).unwrap();
}

/// The status of the only run, the type of its last event, and the exit status of `validate`.
pub(crate) fn ended(bench: &Bench, lines: &[&str]) -> (String, String, i32) {
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), lines.join("\n") + "\n").unwrap();
    let done = bench.json(&["import", "s.jsonl"]);
    let run = done["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let state = fs::read_to_string(bench.path(&format!("runs/{run}/run.json"))).unwrap();
    let state: Value = serde_json::from_str(&state).unwrap();
    let last = events(bench, &run).last().unwrap()["type"].as_str().unwrap().to_owned();
    let verdict =
        bench.call(&["validate", &run, "--strict", "--expect-status", "completed,imported"]);
    (state["status"].as_str().unwrap().to_owned(), last, verdict.status)
}
