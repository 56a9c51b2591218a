//! `show` and `list`.

use crate::support::Bench;

fn bench() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=grep", "--timestamp", "2026-01-01T00:00:01Z"]);
    bench.emit(&[
        "error",
        "-f",
        "message=b\u{1b}ad",
        "--timestamp",
        "2026-01-01T00:00:02Z",
        "--event-id",
        "x",
    ]);
    bench
}

/// If this fails, a person or a script sees other events than asked for.
#[test]
fn show() {
    let bench = bench();
    assert_eq!(
        bench.ok(&["show", "r"]),
        "    1 01-01 00:00:00   run.created        Run created\n    2 01-01 00:00:01   tool.started       grep started\n    3 01-01 00:00:02 E error              error: b ad\n"
    );
    assert_eq!(bench.ok(&["show", "r", "--format", "jsonl"]), bench.log());
    for filter in [["--type", "err*"], ["--severity", "error"], ["--tail", "1"]] {
        let shown = bench.ok(&[&["show", "r"], &filter[..]].concat());
        assert!(shown.lines().count() == 1 && shown.contains("b ad"), "{filter:?}: {shown}");
    }
    assert_eq!(bench.ok(&["show", "r", "--actor", "nobody"]), "");
    let json: serde_json::Value =
        serde_json::from_str(&bench.ok(&["show", "r", "--format", "json"])).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 3);
    let head = bench.ok(&["show", "r", "--head"]);
    let last = bench.log().lines().last().unwrap().to_owned();
    assert_eq!(head, format!("3:{}\n", runlog::event::hash::line_hash(last.as_bytes())));
}

/// If this fails, RUN arguments find the wrong run, or none.
#[test]
fn finding_a_run() {
    let bench = bench();
    bench.ok(&["emit", "run.created", "--run", "report-1", "--timestamp", "2025-01-01T00:00:00Z"]);
    bench.ok(&["emit", "run.created", "--run", "report-2", "--timestamp", "2027-01-01T00:00:00Z"]);
    let first = |args: &[&str]| {
        let shown = bench.ok(&[&["show", "--format", "jsonl", "--tail", "1"], args].concat());
        serde_json::from_str::<serde_json::Value>(&shown).unwrap()["run_id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(first(&["r"]), "r");
    assert_eq!(first(&["report-1"]), "report-1");
    assert_eq!(first(&["latest"]), "report-2");
    assert_eq!(first(&["./runs/report-1"]), "report-1");
    let error = bench.fails(66, &["show", "rep"]);
    assert!(error.contains("report-1, report-2"), "{error}");
    bench.fails(66, &["show", "z"]);
    let out =
        bench.command().env("RUNLOG_RUN", "report-1").args(["show", "--head"]).output().unwrap();
    assert!(out.status.success());
    let moved = bench.path("elsewhere");
    std::fs::rename(bench.path("runs"), &moved).unwrap();
    let out = bench
        .command()
        .env("RUNLOG_RUNS_DIR", &moved)
        .args(["show", "r", "--head"])
        .output()
        .unwrap();
    assert!(out.status.success());
    bench.ok(&["--runs-dir", "elsewhere", "show", "r"]);
}

/// If this fails, the list of runs is wrong or does not fit a terminal.
#[test]
fn list() {
    let bench = bench();
    bench.ok(&[
        "emit",
        "run.created",
        "--run",
        &"long".repeat(30),
        "--timestamp",
        "2026-02-01T00:00:00Z",
    ]);
    bench.emit(&["run.completed", "--timestamp", "2026-01-01T00:00:05Z"]);
    let table = bench.ok(&["list"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.starts_with("RUN "), "{table}");
    assert_eq!(table.lines().count(), 3);
    let json: serde_json::Value =
        serde_json::from_str(&bench.ok(&["list", "--format", "json"])).unwrap();
    assert_eq!(json["runs"][1]["run_id"], "r");
    assert_eq!(json["runs"][1]["status"], "completed");
    assert_eq!(json["runs"][1]["path"], "runs/r");
    assert_eq!(Bench::new().ok(&["list"]), "");
}
