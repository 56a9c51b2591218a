//! `--from agex`, on a small session made for these tests.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

/// A line of that class, with the fields that every event has.
fn line(class: &str, second: u32, fields: &Value) -> Value {
    let mut line = json!({"type": class, "timestamp": format!("2026-02-01T08:00:0{second}.25+00:00"),
        "agent_name": "smith", "full_namespace": "shop/smith"});
    line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    line
}

/// If this fails, a class becomes the wrong type, or a field of it is lost.
#[test]
fn a_session() {
    let lines = [
        line("TaskStartEvent", 0, &json!({"task_name": "forge", "message": "Make a nail"})),
        line(
            "ActionEvent",
            1,
            &json!({"thinking": "heat", "code": "nail()", "input_tokens": 90,
            "output_tokens": 10}),
        ),
        line("OutputEvent", 2, &json!({"parts": ["a nail"]})),
        line(
            "FileEvent",
            2,
            &json!({"file_source": "agent", "added": ["nail"], "modified": [],
            "removed": []}),
        ),
        line("SuccessEvent", 3, &json!({"result": "one nail"})),
        line(
            "ChapterEvent",
            4,
            &json!({"name": "Nails", "message": "Made one", "event_refs": ["a"]}),
        ),
        line("TaskStartEvent", 5, &json!({"task_name": "sell", "message": "Sell it"})),
        line("SystemNoteEvent", 6, &json!({"message": "noon"})),
        line("ErrorEvent", 6, &json!({"error": "no customer"})),
        line("CancelledEvent", 7, &json!({"task_name": "sell", "iterations_completed": 3})),
        line("TaskStartEvent", 8, &json!({"message": "Ask"})),
        line("ClarifyEvent", 8, &json!({"message": "Which one?"})),
        line("TaskStartEvent", 9, &json!({"message": "Try"})),
        line("FailEvent", 9, &json!({"message": "broken"})),
        line("DreamEvent", 9, &json!({})),
    ];
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let bench = Bench::with_run();
    let args = ["emit", "--run", "r", "--stdin", "--from", "auto", "--receipt", "receipt.json"];
    let said = bench.feed(&args, input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let receipt: Value =
        serde_json::from_slice(&fs::read(bench.path("receipt.json")).unwrap()).unwrap();
    assert_eq!(
        [&receipt["dialect"], &receipt["mapped"], &receipt["opaque"], &receipt["rejected"]],
        [&json!("agex"), &json!(14), &json!(1), &json!(0)]
    );
    assert_eq!(receipt["types"]["DreamEvent"], json!({"mapped": 0, "opaque": 1}));
    assert_eq!(receipt["usage"]["input_tokens"], 90);
    let events = bench.lines();
    let told: Vec<String> = events[1..]
        .iter()
        .map(|event| {
            let text = |name: &str| event[name].as_str().unwrap_or("-").to_owned();
            [text("type"), text("actor"), text("summary")].join(" | ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "task.started | shop/smith | Task started: Make a nail",
            "task.action | shop/smith | -",
            "task.output | tool | -",
            "task.file | shop/smith | agent changed files: +1 ~0 -0",
            "task.succeeded | shop/smith | Task succeeded: one nail",
            "note | shop/smith | Context compacted into the chapter \"Nails\"",
            "task.started | shop/smith | Task started: Sell it",
            "task.system_note | runtime | noon",
            "error | runtime | error: no customer",
            "task.cancelled | shop/smith | Task cancelled",
            "task.started | shop/smith | Task started: Ask",
            "task.clarify | shop/smith | Clarification asked: Which one?",
            "task.started | shop/smith | Task started: Try",
            "task.failed | shop/smith | Task failed: broken",
            "agex.DreamEvent | runtime | -",
        ]
    );
    assert_eq!(events[1]["timestamp"], "2026-02-01T08:00:00.250Z");
    // Counts stay counts.
    assert_eq!(events[10]["data"]["iterations_completed"], json!(3));
    assert_eq!(events[6]["data"]["event_refs"], json!(["a"]));
    let index = bench.json(&["chapter", "index", "r"]);
    let outcomes: Vec<&str> = index["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["outcome"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["succeeded", "cancelled", "clarify", "failed"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, of two agents that work at the same time, one's end ends the other one's task.
#[test]
fn tasks_of_agents_that_work_at_the_same_time() {
    let bench = Bench::new();
    let event = |second: u32, class: &str, namespace: &str, message: &str| {
        let time = format!("2026-04-26T10:00:{second:02}Z");
        json!({"type": class, "timestamp": time, "full_namespace": namespace, "message": message})
            .to_string()
    };
    let lines = [
        event(0, "TaskStartEvent", "m", "all"),
        event(1, "TaskStartEvent", "m/a", "first"),
        event(2, "TaskStartEvent", "m/b", "second"),
        event(3, "FailEvent", "m/a", "broken"),
        event(4, "SuccessEvent", "m/b", "good"),
        event(5, "SuccessEvent", "m", "done"),
    ];
    fs::write(bench.path("a.jsonl"), lines.join("\n") + "\n").unwrap();
    bench.ok(&["import", "a.jsonl"]);
    let index = bench.ok(&["chapter", "index", "agex-a"]);
    for told in ["[1] all (succeeded: done)", "[2] first (failed: broken)", "[3] second (succeeded"]
    {
        assert!(index.contains(told), "{index}");
    }
}
