//! Chapters proposed without a model.

use serde_json::{Value, json};

use crate::support::Bench;

struct Script {
    lines: String,
    minute: u64,
    calls: u64,
}

impl Script {
    fn new() -> Self {
        Self { lines: String::new(), minute: 0, calls: 0 }
    }

    fn event(&mut self, kind: &str, id: Option<String>, data: &Value) {
        self.minute += 1;
        let (hour, minute) = (self.minute / 60, self.minute % 60);
        let time = format!("2026-01-01T{hour:02}:{minute:02}:00Z");
        let mut line = json!({"type": kind, "timestamp": time, "data": data});
        if let Some(id) = id {
            line["correlation_id"] = id.into();
        }
        self.lines.push_str(&format!("{line}\n"));
    }

    fn ask(&mut self, text: &str) {
        self.event("message.user", None, &json!({"text": text}));
    }

    fn bash(&mut self, command: &str, good: bool) {
        self.calls += 1;
        let id = Some(format!("c{}", self.calls));
        let args = json!({"tool_name": "bash", "args_summary": {"command": command}});
        self.event("tool.started", id.clone(), &args);
        let (kind, data) = match good {
            true => ("tool.completed", json!({"tool_name": "bash", "result_summary": "fine"})),
            false => ("tool.failed", json!({"tool_name": "bash", "error": "bad"})),
        };
        self.event(kind, id, &data);
    }

    fn record(&self) -> Bench {
        let bench = Bench::created(&["--timestamp", "2026-01-01T00:00:00Z"]);
        let said = bench.feed(&["emit", "--run", "r", "--stdin"], self.lines.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        bench
    }
}

fn proposed(bench: &Bench) -> Vec<Value> {
    let text = bench.ok(&["chapter", "auto", "r"]);
    assert_eq!(bench.ok(&["chapter", "auto", "r"]), text, "the same log, another proposal");
    serde_json::from_str(&text).unwrap()
}

/// If this fails, related tasks are not proposed together, or unrelated ones are.
#[test]
fn tasks_up_to_a_commit_or_a_pause() {
    let mut script = Script::new();
    script.ask("Fix the parser");
    script.bash("cargo test", false);
    script.ask("Try again");
    script.bash("cd x && cargo test --all", true);
    script.bash("git commit -m 'parser: accept tabs'", true);
    script.ask("Write the docs");
    script.minute += 45;
    script.ask("Release it");
    script.bash("ls", true);
    script.ask("What else?");
    let bench = script.record();
    let proposal = proposed(&bench);
    let ranges: Vec<(u64, u64)> = proposal
        .iter()
        .map(|item| (item["start"].as_u64().unwrap(), item["end"].as_u64().unwrap()))
        .collect();
    assert_eq!(ranges, [(1, 2), (3, 3), (4, 4)], "{proposal:?}");
    let message = proposal[0]["message"].as_str().unwrap();
    for part in [
        "[1] Fix the parser\n[2] Try again\n",
        "3 tool calls (1 failed)",
        "2 test runs, 1 of them failed; they passed at the end",
        "Commits: \"parser: accept tabs\"",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    bench.ok(&["chapter", "auto", "r", "--apply"]);
    assert_eq!(proposed(&bench), Vec::<Value>::new());
    let said = bench.feed(&["chapter", "apply", "r"], b"[]");
    assert_eq!(said.status, 0, "{}", said.err);
}

/// If this fails, a single long task is not divided, or calls are separated from their results.
#[test]
fn stretches_of_a_long_task() {
    let mut script = Script::new();
    script.ask("Do everything");
    for round in 0..4 {
        for _ in 0..6 {
            script.bash("grep -rn thing src", true);
        }
        script.bash("pytest -q", round % 2 == 1);
        script.event("note", None, &json!({"text": "thinking"}));
        script.bash("pytest -q", true);
    }
    script.bash("ls", true);
    let bench = script.record();
    let proposal = proposed(&bench);
    assert_eq!(proposal.len(), 4, "{proposal:?}");
    assert_eq!(proposal[0]["name"], "Fixes until the tests pass");
    assert_eq!(proposal[0]["first"], 3, "the task's own start is left");
    let text = serde_json::to_string(&proposal).unwrap();
    let said = bench.feed(&["chapter", "apply", "r"], text.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(bench.ok(&["chapter", "index", "r"]).contains("(in progress)"));
    let folded = bench.ok(&["show", "r", "--folded"]);
    assert!(folded.starts_with("[1] Do everything (in progress)\n    📖 Chapter"), "{folded}");
    assert_eq!(folded.matches("📖").count(), 4);
    assert_eq!(proposed(&bench), Vec::<Value>::new(), "what is folded is proposed again");
}

/// If this fails, command lines are wrongly read as tests or commits, or real ones are missed.
#[test]
fn what_command_lines_do() {
    let signs = |command: &str, good: bool| {
        let mut script = Script::new();
        script.ask("x");
        script.bash(command, good);
        script.ask("y");
        let message = proposed(&script.record())[0]["message"].as_str().unwrap().to_owned();
        (message.contains("test run"), message.contains("Commits: "), message)
    };
    for command in [
        "cargo test --all",
        "cd x && RUST_LOG=debug cargo test",
        "timeout 60 python -m pytest -q | tail -5",
        "./node_modules/.bin/jest",
        "(npm test)",
        "bash -c 'go test ./...'",
    ] {
        let (tests, commits, message) = signs(command, true);
        assert!(tests && !commits, "{command}: {message}");
    }
    for command in
        ["cat tox.ini", "pip install pytest", "grep -rn jest .", "vim jest.config.js", "ls"]
    {
        let (tests, commits, message) = signs(command, true);
        assert!(!tests && !commits, "{command}: {message}");
    }
    let (tests, commits, message) = signs("python -m pytest && git commit -m 'a; b'", true);
    assert!(!tests && commits && message.contains("\"a; b\""), "{message}");
    assert!(!signs("git commit -m x", false).1, "a commit that failed");
}

/// If this fails, a log with decreasing sequences stops the proposal.
#[test]
fn damaged_logs() {
    let mut script = Script::new();
    script.ask("Do everything");
    for _ in 0..40 {
        script.bash("pytest", true);
    }
    let bench = script.record();
    let log = bench.log();
    let lines: Vec<&str> = log.lines().collect();
    let again = lines[3..60].iter().map(|line| format!("{line}\n")).collect::<String>();
    bench.append_raw(again.as_bytes());
    proposed(&bench);
    bench.ok(&["show", "r", "--folded"]);
}
