//! `summarize`: backfills and the overview.

use crate::support::Bench;

/// A run with two events whose summaries are pending.
fn pending() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["note", "--event-id", "n", "-f", "text=said"]);
    bench.emit(&["response", "--event-id", "l", "-f", "text=long"]);
    let log = bench.log().replace("\"summary\":\"said\"", "\"summary\":null");
    // The hashes must match again.
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    let hash = runlog::internals::hash::line_hash(lines[1].as_bytes());
    let at = lines[2].find("\"prev_hash\":\"").unwrap() + 13;
    lines[2].replace_range(at..at + 64, &hash);
    std::fs::write(bench.log_path(), lines.join("\n") + "\n").unwrap();
    bench
}

/// If this fails, templates do not fill pending summaries, or fill them twice.
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

/// If this fails, programs and people get different numbers.
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
    let json = bench.json(&["summarize", "r"]);
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
        "Status        completed",
        "Duration      1m00s",
        "Tokens        unknown",
        "Cost          unknown",
        "sh        1",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    bench.ok(&["emit", "run.created", "--run", "other"]);
    let table = bench.ok(&["summarize", "--all"]);
    assert_eq!(table.lines().count(), 4);
    assert!(table.lines().last().unwrap().starts_with("2 runs"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

fn usage(bench: &Bench, more: &str) {
    let line = format!(
        "{{\"type\":\"llm.usage\",\"data\":{{\"input_tokens\":1000,\"output_tokens\":100{more}}}}}\n"
    );
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes()).status, 0);
}

fn overview(bench: &Bench, more: &[&str]) -> serde_json::Value {
    let args = [&["summarize", "r", "--format", "json"], more].concat();
    serde_json::from_str(&bench.ok(&args)).unwrap()
}

/// If this fails, unreported tokens count as zero, or a price replaces a reported cost, or repeated
/// lines cost twice.
#[test]
fn prices_are_for_calls_without_a_cost() {
    let bench = Bench::with_run();
    assert!(bench.ok(&["summarize", "r"]).contains("Tokens        unknown\n"));
    assert_eq!(overview(&bench, &[])["runs"][0]["counts"]["input_tokens"], serde_json::Value::Null);
    let prices = "[\"m\"]\ninput = 3.0\noutput = 15.0\n\n[\"m-large\"]\ninput = 30.0\noutput = 150.0\ncache_read = 1.0\n";
    std::fs::write(bench.path("prices.toml"), prices).unwrap();
    usage(&bench, ",\"model\":\"m-1\",\"message_id\":\"one\"");
    usage(&bench, ",\"model\":\"m-1\",\"message_id\":\"one\"");
    usage(&bench, ",\"model\":\"m-large-2\",\"cache_read_tokens\":1000000");
    usage(&bench, ",\"model\":\"m-1\",\"cost_usd\":0.5");
    usage(&bench, ",\"model\":\"other\"");
    usage(&bench, ",\"model\":\"m-1\",\"scope\":\"total\"");
    let run = &overview(&bench, &["--prices", "prices.toml"])["runs"][0];
    assert_eq!(run["counts"]["cost_usd"], 1.5495);
    assert_eq!(run["counts"]["cost_estimated"], true);
    assert!(run["counts"].get("prices_as_of").is_none(), "the prices are the user's");
    // 0.0045 for the first, 0.045 and a dollar for the second.
    assert_eq!(run["estimated_cost_usd"], 1.0495);
    let text = bench.ok(&["summarize", "r", "--prices", "prices.toml"]);
    assert!(
        text.contains(
            "~$1.5495+ ($0.5000 reported, the rest estimated by the prices given); 1 model call"
        ),
        "{text}"
    );
    assert!(overview(&bench, &[])["runs"][0]["estimated_cost_usd"].is_null());
    assert_eq!(overview(&bench, &[])["runs"][0]["counts"]["cost_usd"], 0.5);
    std::fs::write(bench.path("prices.toml"), "[m]\ninput = -1\noutput = 2\n").unwrap();
    let said = bench.fails(65, &["summarize", "r", "--prices", "prices.toml"]);
    assert!(said.contains("[m]: a price is a number of dollars"), "{said}");
}

