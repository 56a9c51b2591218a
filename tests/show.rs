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

/// If this fails, `show` prints other events than requested.
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
    let json = bench.json(&["show", "r"]);
    assert_eq!(json.as_array().unwrap().len(), 3);
    let head = bench.ok(&["show", "r", "--head"]);
    let last = bench.log().lines().last().unwrap().to_owned();
    assert_eq!(head, format!("3:{}\n", runlog::internals::hash::line_hash(last.as_bytes())));
}

/// If this fails, a RUN argument finds the wrong run or none.
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

/// If this fails, the list of runs is wrong or too wide for the terminal.
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
    let piped = bench.ok(&["list"]);
    assert!(piped.contains(&"long".repeat(30)), "a name was cut into a pipe: {piped}");
    let table = bench.command().args(["list"]).env("COLUMNS", "80").output().unwrap();
    let table = crate::support::said(&table).out;
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.starts_with("RUN "), "{table}");
    assert_eq!(table.lines().count(), 3);
    let json = bench.json(&["list"]);
    assert_eq!(json["runs"][1]["run_id"], "r");
    assert_eq!(json["runs"][1]["status"], "completed");
    assert_eq!(json["runs"][1]["path"], "runs/r");
    assert_eq!(Bench::new().ok(&["list"]), "");
}

/// If this fails, a time, a pattern or an output format prints other events than requested.
#[test]
fn filters_and_forms() {
    let bench = bench();
    let shown = |args: &[&str]| {
        let out = bench.ok(&[&["show", "r", "--format", "jsonl"], args].concat());
        let line = |line: &str| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["sequence"].as_u64().unwrap()
        };
        out.lines().map(line).collect::<Vec<u64>>()
    };
    assert_eq!(shown(&["--since", "2026-01-01T00:00:01Z"]), [2, 3]);
    assert_eq!(shown(&["--until", "2026-01-01T00:00:01Z"]), [1, 2]);
    assert_eq!(shown(&["--since", "2026-01-02"]), [0; 0]);
    assert_eq!(shown(&["--since", "10m"]), [0; 0]);
    assert_eq!(shown(&["--until", "10m"]), [1, 2, 3]);
    assert_eq!(shown(&["--grep", "GREP|nothing"]), [2]);
    assert_eq!(shown(&["--grep", "^run created$"]), [1], "summaries are searched");
    bench.fails(2, &["show", "r", "--grep", "("]);
    bench.fails(2, &["show", "r", "--since", "tomorrow"]);
    assert_eq!(
        bench.ok(&["show", "r", "--relative", "--tail", "1"]),
        "    3     +2.0s E error              error: b ad\n"
    );
    let local =
        bench.command().env("TZ", "UTC-3").args(["show", "r", "--local", "--tail", "1"]).output();
    let local = crate::support::said(&local.unwrap()).out;
    assert!(local.starts_with("    3 01-01 03:00:02 E error"), "{local}");
    let coloured = bench.ok(&["show", "r", "--color", "always", "--tail", "1"]);
    assert!(coloured.contains("\u{1b}[31mE\u{1b}[0m"), "{coloured}");
    let row = bench.ok(&["show", "r", "--format", "transcript-events", "--tail", "1"]);
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    assert_eq!(
        row,
        serde_json::json!({
            "id": 3, "session_id": "s1", "event_type": "error",
            "payload": {"message": "b\u{1b}ad"}, "summary": "error: b ad",
            "created_at": "2026-01-01T00:00:02.000Z",
        })
    );
}

