//! `--from aos`, on a small session made for these tests.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::without_place;

const SESSION: &str = r#"{"type":"session_start","timestamp":"2026-02-01T08:00:00Z","sessionId":"lab","profile":"review"}
{"type":"delegation","timestamp":"2026-02-01T08:00:01Z","round":1,"target":"auditor","message":"Check the ledger"}
{"type":"child_delegation","timestamp":"2026-02-01T08:00:02Z","parentAgentId":"auditor","childAgentId":"clerk","message":"Add it up"}
{"type":"file_changed","timestamp":"2026-02-01T08:00:03Z","agentId":"clerk","operation":"created","path":"sum.txt"}
{"type":"token_usage","timestamp":"2026-02-01T08:00:04Z","agentId":"clerk","tokensIn":100,"tokensOut":20,"cost":0.5}
{"type":"constraint_check","timestamp":"2026-02-01T08:00:05Z","round":1,"state":{"elapsed_minutes":0.25,"budget_spent":0.5}}
{"type":"response","timestamp":"2026-02-01T08:00:06Z","agentId":"auditor","round":1,"text":"It adds up.","summary":"the ledger is right"}
{"type":"moon_phase","timestamp":"2026-02-01T08:00:07Z","phase":"full"}
{"type":"session_end","timestamp":"2026-02-01T08:00:08Z","roundsCompleted":1}
"#;

/// If this fails, an event of the harness gets a wrong type, time, session, actor or summary.
#[test]
fn a_session() {
    let bench = Bench::with_run();
    let args = ["emit", "--run", "r", "--stdin", "--from", "auto", "--receipt", "receipt.json"];
    let said = bench.feed(&args, SESSION.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let receipt: Value =
        serde_json::from_slice(&fs::read(bench.path("receipt.json")).unwrap()).unwrap();
    assert_eq!(
        [&receipt["dialect"], &receipt["lines"], &receipt["mapped"], &receipt["opaque"]],
        [&json!("aos"), &json!(9), &json!(8), &json!(1)]
    );
    assert_eq!(
        receipt["usage"],
        json!({"input_tokens": 100, "output_tokens": 20, "cache_read_tokens": null,
            "cache_creation_tokens": null, "cost_usd": 0.5})
    );
    let events = bench.lines();
    let told: Vec<String> = events[1..]
        .iter()
        .map(|event| {
            assert_eq!(event["session_id"], "lab");
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            [text("timestamp")[17..19].to_owned(), text("type"), text("actor"), text("summary")]
                .join(" | ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "00 | session_start | runtime | Session started with profile review",
            "01 | delegation | agent | -",
            "02 | child_delegation | auditor | -",
            "03 | file_changed | clerk | clerk created sum.txt",
            "04 | token_usage | runtime | clerk used 100+20 tokens ($0.5000)",
            "05 | constraint_check | runtime | Round 1: 0.3min, $0.50 spent",
            "06 | response | auditor | the ledger is right",
            "07 | aos.moon_phase | runtime | -",
            "08 | session_end | runtime | Session ended (1 rounds)",
        ]
    );
    assert_eq!(
        without_place(&events[3]),
        json!({"parentAgentId": "auditor", "childAgentId": "clerk", "message": "Add it up",
            "_runlog": {"dialect": "aos"}})
    );
    // The session says itself that it ended.
    bench.ok(&["validate", "r", "--expect-status", "completed"]);
}

/// If this fails, a line with a reserved or a duplicate key is rejected, or loses a field.
#[test]
fn unclean_lines_are_kept() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"response","round":1,"agentId":"a","text":"one","parts":[1],"_redactions":4}
{"type":"response","round":2,"agentId":"a","agentId":"b","text":"two"}
"#;
    let args = ["emit", "--run", "r", "--stdin", "--from", "aos", "--no-source"];
    let said = bench.feed(&args, lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let events = bench.lines();
    let payload = |index: usize| {
        let mut data = events[index]["data"].clone();
        data.as_object_mut().unwrap().retain(|name, _| name != "source_sha256");
        data["_runlog"].as_object_mut().unwrap().remove("time_origin");
        data
    };
    // A list of an unclean line is kept as a string.
    assert_eq!(
        payload(1),
        json!({"round": 1, "agentId": "a", "text": "one", "parts": "[1]", "_redactions_": 4,
            "_runlog": {"dialect": "aos"}})
    );
    assert_eq!(
        payload(2),
        json!({"round": 2, "agentId": "a", "agentId_": "b", "text": "two", "_runlog": {"dialect": "aos"}})
    );
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}
