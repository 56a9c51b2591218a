//! `emit`: the wire format, defaults, output, and safe repetition.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Bench, json_lines};

/// If this fails, older readers cannot read new logs.
#[test]
fn the_wire_format_is_as_it_is_written_here() {
    let bench = Bench::with_run();
    bench.emit(&[
        "tool.started",
        "--event-id",
        "e2",
        "--timestamp",
        "2026-01-01T02:00:01.5+02:00",
        "--data",
        "{ \"tool_name\" : \"grep\", \"n\": [1.0, 1, 12345678901234567890123, 1e400] }",
        "--correlation-id",
        "c1",
        "--parent",
        "e1",
        "--branch",
        "app/agent",
    ]);
    let first = concat!(
        r#"{"event_id":"e1","sequence":1,"run_id":"r","session_id":"s1","task_id":"t1","#,
        r#""type":"run.created","timestamp":"2026-01-01T00:00:00.000Z","actor":"runtime","#,
        r#""severity":"info","summary":"Run created","data":{}}"#,
    );
    // printf %s "$first" | sha256sum
    let hash = sha256(first);
    let second = format!(
        "{}{}{}{hash}\"}}",
        r#"{"event_id":"e2","sequence":2,"run_id":"r","session_id":"s1","task_id":"t1","type":"tool.started","timestamp":"2026-01-01T00:00:01.500Z","actor":"tool","severity":"info","summary":"grep started","#,
        r#""data":{"tool_name":"grep","n":[1.0,1,12345678901234567890123,1e400]},"correlation_id":"c1","parent_event_id":"e1","branch":"app/agent","#,
        r#""prev_hash":""#,
    );
    assert_eq!(bench.log(), format!("{first}\n{second}\n"));
}

/// The hash, computed by another program.
fn sha256(text: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new("sha256sum")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("sha256sum, of coreutils");
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap().stdout;
    String::from_utf8(out).unwrap()[..64].to_owned()
}

