//! Imports of small logs of agents.

use serde_json::{Value, json};

use super::Bench;

/// Members of `data` that every imported event has.
const SHARED: &[&str] = &["dialect", "source", "source_text", "source_ref", "time_origin"];

impl Bench {
    /// Imports a log into the run `r`, which must stay sound, and returns the receipt.
    pub(crate) fn import_from(&self, dialect: &str, input: &str) -> Value {
        let args =
            ["emit", "--run", "r", "--stdin", "--from", dialect, "--receipt", "receipt.json"];
        let said = self.feed(&args, input.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        assert_eq!(self.call(&["validate", "r"]).status, 0);
        serde_json::from_slice(&std::fs::read(self.path("receipt.json")).unwrap()).unwrap()
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
