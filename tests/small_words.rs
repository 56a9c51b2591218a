//! Values that are short, or look like something else: they are shown, taken and marked.

use serde_json::Value;

use crate::support::Bench;

/// If this fails, a result is hidden because the one-line summary happens to have its letters.
#[test]
fn short_values_are_shown() {
    let bench = Bench::with_run();
    for (tool, start, end, expected) in [
        ("get_status", "{}", r#"{"result_summary":"completed"}"#, "result_summary: completed"),
        ("count5", "{}", r#"{"result":"5"}"#, "result: 5"),
        ("bash", "{}", r#"{"result":"bash"}"#, "result: bash"),
        ("deploy", r#"{"args":{"to":"loy"}}"#, "{}", "loy"),
    ] {
        let data = |more: &str| {
            let mut data: Value = serde_json::from_str(more).unwrap();
            data["tool_name"] = tool.into();
            data.to_string()
        };
        let call = bench.emit(&["tool.started", "--data", &data(start)]);
        bench.emit(&["tool.completed", "--data", &data(end), "--correlation-id", call.trim()]);
        for args in [&["show", "r", "--tail", "2"][..], &["show", "r", "--folded"]] {
            let shown = bench.ok(args);
            assert!(shown.contains(expected), "{tool}: {shown}");
        }
    }
    bench.emit(&["tool.failed", "--data", r#"{"tool_name":"x","error":"exit 12","stderr":"2"}"#]);
    assert!(bench.ok(&["show", "r", "--tail", "1"]).contains("stderr: 2"));
    // What the line tells is not repeated.
    bench.emit(&["tool.failed", "--data", r#"{"tool_name":"x","error":"no such file"}"#]);
    assert_eq!(bench.ok(&["show", "r", "--tail", "1"]).matches("no such file").count(), 1);
}

/// If this fails, a text of a list is taken for an option, or a size with a unit is refused.
#[test]
fn texts_with_hyphens_and_sizes_with_units() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=- go", "--summary", "- asked"]);
    bench.emit(&["run.completed"]);
    assert!(bench.ok(&["show", "r", "--grep", "- asked"]).contains("- asked"));
    let fold = ["chapter", "add", "r", "--start", "1", "--end", "1", "--name", "- A"];
    bench.ok(&[&fold[..], &["--message", "- fixed x"]].concat());
    bench.ok(&["transcript", "r", "--max-bytes", "2K", "-o", "-"]);
    bench.fails(2, &["transcript", "r", "--max-bytes", "10", "-o", "-"]);
    bench.fails(3, &["validate", "r", "--require", "a.md:min=1K"]);
    bench.fails(2, &["validate", "r", "--require", "a.md:min=1Q"]);
}

/// If this fails, `-o -` makes a file with that name.
#[test]
fn a_hyphen_is_standard_output() {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    let printed = bench.ok(&["list", "--format", "ids", "-o", "-"]);
    assert_eq!(printed, "r\n");
    let report = bench.ok(&["validate", "r", "--format", "json", "-o", "-"]);
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap()["runs"][0]["run_id"], "r");
    assert!(!bench.path("-").exists());
}

/// If this fails, a lower bound or an estimate looks like an exact number to a program.
#[test]
fn lower_bounds_and_estimates_are_marked_for_programs() {
    let bench = Bench::with_run();
    let usage = r#"{"input_tokens":1000,"output_tokens":3,"model":"claude-sonnet-4-5","output_tokens_at_least":true}"#;
    bench.emit(&["llm.usage", "--data", usage]);
    let top = bench.json(&["top"]);
    let run = &top["runs"][0];
    assert_eq!(
        (&run["output_tokens_at_least"], &run["cost_estimated"]),
        (&true.into(), &true.into())
    );
    let csv = bench.ok(&["stats", "--by", "model", "--format", "csv"]);
    let mut lines = csv.lines();
    let column = |line: &str, at: usize| line.split(',').nth(at).unwrap().to_owned();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = lines.next().unwrap();
    for name in ["output_tokens_at_least", "cost_estimated"] {
        let at = header.iter().position(|one| *one == name).unwrap();
        assert_eq!(column(row, at), "true", "{name}: {csv}");
    }
}

/// If this fails, a run made by a stream with older times begins after it ended.
#[test]
fn a_run_begins_no_later_than_its_first_event() {
    let bench = Bench::new();
    let lines = concat!(
        r#"{"type":"message.user","timestamp":"2026-03-01T10:00:00Z","data":{"text":"go"}}"#,
        "\n",
        r#"{"type":"run.completed","timestamp":"2026-03-01T10:00:09Z"}"#,
        "\n"
    );
    let said = bench.feed(&["emit", "--create", "--run", "old", "--stdin"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let list = bench.json(&["list"]);
    let run = &list["runs"][0];
    assert_eq!(run["created_at"], "2026-03-01T10:00:00.000Z");
    assert_eq!(run["duration_ms"], 9000);
    assert_ne!(run["recorded_at"], run["created_at"]);
    assert_eq!(bench.call(&["validate", "old", "--strict"]).status, 0);
}

/// If this fails, a digest says that the last task of a finished run is in progress.
#[test]
fn the_last_task_of_a_finished_run_has_ended() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=Fix it"]);
    bench.emit(&["message.assistant", "-f", "text=Fixed."]);
    let digest = |bench: &Bench| {
        bench.ok(&["summarize", "r", "--session", "--extractive", "--force"]);
        bench.ok(&["summarize", "r", "--session", "--show"])
    };
    assert!(digest(&bench).contains("Fix it: in progress"));
    bench.emit(&["run.completed"]);
    let text = digest(&bench);
    assert!(text.contains("Fix it: ended"), "{text}");
}

/// If this fails, a link in `deliverables/` whose file is not there yet blocks the run.
#[cfg(unix)]
#[test]
fn a_link_to_a_missing_deliverable() {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    let folder = bench.path("runs/r/deliverables");
    std::fs::create_dir_all(&folder).unwrap();
    for (target, status) in [("later.md", 3), ("../later.md", 4), ("/nowhere/x", 4)] {
        let link = folder.join("report.md");
        std::os::unix::fs::symlink(target, &link).unwrap();
        let verdict = bench.call(&["validate", "r", "--require", "report.md"]);
        assert_eq!(verdict.status, status, "{target}: {}", verdict.out);
        std::fs::remove_file(link).unwrap();
    }
}

/// If this fails, a table of agents adds up to less than the run, because a total says more than
/// its calls; or a chart draws a total, or a repeated line, as a call of the model.
#[test]
fn totals_are_no_calls_and_nothing_is_left_over() {
    let bench = Bench::with_run();
    for usage in [
        r#"{"input_tokens":10,"output_tokens":1,"cost_usd":1,"message_id":"m1"}"#,
        r#"{"input_tokens":10,"output_tokens":2,"cost_usd":1,"message_id":"m1"}"#,
        r#"{"input_tokens":20,"output_tokens":2,"cost_usd":1,"message_id":"m2","model":"m"}"#,
        r#"{"input_tokens":900,"output_tokens":9,"cost_usd":9,"scope":"total"}"#,
    ] {
        bench.emit(&["llm.usage", "--data", usage]);
    }
    bench.emit(&["run.completed"]);
    let table = bench.ok(&["summarize", "r"]);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let rest = table.lines().find(|line| line.contains("only in totals")).map(words);
    assert_eq!(rest.as_deref(), Some("(only in totals) – 0 870 5 $7.0000"), "{table}");
    let document = bench.json(&["summarize", "r"]);
    let usage = document["runs"][0]["usage"].as_array().unwrap();
    let sum: u64 = usage.iter().filter_map(|one| one["input_tokens"].as_u64()).sum();
    assert_eq!(sum, 900, "{usage:?}");
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    assert!(page.contains("of 2 model calls"));
}

/// If this fails, an open call is a dot in the chart of calls, and calls that are not drawn count.
#[test]
fn open_calls_last_as_long_as_the_run() {
    let bench = Bench::new();
    let event = |second: u32, kind: &str, call: &str| {
        format!(
            r#"{{"type":"{kind}","timestamp":"2026-03-01T10:00:{second:02}Z","correlation_id":"{call}","data":{{"tool_name":"bash","duration_ms":1200}}}}"#
        )
    };
    let lines = [
        event(0, "tool.started", "a"),
        event(2, "tool.completed", "b"),
        r#"{"type":"run.completed","timestamp":"2026-03-01T10:00:50Z"}"#.to_owned(),
    ];
    let args = ["emit", "--create", "--run", "r", "--stdin"];
    assert_eq!(bench.feed(&args, (lines.join("\n") + "\n").as_bytes()).status, 0);
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    assert!(page.contains("1 call over 50.0s; 1 call without a start. "), "{page}");
}

/// If this fails, a run that lost its log looks like a misspelt name, or two copies of a run cannot
/// be told apart in a report.
#[test]
fn reports_name_directories() {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    let mut copy = std::process::Command::new("cp");
    copy.args(["-r", "runs/r", "runs/copy"]).current_dir(bench.path(""));
    assert!(copy.status().unwrap().success());
    let report = bench.call(&["validate", "--all", "--format", "json"]).out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let paths: Vec<&str> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths.len(), 2);
    assert!(paths.iter().any(|path| path.ends_with("copy")), "{paths:?}");
    std::fs::remove_file(bench.path("runs/copy/events.jsonl")).unwrap();
    for args in [&["validate", "copy"][..], &["validate", "--all"]] {
        let said = bench.call(args);
        assert_eq!(said.status, 66);
        assert!(said.err.contains("copy has files of a run, but no events.jsonl"), "{}", said.err);
    }
}