/// If this fails, a run directory lacks a documented file.
#[test]
fn run_created_makes_the_directory() {
    let bench = Bench::with_run();
    let mut names: Vec<String> = fs::read_dir(bench.path("runs/r"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["events.jsonl", "run.json", "transcript.md"]);
    for name in names {
        let mode = fs::metadata(bench.path("runs/r").join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o137, 0, "{name} may be read by others: {mode:o}");
    }
}

/// If this fails, `run.json` is not in the documented format.
#[test]
fn run_json_is_as_it_is_written_here() {
    let bench = Bench::created(&[
        "--timestamp",
        "2026-01-01T00:00:00Z",
        "-F",
        "metadata.commit=\"abc\"",
        "-F",
        "deliverables.required=[\"a.md\"]",
    ]);
    bench.emit(&["run.started", "--timestamp", "2026-01-01T00:00:01Z"]);
    bench.emit(&[
        "llm.usage",
        "-F",
        "input_tokens=5",
        "-F",
        "output_tokens=7",
        "-F",
        "cost_usd=0.1",
    ]);
    bench.emit(&["tool.started", "-f", "tool_name=x", "--correlation-id", "c"]);
    bench.emit(&[
        "tool.failed",
        "-f",
        "tool_name=x",
        "--correlation-id",
        "c",
        "-f",
        "error.message=no",
    ]);
    bench.emit(&[
        "run.failed",
        "-f",
        "error.message=gave up",
        "--timestamp",
        "2026-01-01T00:00:03Z",
    ]);
    let mut state: serde_json::Value = bench.state("r");
    let head = state["head"].take();
    assert_eq!(head["sequence"], 6);
    assert_eq!(head["bytes"], bench.log().len());
    let expected = serde_json::json!({
        "schema_version": 1, "run_id": "r", "session_id": "s1", "task_id": "t1",
        "status": "failed", "created_at": "2026-01-01T00:00:00.000Z",
        "recorded_at": "2026-01-01T00:00:00.000Z",
        "started_at": "2026-01-01T00:00:01.000Z", "ended_at": "2026-01-01T00:00:03.000Z",
        "duration_ms": 2000, "error": {"message": "gave up"},
        "deliverables": {"required": ["a.md"], "status": null, "missing": []},
        "metadata": {"commit": "abc"},
        "models": [], "prompt": null,
        "counts": {"events": 6, "prompts": 0, "tool_calls": 1, "tool_failures": 1, "errors": 2, "warnings": 0,
            "input_tokens": 5, "output_tokens": 7, "cache_read_tokens": null,
            "cache_creation_tokens": null, "cost_usd": 0.1, "uncosted_calls": 0},
        "head": null,
    });
    assert_eq!(state, expected);
}

/// If this fails, a script cannot get the ids that it needs for its next call.
#[test]
fn printing() {
    let bench = Bench::new();
    let run = bench.ok(&["emit", "run.created", "--print", "run"]);
    assert!(run.starts_with("run_2") && run.ends_with('\n') && run.len() == 28, "{run}");
    let run = run.trim();
    let id = bench.ok(&["emit", "note", "--run", run, "-f", "text=x"]);
    assert!(id.starts_with("evt_0"), "{id}");
    assert_eq!(bench.ok(&["emit", "note", "--run", run, "--print", "sequence"]), "3\n");
    assert_eq!(bench.ok(&["emit", "note", "--run", run, "--print", "none"]), "");
    assert_eq!(
        bench.ok(&["emit", "note", "--run", run, "--event-id", "mine", "--print", "id"]),
        "mine\n"
    );
    // The whole event, also when the call is a repetition, and from a stream.
    let mine = format!("{}\n", bench_line(&bench, run, 4));
    for _ in 0..2 {
        let call = ["emit", "note", "--run", run, "--event-id", "mine", "--print", "event"];
        assert_eq!(bench.ok(&call), mine);
        bench.ok(&["emit", "note", "--run", run]);
    }
    let two = b"{\"type\":\"note\"}\n{\"type\":\"note\",\"event_id\":\"last\"}\n";
    let said = bench.feed(&["emit", "--run", run, "--stdin", "--print", "event"], two);
    let expected = [7, 8].map(|number| bench_line(&bench, run, number) + "\n").concat();
    assert_eq!(said.out, expected, "{}", said.err);
    // Quiet prints only what is asked for.
    assert_eq!(bench.ok(&["-q", "emit", "note", "--run", run]), "");
    assert_eq!(bench.ok(&["-q", "emit", "note", "--run", run, "--print", "sequence"]), "11\n");
}

/// The line with that number in the log of a run.
fn bench_line(bench: &Bench, run: &str, number: usize) -> String {
    let log = fs::read_to_string(bench.path(&format!("runs/{run}/events.jsonl"))).unwrap();
    log.lines().nth(number).unwrap().to_owned()
}

/// If this fails, a script that repeats a call records its events twice.
#[test]
fn repeating_with_the_same_id_is_safe() {
    let bench = Bench::with_run();
    let call = ["note", "--event-id", "n1", "-f", "text=once", "--print", "sequence"];
    assert_eq!(bench.emit(&call), "2");
    bench.emit(&["note", "-f", "text=between"]);
    assert_eq!(bench.emit(&call), "2");
    assert_eq!(bench.lines().len(), 3);
    let error =
        bench.fails(65, &["emit", "--run", "r", "note", "--event-id", "n1", "-f", "text=other"]);
    assert!(error.contains("n1") && error.contains('2'), "{error}");
    assert_eq!(bench.lines().len(), 3);
    // A retry of run.created succeeds. Another run.created fails, because the run exists.
    bench.ok(&["emit", "run.created", "--run", "r", "--event-id", "e1"]);
    bench.fails(73, &["emit", "run.created", "--run", "r"]);
    assert_eq!(bench.lines().len(), 3);
}

/// If this fails, options set other payloads than the help says.
#[test]
fn fields_build_the_payload() {
    let bench = Bench::with_run();
    bench.emit(&[
        "note",
        "--data",
        r#"{"a":{"b":1},"z":0}"#,
        "-f",
        "a.c=x=y",
        "-F",
        "l=[1, 2]",
        "-f",
        "deep.er=t",
    ]);
    let log = bench.log();
    assert!(
        log.contains(r#""data":{"a":{"b":1,"c":"x=y"},"z":0,"deep":{"er":"t"},"l":[1,2]}"#),
        "{log}"
    );
    let error =
        bench.fails(65, &["emit", "--run", "r", "note", "--data", r#"{"a":1}"#, "-f", "a=2"]);
    assert!(error.contains("duplicate key \"a\""), "{error}");
    fs::write(bench.path("data.json"), "{\"text\":\"from a file\"}\n").unwrap();
    bench.emit(&["note", "--data", "@data.json"]);
    assert!(bench.log().contains("from a file"));
    let said = bench.feed(&["emit", "note", "--run", "r", "--data", "-"], b"{\"text\":\"piped\"}");
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(bench.log().contains("piped"));
}

/// If this fails, the records for CI do not show how a call ended.
#[test]
fn tool_and_error_records() {
    let bench = Bench::with_run();
    let at = |second: &'static str| ["--timestamp", second];
    let start = bench.emit(
        &[
            &["tool.started", "-f", "tool_name=sh", "-F", "args={\"c\":\"ls\"}"],
            &at("2026-01-01T00:00:01Z")[..],
        ]
        .concat(),
    );
    bench.emit(
        &[
            &[
                "tool.failed",
                "-f",
                "tool_name=sh",
                "-f",
                "error.message=boom",
                "-f",
                "error.code=E1",
                "-F",
                "error.retryable=true",
                "--correlation-id",
                &start,
                "--event-id",
                "f",
            ],
            &at("2026-01-01T00:00:03.250Z")[..],
        ]
        .concat(),
    );
    bench.emit(&[
        "tool.blocked",
        "-f",
        "tool_name=rm",
        "-f",
        "reason=not allowed",
        "--timestamp",
        "2026-01-01T00:00:04Z",
    ]);
    let tools = json_lines(&bench.path("runs/r/logs/tools.jsonl"));
    assert_eq!(
        tools[0],
        serde_json::json!({"call_id": start, "tool_name": "sh", "action": null,
        "started_at": "2026-01-01T00:00:01.000Z", "completed_at": null, "duration_ms": null,
        "status": "started", "args_summary": {"c": "ls"}, "result_summary": null,
        "artifacts": null, "error": null, "sequence": 2})
    );
    assert_eq!(tools[1]["status"], "failed");
    assert_eq!(tools[1]["duration_ms"], 2250);
    assert_eq!(tools[1]["started_at"], "2026-01-01T00:00:01.000Z");
    assert_eq!(tools[1]["error"], "boom");
    assert_eq!(tools[2]["status"], "blocked");
    assert_eq!(tools.len(), 3);
    let errors = json_lines(&bench.path("runs/r/logs/errors.jsonl"));
    assert_eq!(
        errors,
        [serde_json::json!({"code": "E1", "message": "boom", "category": "tool",
        "retryable": true, "details": null, "event_id": "f", "sequence": 3,
        "timestamp": "2026-01-01T00:00:03.250Z", "type": "tool.failed", "actor": "tool",
        "task_id": "t1", "correlation_id": start})]
    );
}

/// If this fails, an end without an id is paired with the wrong call, or has the wrong duration.
#[test]
fn ends_without_ids_take_the_newest_open_start() {
    let bench = Bench::with_run();
    for (kind, tool, second) in [
        ("tool.started", "a", 1),
        ("tool.started", "a", 2),
        ("tool.started", "b", 3),
        ("tool.completed", "a", 10),
        ("tool.completed", "a", 20),
        ("tool.completed", "a", 30),
    ] {
        let time = format!("2026-01-01T00:00:{second:02}Z");
        bench.emit(&[kind, "-f", &format!("tool_name={tool}"), "--timestamp", &time]);
    }
    let durations: Vec<_> = json_lines(&bench.path("runs/r/logs/tools.jsonl"))
        .iter()
        .skip(3)
        .map(|record| record["duration_ms"].clone())
        .collect();
    assert_eq!(durations, [8000.into(), 19000.into(), serde_json::Value::Null]);
}

/// If this fails, deleting a derived file loses something.
#[test]
fn derived_files_come_back_with_the_same_bytes() {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=a", "--correlation-id", "c"]);
    bench.emit(&["tool.failed", "-f", "tool_name=a", "--correlation-id", "c"]);
    bench.emit(&["run.completed"]);
    let names = ["run.json", "transcript.md", "logs/tools.jsonl", "logs/errors.jsonl"];
    let read = |name: &str| fs::read(bench.path("runs/r").join(name)).unwrap();
    let before = names.map(read);
    for name in names {
        fs::remove_file(bench.path("runs/r").join(name)).unwrap();
    }
    bench.ok(&["summarize", "r"]);
    bench.ok(&["transcript", "r"]);
    assert_eq!(names.map(read), before);
}

/// If this fails, a run made with `--create` has no `run.created`.
#[test]
fn create_writes_run_created_first() {
    let bench = Bench::new();
    bench.fails(66, &["emit", "note", "--run", "r"]);
    bench.ok(&["emit", "note", "--run", "r", "--create", "-f", "text=x"]);
    let types: Vec<_> = bench.lines().iter().map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["run.created", "note"]);
}

/// If this fails, a full standard output hides that the event was recorded.
#[test]
fn full_standard_output_is_told() {
    let bench = Bench::with_run();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        bench.command().args(["emit", "note", "--run", "r"]).stdout(full).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(74), "{error}");
    assert!(error.contains("event 2 is in the log"), "{error}");
    assert_eq!(bench.lines().len(), 2);
}

/// If this fails, an error in the required deliverables is not reported at once.
#[test]
fn deliverables_must_be_a_list() {
    let bench = Bench::new();
    for wrong in
        ["-fdeliverables.required=a.md", "-Fdeliverables=[\"a.md\"]", "-Fdeliverables.required=[1]"]
    {
        let error = bench.fails(65, &["emit", "run.created", "--run", "r", wrong]);
        assert!(error.contains("a list of paths"), "{error}");
    }
    bench.ok(&["emit", "run.created", "--run", "n", "-Fdeliverables.required=null"]);
    bench.fails(2, &["emit", "--run", "r", "session.jsonl", "--from", "claude-code"]);
}

/// If this fails, a refused event begins a run, or a repair counts as its beginning.
#[test]
fn beginnings() {
    let bench = Bench::new();
    let long = "x".repeat(5000);
    bench.fails(65, &["emit", "note", "--run", "r", "--create", "--summary", &long]);
    assert!(!bench.path("runs").exists());
    fs::create_dir_all(bench.path("runs/r")).unwrap();
    fs::write(bench.log_path(), "torn").unwrap();
    let told = bench.fails(66, &["emit", "note", "--run", "r"]);
    assert!(told.contains("no first event") && told.contains("--create"), "{told}");
    let bench = Bench::with_run();
    fs::write(bench.log_path(), "torn").unwrap();
    bench.ok(&["emit", "note", "--run", "r", "--create"]);
    let types: Vec<_> = bench.lines().iter().map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["log.recovered", "run.created", "note"]);
}

/// If this fails, an event is appended after the greatest sequence.
#[test]
fn the_greatest_sequence_is_the_last() {
    let bench = Bench::with_run();
    let log = bench.log().replace("\"sequence\":1,", "\"sequence\":9007199254740991,");
    fs::write(bench.log_path(), &log).unwrap();
    bench.fails(76, &["emit", "note", "--run", "r"]);
    fs::write(bench.log_path(), log.replace("740991", "740992")).unwrap();
    bench.fails(76, &["emit", "note", "--run", "r"]);
}

/// If this fails, an end far from its start is recorded differently than it is rebuilt.
#[test]
fn records_are_the_same_when_rebuilt() {
    let bench = Bench::with_run();
    let start =
        |id: &str| bench.emit(&["tool.started", "-f", "tool_name=a", "--correlation-id", id]);
    start("far");
    start("farther");
    let filler =
        format!("{{\"type\":\"note\",\"data\":{{\"text\":\"{}\"}}}}\n", "x".repeat(20_000));
    assert_eq!(
        bench.feed(&["emit", "--run", "r", "--stdin"], filler.repeat(20).as_bytes()).status,
        0
    );
    bench.emit(&[
        "tool.completed",
        "-f",
        "tool_name=a",
        "-F",
        "duration_ms=5",
        "--correlation-id",
        "far",
    ]);
    bench.emit(&["tool.completed", "-f", "tool_name=a"]);
    let before = fs::read(bench.path("runs/r/logs/tools.jsonl")).unwrap();
    fs::remove_file(bench.path("runs/r/logs/tools.jsonl")).unwrap();
    bench.ok(&["summarize", "r"]);
    assert_eq!(fs::read(bench.path("runs/r/logs/tools.jsonl")).unwrap(), before);
}

/// If this fails, a reader of the records finds calls that never end, or an error without its code.
#[test]
fn records_of_calls_with_prefixes_and_of_errors_in_outputs() {
    let bench = Bench::with_run();
    let result = |run: &str, output: serde_json::Value| {
        serde_json::json!({"runId": run, "id": "c", "name": "h", "output": output}).to_string()
    };
    for run in ["R", "S"] {
        let data = serde_json::json!({"runId": run, "id": format!("{run}/c"), "name": "h"});
        bench.emit(&["tool_call", "--data", &data.to_string()]);
    }
    let error = serde_json::json!({"error": {"code": "EACCES", "message": "no", "retryable": true, "category": "sandbox"}});
    bench.emit(&["tool_result", "--data", &result("S", error)]);
    bench.emit(&["tool_result", "--data", &result("R", serde_json::json!({"result": "ok"}))]);
    let records = json_lines(&bench.path("runs/r/logs/tools.jsonl"));
    let ids: Vec<_> = records.iter().map(|record| record["call_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["R/c", "S/c", "S/c", "R/c"]);
    let errors = json_lines(&bench.path("runs/r/logs/errors.jsonl"));
    let told = ["code", "category", "retryable"].map(|name| errors[0][name].clone());
    assert_eq!(serde_json::json!(told), serde_json::json!(["EACCES", "sandbox", true]));
    // What is denied is not told by its own JSON.
    let denied = r#"{"id":"d","name":"rm","is_error":true,"output":{"status":"denied"}}"#;
    let said =
        bench.ok(&["emit", "tool_result", "--run", "r", "--print", "event", "--data", denied]);
    assert!(said.contains("rm denied: not allowed"), "{said}");
}
