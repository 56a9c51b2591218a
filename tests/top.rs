//! `top`: its lines and its document, what is live, odd logs, and a terminal if Python is there.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Bench, Said, root, said};

/// Records a run of the year 1980, so that ages have five digits for a long time.
fn record(bench: &Bench, run: &str, title: &str, events: &[(&str, &str, Value)]) {
    let metadata = json!({"agent": "builder", "title": title});
    let created = json!({"type": "run.created", "timestamp": "1980-01-01T00:00:00Z", "data": {"metadata": metadata}});
    let mut lines = created.to_string() + "\n";
    for (kind, call, data) in events {
        let mut event = json!({"type": kind, "timestamp": "1980-01-01T00:00:01Z", "data": data});
        if !call.is_empty() {
            event["correlation_id"] = (*call).into();
        }
        lines.push_str(&format!("{event}\n"));
    }
    let said = bench.feed(&["emit", "--run", run, "--stdin"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
}

/// A live run with two open calls and an error, one that says little, and one that has ended.
fn sample() -> Bench {
    let bench = Bench::new();
    let usage =
        json!({"message_id": "m1", "input_tokens": 1200, "output_tokens": 300, "cost_usd": 0.5});
    let command =
        json!({"tool_name": "Bash", "args": {"command": "cargo test -p parser --release"}});
    let failed = json!({"tool_name": "Read", "error": {"message": "no such file: src/lib.rs"}});
    record(
        &bench,
        "fix-42",
        "Fix the parser",
        &[
            ("run.started", "", json!({})),
            ("llm.usage", "", usage),
            ("tool.started", "a", json!({"tool_name": "Read"})),
            ("tool.failed", "a", failed),
            ("tool.started", "b", command),
            ("tool.started", "c", json!({"tool_name": "Grep"})),
        ],
    );
    record(&bench, "calm", "", &[("run.started", "", json!({}))]);
    record(
        &bench,
        "done",
        "Old work",
        &[
            ("run.started", "", json!({})),
            ("tool.started", "d", json!({"tool_name": "Left open"})),
            ("run.completed", "", json!({})),
        ],
    );
    bench
}

/// The text with the ages, which grow from day to day, as `#d`.
fn without_ages(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let length = rest[at..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - at);
        let (number, next) = rest[at..].split_at(length);
        out.push_str(&rest[..at]);
        out.push_str(if length == 5 && next.starts_with('d') { "#####" } else { number });
        rest = next;
    }
    out + rest
}

fn top(bench: &Bench, columns: &str, more: &[&str]) -> Said {
    let mut command = bench.command();
    command.arg("top").args(more).env("COLUMNS", columns);
    said(&command.output().unwrap())
}

/// If this fails, a snapshot says something else of a live run, or does not fit.
#[test]
fn snapshots() {
    let bench = sample();
    let expected = "\
runs · 2 live runs · 3 calls · 1 failed · 1.2k in · 300 out · $0.5000

RUN                       AGE          LAST  CALLS  FAIL    IN  OUT     COST
calm                   #####d  quiet #####d      0     0     –    –        –
fix-42 Fix the parser  #####d  quiet #####d      3     1  1.2k  300  $0.5000
  ▸ Bash cargo test -p parser… #####d +1  ✗ #####d ago: no such file: src/lib…
";
    assert_eq!(without_ages(&top(&bench, "80", &["--once"]).out), expected);
    for columns in ["40", "60", "80", "120", "200"] {
        let printed = top(&bench, columns, &["--once", "--all"]).out;
        let width: usize = columns.parse().unwrap();
        let widest = printed.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width.max(60), "{columns}: {printed}");
        assert!(printed.contains("fix-42") && printed.contains("Bash"), "{columns}: {printed}");
        // An ended run has no current call.
        assert!(printed.contains("completed") && !printed.contains("Left open"), "{printed}");
    }
    // Into a pipe, nothing is cut, and there is no escape sequence without --color.
    let whole = bench.ok(&["top"]);
    assert!(whole.contains("cargo test -p parser --release") && !whole.contains('\u{1b}'));
    let coloured = bench.ok(&["top", "--color", "always"]);
    assert!(coloured.contains("\u{1b}[31m✗"), "{coloured}");
}

/// If this fails, two live runs have the same name.
#[test]
fn names_stay_distinct() {
    let bench = Bench::new();
    for end in ["one", "two"] {
        let run = format!("claude-code-ses_stage0_{end}");
        bench.ok(&["emit", "run.created", "--run", &run]);
        bench.ok(&["emit", "tool.started", "--run", &run, "-f", "tool_name=sh"]);
    }
    for columns in ["40", "60", "80"] {
        let printed = top(&bench, columns, &["--once"]).out;
        let names = printed.lines().filter(|line| line.starts_with("claude"));
        let names: Vec<&str> = names.map(|line| line.split(' ').next().unwrap()).collect();
        assert!(names.len() == 2 && names[0] != names[1], "{columns}: {printed}");
    }
}

