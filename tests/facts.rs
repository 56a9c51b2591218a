//! One run, one set of facts: each view is checked for each fact.

use std::fs;

use serde_json::Value;

use crate::support::{Bench, fixture, shared};

/// A session imported into a run that ended days later.
fn imported(session: &[u8]) -> Bench {
    let bench = Bench::created(&["--timestamp", "2026-10-01T08:00:00Z"]);
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, session).status, 0);
    bench.emit(&["run.completed", "--timestamp", "2026-10-01T08:00:01Z"]);
    bench
}

/// The facts for programs, by view.
fn documents(bench: &Bench) -> Vec<(&'static str, Value)> {
    let json = |args: &[&str]| -> Value { serde_json::from_str(&bench.ok(args)).unwrap() };
    let run_json = fs::read(bench.path("runs/r/run.json")).unwrap();
    vec![
        ("run.json", serde_json::from_slice(&run_json).unwrap()),
        ("list", json(&["list", "--format", "json"])["runs"][0].clone()),
        ("summarize", json(&["summarize", "r", "--format", "json"])["runs"][0].clone()),
        ("summarize --all", json(&["summarize", "--all", "--format", "json"])["runs"][0].clone()),
        ("transcript", json(&["transcript", "r", "--format", "json", "-o", "-"])["facts"].clone()),
    ]
}

/// Members that are facts of the run; other members describe the document.
const FACTS: &[&str] = &[
    "run_id",
    "session_id",
    "task_id",
    "status",
    "created_at",
    "recorded_at",
    "started_at",
    "ended_at",
    "duration_ms",
    "error",
    "deliverables",
    "metadata",
    "models",
    "prompt",
    "counts",
];

fn compare_documents(bench: &Bench) -> Value {
    let documents = documents(bench);
    let (_, first) = &documents[0];
    for (view, document) in &documents {
        for fact in FACTS {
            assert!(document.get(fact).is_some(), "{view} has no {fact}");
            assert_eq!(document[fact], first[fact], "{fact} in {view}");
        }
    }
    first.clone()
}

/// If this fails, two views of one imported run show different facts.
#[test]
fn every_view_tells_the_same_facts() {
    let bench = imported(&fixture("agent-session.jsonl"));
    let facts = compare_documents(&bench);
    assert_eq!(facts["started_at"], "2026-03-14T09:00:01.137Z", "the work's time");
    assert_eq!(facts["duration_ms"], 259_000);
    assert_eq!(facts["recorded_at"], "2026-10-01T08:00:00.000Z");
    assert_eq!(facts["counts"]["input_tokens"], 53);
    assert_eq!(facts["counts"]["prompts"], 3);
    assert_eq!(facts["metadata"]["git_branch"], "main");

    let markdown = bench.ok(&["transcript", "r", "-o", "-"]);
    let html = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    let overview = bench.ok(&["summarize", "r"]);
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let tokens = "133.4k in, 97 % cached, at least 665 out";
    let facts = ["completed", "4m19s", "2026-03-14 09:00:01 UTC", tokens, "claude-sonnet-4-5"];
    for (view, text) in
        [("transcript.md", markdown), ("html", html), ("text", text), ("summarize", overview)]
    {
        let text = one_line(&text);
        for fact in facts {
            assert!(text.contains(fact), "{fact} is not in {view}: {text}");
        }
    }
    for args in [&["list"][..], &["summarize", "--all"]] {
        let table = bench.ok(args);
        let mut lines = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
        let cell = |name: &str| row[header.iter().position(|one| *one == name).unwrap()];
        let cells = ["STATUS", "TIME", "CALLS", "FAIL", "ERR", "IN", "OUT"].map(cell);
        assert_eq!(cells, ["completed", "4m19s", "9", "1", "1", "133.4k", "≥665"], "{args:?}");
    }
}

/// If this fails, two views of a real agent's session show different facts.
#[test]
fn real_sessions_have_the_same_facts_everywhere() {
    let Some(traces) = shared("traces/agent-sessions/agents/claude") else { return };
    for name in ["small.jsonl", "large.jsonl", "schema_drift.jsonl"] {
        compare_documents(&imported(&fs::read(traces.join(name)).unwrap()));
    }
}

/// If this fails, the list shows no failure of a running run that has one.
#[test]
fn figures_of_a_short_log_are_never_old() {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "--correlation-id", "c", "-f", "tool_name=make"]);
    bench.emit(&["tool.failed", "--correlation-id", "c", "-f", "tool_name=make", "-f", "error=no"]);
    let json = bench.json(&["list"]);
    let run = &json["runs"][0];
    assert_eq!(run["counts"]["tool_failures"], 1, "{run}");
    assert_eq!(json["total"]["tool_failures"], 1, "{json}");
    assert!(run["head"]["hash"].is_string() && run.get("behind").is_none(), "{run}");
    assert!(!bench.ok(&["list"]).contains('*'));
    bench.ok(&["list", "--where", "counts.tool_failures=1"]);
}

/// If this fails, numbers of a running run look final.
#[test]
fn figures_that_lag_are_marked() {
    let bench = Bench::with_run();
    // The list does not read a long log.
    let note = format!("{{\"type\":\"note\",\"data\":{{\"text\":\"{}\"}}}}\n", "x".repeat(15_000));
    assert_eq!(
        bench.feed(&["emit", "--stdin", "--run", "r"], note.repeat(80).as_bytes()).status,
        0
    );
    bench.emit(&["note", "-f", "text=x"]);
    let listed = bench.call(&["list"]);
    assert!(listed.out.contains("created*"), "{}", listed.out);
    assert!(listed.err.contains("summarize"), "{}", listed.err);
    let json = bench.json(&["list"]);
    assert_eq!(json["runs"][0]["behind"], true);
    bench.emit(&["run.completed"]);
    assert!(!bench.ok(&["list"]).contains('*'));
}

/// If this fails, an imported run looks as if it were still running, or a source that continues
/// does not.
#[test]
fn an_import_ends_without_ending_the_run() {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=sh", "--correlation-id", "c"]);
    bench.emit(&["run.imported"]);
    let status = || documents(&bench)[0].1["status"].clone();
    assert_eq!(status(), "imported");
    let said = bench.call(&["validate", "r"]);
    assert!(!said.out.contains("RL408"), "{}", said.out);
    bench.emit(&["run.imported"]);
    bench.emit(&["run.failed", "-f", "error.message=no"]);
    assert_eq!(status(), "failed");
}

/// If this fails, a cost that is only in a message is lost, or is added to a cost in usage events.
#[test]
fn costs_of_responses_count_once() {
    let bench = Bench::with_run();
    let cost = || {
        let json = bench.ok(&["summarize", "r", "--format", "json"]);
        serde_json::from_str::<Value>(&json).unwrap()["runs"][0]["counts"]["cost_usd"].clone()
    };
    let response = |agent: &str| {
        let agent = format!("agentId={agent}");
        bench.emit(&["response", "-f", &agent, "-F", "cost=0.25", "-f", "text=x"]);
    };
    response("a");
    assert_eq!(cost(), 0.25);
    bench.emit(&["token_usage", "-f", "agentId=a", "-F", "tokensIn=1", "-F", "cost=0.5"]);
    assert_eq!(cost(), 0.5);
    response("b");
    assert_eq!(cost(), 0.75);
}