/// If this fails, `--follow` does not show appended events, or waits for ever.
#[test]
fn follow() {
    use std::io::{BufRead as _, BufReader};
    let bench = bench();
    let mut child = bench
        .command()
        .args(["show", "r", "--follow", "--tail", "1", "--format", "jsonl"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().map(Result::unwrap).unwrap_or_default();
    assert!(next().contains("\"sequence\":3,"));
    bench.emit(&["note", "-f", "text=later"]);
    assert!(next().contains("later"));
    // An incomplete line is not shown.
    let log = bench.log();
    bench.emit(&["note", "-f", "text=whole"]);
    assert!(next().contains("whole"));
    bench.emit(&["run.completed"]);
    assert!(next().contains("run.completed") && next().is_empty());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(bench.log().len() > log.len());
    // For an ended run, it prints the events and exits.
    assert_eq!(bench.ok(&["show", "r", "--follow"]).lines().count(), 6);
    bench.fails(2, &["show", "r", "--follow", "--format", "json"]);
    // A signal ends the wait.
    let bench = self::bench();
    let mut child = bench
        .command()
        .args(["show", "r", "--follow"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().is_some());
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

/// If this fails, a user cannot find a run in a long list.
#[test]
fn many_runs() {
    let bench = Bench::new();
    for (run, end, year) in
        [("a", "run.failed", "2024"), ("b", "run.completed", "2026"), ("c", "note", "2025")]
    {
        let time = format!("{year}-01-01T00:00:00Z");
        let required = if run == "b" { "deliverables.required=[\"x.md\"]" } else { "a=1" };
        bench.ok(&["emit", "run.created", "--run", run, "--timestamp", &time, "-F", required]);
        bench.ok(&["emit", "--run", run, end, "-f", "text=x"]);
    }
    bench.call(&["validate", "b", "--record"]);
    let runs = |args: &[&str]| {
        let table = bench.ok(&[&["list"], args].concat());
        let name = |line: &str| line.split(' ').next().unwrap().to_owned();
        table.lines().skip(1).map(name).collect::<Vec<String>>()
    };
    assert_eq!(runs(&[]), ["b", "c", "a"]);
    assert_eq!(runs(&["--reverse", "-n", "2"]), ["a", "c"]);
    assert_eq!(runs(&["--status", "failed", "--status", "incomplete"]), ["b", "a"]);
    assert_eq!(runs(&["--sort", "events", "-n", "1"]), ["b"]);
    bench.fails(2, &["list", "--status", "done"]);
    let table = bench.ok(&["list"]);
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.lines().nth(1).unwrap().ends_with("incomplete"), "{table}");
}

/// If this fails, the output does not show the purpose of a call, its time in a run that was
/// recorded later, or the tokens of a run.
#[test]
fn a_run_recorded_later() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"assistant","cwd":"/home/ada/ledger","timestamp":"2025-03-01T09:00:00Z","uuid":"u1","message":{"id":"m1","role":"assistant","usage":{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":2000},"content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/home/ada/ledger/src/lib.rs"}}]}}
{"type":"user","timestamp":"2025-03-01T09:00:02Z","uuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}
"#;
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, lines.as_bytes()).status, 0);
    bench.emit(&["run.completed"]);
    let shown = bench.ok(&["show", "r", "--type", "tool.*"]);
    assert!(shown.contains("2025-03-01 09:00:00 "), "{shown}");
    assert!(shown.contains("Read started: src/lib.rs"), "{shown}");
    let relative = bench.ok(&["show", "r", "--type", "tool.completed", "--relative"]);
    assert!(relative.contains(" +2.0s "), "{relative}");
    let table = bench.ok(&["list"]);
    assert!(table.contains(" 2.0k"), "{table}");
}

/// If this fails, the rest of a long line looks like an event, times have two forms in one output,
/// or a pipe gets lines cut for a terminal.
#[test]
fn lines_fit_a_terminal_only() {
    let bench = Bench::new();
    let text = "one two three four ".repeat(12);
    let text = text.trim();
    let emit =
        |kind: &str, more: &[&str]| bench.ok(&[&["emit", kind, "--run", "old"], more].concat());
    emit("run.created", &["--timestamp", "2025-12-31T23:59:59Z"]);
    let text_field = format!("text={text}");
    emit("message.user", &["-f", &text_field, "--timestamp", "2026-01-01T00:00:00Z"]);
    emit("some.type.with.a.long.name", &["-f", &text_field]);
    let shown = |columns: &str, args: &[&str]| {
        let output = bench.command().args(args).env("COLUMNS", columns).output().unwrap();
        crate::support::said(&output).out
    };
    for columns in ["60", "80", "200"] {
        for args in [
            &["show", "old"][..],
            &["show", "old", "--relative"],
            &["show", "old", "--folded"],
            &["show", "old", "--event", "2"],
        ] {
            let printed = shown(columns, args);
            let width: usize = columns.parse().unwrap();
            assert!(printed.lines().all(|line| line.chars().count() <= width), "{printed}");
        }
        let printed = shown(columns, &["show", "old"]);
        for line in printed.lines() {
            let is_event = line.trim_start().starts_with(|c: char| c.is_ascii_digit());
            assert!(is_event || line.starts_with("      "), "{printed}");
            // The first event is of another year than the others.
            assert!(!is_event || line[6..].starts_with("202"), "{printed}");
        }
    }
    for args in
        [&["show", "old"][..], &["show", "old", "--folded"], &["show", "old", "--event", "2"]]
    {
        let piped = bench.ok(args);
        assert!(piped.lines().any(|line| line.contains(text)), "{piped}");
    }
}

/// If this fails, the line of a failed command shows the codes of its colours: `[31mFAIL[0m`.
#[test]
fn summaries_without_colour_codes() {
    let bench = Bench::created(&[]);
    let data =
        r#"{"tool_name":"Bash","error":"\u001b[31m\u001b[1mFAIL\u001b[22m\u001b[39m a[0] is 2"}"#;
    bench.emit(&["tool.failed", "--data", data]);
    assert!(bench.log().contains("Bash failed:  [31m"), "{}", bench.log());
    let shown = bench.ok(&["show", "r"]);
    let line = shown.lines().nth(1).unwrap();
    assert!(
        line.contains("FAIL") && line.contains("a[0] is 2") && !line.contains("[31m"),
        "{shown}"
    );
}

/// If this fails, `show` hides most of a call's input, its cost, or the exit status of a command.
#[test]
fn figures_that_no_summary_has() {
    let bench = Bench::with_run();
    let emit = |kind: &str, data: &str| bench.emit(&[kind, "--data", data]);
    emit(
        "llm.usage",
        r#"{"input_tokens":500,"output_tokens":50,"cache_read_tokens":3000,"cost_usd":0.5}"#,
    );
    emit("tool.failed", r#"{"tool_name":"make","error":"no","exit_code":2,"duration_ms":1500}"#);
    let shown = bench.ok(&["show", "r"]);
    assert!(shown.contains("\n      3.5k in, 86 % cached, 50 out · cost $0.5000\n"), "{shown}");
    assert!(shown.contains("\n      exit status 2\n"), "{shown}");
    let said = bench.call(&["show", "r", "--event", "3", "--before", "5", "--after", "5"]);
    assert!(said.out.contains("exit_code: 2") && said.out.contains("duration_ms: 1500"));
    assert!(said.err.contains("printing 2 before and 2 after"), "{}", said.err);
}