/// If this fails, `top` shows other runs than the live ones, or a program reads other values.
#[test]
fn which_runs() {
    let bench = sample();
    let names = |more: &[&str]| {
        let text = bench.ok(&[&["top", "--format", "json"], more].concat());
        let document: Value = serde_json::from_str(&text).unwrap();
        let runs = document["runs"].as_array().unwrap();
        runs.iter().map(|run| run["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[]), ["calm", "fix-42"]);
    assert_eq!(names(&["--all"]), ["calm", "fix-42", "done"]);
    assert_eq!(names(&["done"]), ["done"]);
    bench.ok(&["emit", "run.cancelled", "--run", "calm"]);
    assert_eq!(names(&[]), ["fix-42"]);
    let document = bench.json(&["top"]);
    let run = &document["runs"][0];
    assert_eq!(run["current_call"]["tool"], "Bash");
    assert_eq!(run["current_call"]["title"], "cargo test -p parser --release");
    assert_eq!(run["current_call"]["started_at"], "1980-01-01T00:00:01.000Z");
    assert_eq!((&run["open_calls"], &run["tool_calls"]), (&json!(2), &json!(3)));
    assert_eq!((&run["input_tokens"], &run["cost_usd"]), (&json!(1200), &json!(0.5)));
    assert_eq!(run["last_error"]["message"], "no such file: src/lib.rs");
    assert_eq!(document["total"]["tool_failures"], 1);
    bench.fails(66, &["top", "nothing"]);
    bench.fails(2, &["top", "done", "--all"]);
    bench.fails(2, &["top", "--interval", "soon"]);
}

/// If this fails, `top` writes into a run.
#[test]
fn nothing_is_written() {
    let bench = sample();
    fs::remove_file(bench.path("runs/calm/run.json")).unwrap();
    let files = || {
        let all = walkdir::WalkDir::new(bench.path("runs")).sort_by_file_name().into_iter();
        let files = all.flatten().filter(|entry| entry.file_type().is_file());
        files
            .map(|file| (file.path().to_owned(), fs::read(file.path()).unwrap()))
            .collect::<Vec<_>>()
    };
    let before = files();
    assert!(bench.ok(&["top", "--all"]).contains("calm"));
    assert!(before == files());
}

/// If this fails, a damaged or hostile log stops `top` or acts on the terminal.
#[test]
fn odd_logs() {
    let bench = sample();
    let hostile = json!({"tool_name": "Sh\u{1b}[2J\u{202e}\u{7}", "args": {"command": "a\u{1b}]0;x\u{7}\nb"}});
    let error = json!({"message": "\u{1b}[1A\u{202e}::error::x\r\n##[group]"});
    record(
        &bench,
        "hostile",
        "\u{1b}[8mtitle\u{202e}",
        &[("run.started", "", json!({})), ("tool.started", "h", hostile), ("error", "", error)],
    );
    for options in [&["top"][..], &["top", "--color", "always"], &["top", "--format", "json"]] {
        let printed = bench.ok(options);
        assert!(printed.contains("hostile"), "{printed}");
        assert!(!printed.contains(['\u{202e}', '\u{7}', '\r']), "{printed:?}");
        for part in printed.split('\u{1b}').skip(1) {
            let codes = part.strip_prefix('[').and_then(|part| part.split_once('m'));
            let is_style = codes.is_some_and(|(codes, _)| codes.parse::<u8>().is_ok());
            assert!(is_style, "{printed:?}");
        }
    }
    // Lines that are no events, a torn end, an empty log, and a log that is a directory.
    let log = bench.path("runs/fix-42/events.jsonl");
    let mut file = fs::OpenOptions::new().append(true).open(&log).unwrap();
    file.write_all(b"not json\n{\"type\":").unwrap();
    fs::create_dir_all(bench.path("runs/empty")).unwrap();
    fs::write(bench.path("runs/empty/events.jsonl"), "").unwrap();
    fs::create_dir_all(bench.path("runs/folder/events.jsonl")).unwrap();
    let printed = bench.ok(&["top"]);
    assert!(printed.contains("fix-42") && printed.contains("empty"), "{printed}");
    // No runs directory at all.
    assert!(bench.ok(&["top", "--runs-dir", "nowhere"]).contains("no live runs"));
}

/// If this fails, the screen of a terminal does not follow the log, breaks when a log is replaced or
/// removed, or leaves the terminal changed. Needs Python for the terminal.
#[test]
fn on_a_terminal() {
    let bench = sample();
    let mut python = Command::new("python3");
    python.arg(root().join("tests/top_terminal.py")).arg(env!("CARGO_BIN_EXE_runlog"));
    python.current_dir(bench.path("")).env_remove("RUNLOG_RUN").env_remove("RUNLOG_RUNS_DIR");
    python.env_remove("COLUMNS").env("TERM", "xterm");
    let Ok(output) = python.output() else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: python3 is not there");
        return;
    };
    let said = said(&output);
    assert!(said.status == 0, "{}{}", said.out, said.err);
}
