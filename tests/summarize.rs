//! `summarize`: backfills and the overview.

use crate::support::Bench;

/// A run with two events whose summaries are pending.
fn pending() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["note", "--event-id", "n", "-f", "text=said"]);
    bench.emit(&["response", "--event-id", "l", "-f", "text=long"]);
    let log = bench.log().replace("\"summary\":\"said\"", "\"summary\":null");
    // The hash of the line before must fit again.
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    let hash = runlog::event::hash::line_hash(lines[1].as_bytes());
    let at = lines[2].find("\"prev_hash\":\"").unwrap() + 13;
    lines[2].replace_range(at..at + 64, &hash);
    std::fs::write(bench.log_path(), lines.join("\n") + "\n").unwrap();
    bench
}

/// If this fails, templates do not fill what they can, or fill it twice.
#[test]
fn backfills_once() {
    let bench = pending();
    let said = bench.call(&["summarize", "r", "--dry-run"]);
    assert!(said.err.contains("would fill n: said"), "{}", said.err);
    assert_eq!(bench.lines().len(), 3);
    for _ in 0..3 {
        bench.ok(&["summarize", "r"]);
    }
    let lines = bench.lines();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[3]["type"], "summary.backfilled");
    assert_eq!(
        lines[3]["data"],
        serde_json::json!({"target_event_id": "n", "summary": "said", "source": "template"})
    );
    assert!(
        bench
            .ok(&["show", "r", "--format", "jsonl", "--type", "note"])
            .contains("\"summary\":\"said\"")
    );
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, programs read other figures than people.
#[test]
fn the_overview() {
    let bench = pending();
    bench.emit(&[
        "tool.started",
        "-f",
        "tool_name=sh",
        "--correlation-id",
        "c",
        "--timestamp",
        "2026-01-01T00:00:01Z",
    ]);
    bench.emit(&[
        "tool.completed",
        "-f",
        "tool_name=sh",
        "--correlation-id",
        "c",
        "--timestamp",
        "2026-01-01T00:00:02Z",
    ]);
    bench.emit(&["run.completed", "--timestamp", "2026-01-01T00:01:00Z"]);
    let json = bench.ok(&["summarize", "r", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let run = &json["runs"][0];
    assert_eq!(run["status"], "completed");
    assert_eq!(run["path"], "runs/r");
    assert_eq!(
        run["tools"],
        serde_json::json!([{"name": "sh", "calls": 1, "failures": 0, "blocked": 0, "duration_ms": 1000}])
    );
    let types = &run["events_by_type"];
    assert_eq!(
        types["note"],
        serde_json::json!({"count": 1, "class": "template", "summarized": 1, "pending": 0})
    );
    assert_eq!(
        types["response"],
        serde_json::json!({"count": 1, "class": "llm", "summarized": 0, "pending": 1})
    );
    let text = bench.ok(&["summarize", "r"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for part in [
        "completed after 1 min 00 s",
        "Tokens        unknown in",
        "Cost          unknown",
        "sh        1",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    bench.ok(&["emit", "run.created", "--run", "other"]);
    let table = bench.ok(&["summarize", "--all"]);
    assert_eq!(table.lines().count(), 3);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}
