//! Real sessions, if they are available beside the checkout, counted in another way.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::imports::source_lines;
use crate::support::{Bench, shared};

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

/// A token count: its name in the source, and in `run.json`.
const TOKENS: [(&str, &str); 4] = [
    ("input_tokens", "input_tokens"),
    ("output_tokens", "output_tokens"),
    ("cache_read_input_tokens", "cache_read_tokens"),
    ("cache_creation_input_tokens", "cache_creation_tokens"),
];

/// Calls, failures and tokens, counted directly from the source.
fn counted(lines: &[Value]) -> (u64, u64, [u64; 4]) {
    let real = |id: &Value| {
        id.as_str().filter(|id| !id.is_empty() && !id.starts_with('[')).map(str::to_owned)
    };
    let mut calls = HashSet::new();
    let mut failures = 0;
    let mut usage: HashMap<String, [u64; 4]> = HashMap::new();
    for (number, line) in lines.iter().enumerate() {
        let message = &line["message"];
        if line["type"] == "tool_use" {
            calls.insert(format!("line {number}"));
        }
        for block in message["content"].as_array().unwrap_or(&Vec::new()) {
            if block["type"] == "tool_use" {
                calls.insert(real(&block["id"]).unwrap_or_else(|| format!("line {number}")));
            }
            failures += u64::from(block["type"] == "tool_result" && block["is_error"] == true);
        }
        if line["type"] == "assistant" && message["usage"].is_object() {
            let id = real(&message["id"]).unwrap_or_else(|| format!("line {number}"));
            usage.insert(id, TOKENS.map(|(name, _)| message["usage"][name].as_u64().unwrap_or(0)));
        }
    }
    let sums = [0, 1, 2, 3].map(|at| usage.values().map(|usage| usage[at]).sum());
    (calls.len() as u64, failures, sums)
}

/// If this fails, importing and validating a real session loses something.
#[test]
fn claude_code_sessions() {
    let Some(traces) = shared("traces") else { return };
    let mut sessions = Vec::new();
    for folder in
        ["agentcmd/claude/full", "agent-sessions/agents/claude", "inspect-scout/claude_code_source"]
    {
        files(&traces.join(folder), &mut sessions);
    }
    assert!(sessions.len() >= 20);
    for session in sessions {
        let name = session.display();
        let bench = Bench::with_run();
        let input = fs::read(&session).unwrap();
        let text = String::from_utf8(input.clone()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| serde_json::from_str(l).unwrap())
            .collect();
        let said = bench.feed(
            &[
                "emit",
                "--run",
                "r",
                "--stdin",
                "--from",
                "claude-code",
                "--receipt",
                "receipt.json",
            ],
            &input,
        );
        assert_eq!(said.status, 0, "{name}: {}", said.err);
        bench.emit(&["run.completed"]);
        bench.ok(&["summarize", "r"]);
        let index = bench.json(&["chapter", "index", "r"]);
        let last = index["tasks"].as_array().unwrap().len().to_string();
        bench.ok(&[
            "chapter",
            "add",
            "r",
            "--start",
            "1",
            "--end",
            &last,
            "--name",
            "All",
            "--message",
            "M",
        ]);
        bench.ok(&["transcript", "r"]);
        let verdict = bench.call(&["validate", "r"]);
        assert_eq!(verdict.status, 0, "{name}: {}", verdict.out);

        let receipt: Value =
            serde_json::from_slice(&fs::read(bench.path("receipt.json")).unwrap()).unwrap();
        let state: Value = bench.state("r");
        let (calls, failures, tokens) = counted(&lines);
        let counts = &state["counts"];
        assert_eq!(counts["tool_calls"], calls, "{name}");
        assert_eq!(counts["tool_failures"], failures, "{name}");
        for ((_, name), expected) in TOKENS.iter().zip(tokens) {
            assert_eq!(
                counts[name].as_u64().unwrap_or(0),
                expected,
                "{}: {name}",
                session.display()
            );
        }
        assert_eq!(receipt["calls"], calls, "{name}");
        assert_eq!(receipt["lines"], lines.len(), "{name}");
        let kept: Vec<Value> = source_lines(&bench, "r")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(kept.len(), lines.len(), "{name}");
        assert!(kept == lines, "{name}: a source line was not kept whole");
    }
}