/// If this fails, pending summaries or open calls are not visible, or a line is too wide.
#[test]
fn what_is_missing_is_seen() {
    let bench = Bench::with_run();
    for (tool, id, end) in [("read", "a", "10"), ("bash", "b", "40"), ("bash", "c", "")] {
        let emit = |kind: &str, second: &str| {
            let time = format!("2026-01-01T00:00:{second}Z");
            let name = format!("tool_name={tool}");
            bench.emit(&[kind, "-f", &name, "--correlation-id", id, "--timestamp", &time]);
        };
        emit("tool.started", "00");
        if !end.is_empty() {
            emit("tool.completed", end);
        }
    }
    bench.emit(&["deliverable.missing", "-f", "path=report.md"]);
    bench.emit(&["response", "-f", "text=x"]);
    usage(&bench, ",\"x\":1");
    std::thread::sleep(std::time::Duration::from_millis(20));
    usage(&bench, ",\"x\":2");
    let text = bench.ok(&["summarize", "r"]);
    for part in [
        "Tool calls    3, 1 without an end",
        "Not passed    report.md",
        "1 summary by a model (--llm-cmd)",
        "40.0s  ████████████████",
        "10.0s  ████\n",
        "over time   █",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let unfinished = &overview(&bench, &[])["runs"][0]["open_calls"];
    assert_eq!(unfinished, 1);
}

/// If this fails, the overview of many runs lacks what distinguishes them.
#[test]
fn many_runs_are_sorted_and_filtered() {
    let bench = Bench::with_run();
    for (run, notes) in [("few", 1), ("many", 5), ("none", 0)] {
        bench.ok(&["emit", "run.created", "--run", run]);
        for _ in 0..notes {
            bench.ok(&["emit", "note", "--run", run, "-f", "text=x"]);
        }
    }
    bench.ok(&["emit", "run.failed", "--run", "many"]);
    let names = |args: &[&str]| -> Vec<String> {
        let out = bench.ok(&[&["summarize", "--all"], args].concat());
        let rows = out.lines().skip(1).filter(|line| !line.contains(" runs "));
        rows.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--sort", "name"]), ["few", "many", "none", "r"]);
    assert_eq!(names(&[]), ["none", "many", "few", "r"], "the newest first");
    assert_eq!(names(&["--sort", "events"])[..2], ["many", "few"]);
    assert_eq!(names(&["--sort", "events", "--reverse"]).last().unwrap(), "many");
    assert_eq!(names(&["--status", "failed"]), ["many"]);
    bench.fails(2, &["summarize", "--all", "--status", "done"]);
    std::fs::write(bench.path("runs/few/events.jsonl"), "nonsense\n").unwrap();
    assert_eq!(names(&["--sort", "created"]).len(), 4);
}

/// If this fails, the documented example command for a model does not work.
#[test]
fn the_documented_stand_in_works() {
    let readme = std::fs::read_to_string(crate::support::root().join("docs/summaries.md")).unwrap();
    let script = readme.split("```sh\n").find(|block| block.starts_with("#!/bin/sh")).unwrap();
    let bench = pending();
    std::fs::write(bench.path("stand-in.sh"), script.split("```").next().unwrap()).unwrap();
    bench.ok(&["summarize", "r", "--llm-cmd", "sh ./stand-in.sh"]);
    let shown = bench.ok(&["show", "r", "--type", "response", "--format", "jsonl"]);
    assert!(shown.contains("\"summary\":\"An event of type response\""), "{shown}");
}

/// If this fails, the cost of a known model is not estimated, or two commands tell two costs, or an
/// estimate looks like a reported cost.
#[test]
fn list_prices_are_for_models_that_are_known() {
    let bench = Bench::with_run();
    usage(&bench, ",\"model\":\"claude-opus-4-5-20251101\",\"cache_read_tokens\":100000");
    usage(&bench, ",\"model\":\"unknown-model\"");
    bench.emit(&["run.completed"]);
    // 0.005 for input, 0.0025 for output and 0.05 for the cache.
    let counts = &overview(&bench, &[])["runs"][0]["counts"];
    let state: serde_json::Value = bench.state("r");
    for counts in [counts, &state["counts"]] {
        assert_eq!(counts["cost_usd"], 0.0575);
        assert_eq!(counts["cost_estimated"], true);
        assert!(counts["prices_as_of"].is_string());
        assert_eq!(counts["uncosted_calls"], 1);
    }
    let text = bench.ok(&["summarize", "r"]);
    assert!(text.contains("~$0.0575+ (estimated by the list prices of 20"), "{text}");
    assert!(bench.ok(&["list"]).contains("~$0.0575+"));
    let transcript = std::fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(transcript.contains("~$0.0575"), "{transcript}");
    // A state by other prices is only older. A changed one is not.
    let path = bench.path("runs/r/run.json");
    let text = std::fs::read_to_string(&path).unwrap();
    for (date, cost, status) in [("\"1999-01\"", "7.5", 0), ("", "7.5", 1)] {
        let date = if date.is_empty() { counts["prices_as_of"].to_string() } else { date.into() };
        let other = text.replace(&counts["prices_as_of"].to_string(), &date);
        std::fs::write(&path, other.replace("0.0575", cost)).unwrap();
        let said = bench.call(&["validate", "r"]);
        assert_eq!(said.status, status, "{}", said.out);
    }
}
