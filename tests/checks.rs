//! The table of checks. For each check, there is a run that only this check rejects. Valid special
//! cases have runs without findings.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use runlog::internals::check::{CHECKS, Level};
use runlog::internals::hash::line_hash;
use serde_json::{Value, json};

use crate::support::{Bench, Prepared, fresh, root, tasks};
use crate::validate::sound;

/// The next line of the log, with these members changed, or left out if `(absent)`. Keys are in
/// alphabetical order.
pub(crate) fn next_line(log: &str, changes: &str) -> String {
    next_event(log, changes).to_string() + "\n"
}

pub(crate) fn next_event(log: &str, changes: &str) -> Value {
    let (sequence, last) = (log.lines().count() + 1, log.lines().last().unwrap_or_default());
    let mut line = serde_json::json!({
        "event_id": format!("n{sequence}"), "sequence": sequence, "run_id": "r",
        "session_id": "s1", "task_id": "t1", "type": "note",
        "timestamp": "2100-01-01T00:00:00.000Z", "actor": "user", "severity": "info",
        "summary": "x", "data": {"text": "x"}, "prev_hash": line_hash(last.as_bytes()),
    });
    if last.is_empty() {
        line.as_object_mut().unwrap().remove("prev_hash");
    }
    let changes: Value = serde_json::from_str(changes).unwrap();
    for (name, value) in changes.as_object().unwrap() {
        if value == "(absent)" {
            line.as_object_mut().unwrap().remove(name);
        } else {
            line[name] = value.clone();
        }
    }
    line
}

/// The run with lines appended.
fn and(bench: Bench, lines: &[&str]) -> Bench {
    for changes in lines {
        bench.append_raw(next_line(&bench.log(), changes).as_bytes());
    }
    bench
}

/// A valid run with one more line.
fn line(changes: &str) -> Bench {
    and(sound(), &[changes])
}

fn bytes(bytes: &[u8]) -> Bench {
    let bench = sound();
    bench.append_raw(bytes);
    bench
}

/// A run of only these lines.
fn only(lines: &[&str]) -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs/r")).unwrap();
    fs::write(bench.log_path(), "").unwrap();
    let bench = and(bench, lines);
    for command in ["summarize", "transcript"] {
        bench.ok(&[command, "r"]);
    }
    bench
}

/// A valid run in which one file has other content or is missing.
fn file(name: &str, edit: impl Fn(&str) -> Option<String>) -> Bench {
    rewritten(sound(), name, edit)
}

fn rewritten(bench: Bench, name: &str, edit: impl Fn(&str) -> Option<String>) -> Bench {
    let path = bench.path("runs/r").join(name);
    let old = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    if let Some(new) = edit(&old) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, new).unwrap();
    }
    bench
}

/// An ended run with three finished tasks of two events each.
/// A run with a summary by a model that begins at event `first` and ends at the event `last`.
fn summarized(text: &str, first: u64, last: &str) -> Bench {
    let data = json!({
        "text": text, "filter_key": "", "first_sequence": first, "last_event_id": last,
        "last_sequence": 2, "previous_event_id": null, "source": "llm", "input_tokens": 1,
        "output_tokens": 1, "words": 1,
    });
    only(&[
        r#"{"type":"run.created","data":{"title":"t"}}"#,
        r#"{"type":"note","event_id":"n","data":{"text":"ran make"}}"#,
        &json!({"type": "session.summarized", "data": data}).to_string(),
        r#"{"type":"run.completed","data":{}}"#,
    ])
}

fn three_tasks() -> Bench {
    static MADE: Prepared = Prepared::new();
    MADE.copy(|| {
        let bench = tasks("SkSkSk");
        bench.emit(&["run.completed"]);
        bench
    })
}

fn chapter(slug: &str, start: u64, end: u64) -> String {
    let (first, last) = (2 * start, 2 * end + 1);
    let events = 2 * (end + 1 - start);
    let data = serde_json::json!({
        "name": "N", "slug": slug, "message": "M", "start": start, "end": end,
        "first_sequence": first, "last_sequence": last, "events": events,
        "tokens_before": 1, "tokens_after": 1,
    });
    serde_json::json!({"type": "chapter.created", "data": data}).to_string()
}

fn with_chapter() -> Bench {
    static MADE: Prepared = Prepared::new();
    MADE.copy(|| {
        let bench = three_tasks();
        let add = ["chapter", "add", "r", "--start", "1", "--end", "1", "--message", "M"];
        bench.ok(&[&add[..], &["--name", "One"]].concat());
        bench.ok(&["chapter", "export", "r"]);
        bench
    })
}

/// A run with more rejected lines than events.
fn mostly_rejecting() -> Bench {
    let bench = sound();
    let lines = "garbage\n".repeat(bench.lines().len() + 1);
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes()).status, 65);
    bench
}

/// A completed run with a malformed event that ends it.
fn ending_badly(kind: &str) -> Bench {
    let bench = sound();
    let line = format!("{{\"type\":\"{kind}\",\"data\":{{\"error\":}}}}\n");
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes()).status, 65);
    bench
}

/// If this fails, a malformed second end of the same kind fails a run, or a rejected line that is no
/// end does.
#[test]
fn a_rejected_line_that_changes_nothing() {
    let bench = ending_badly("run.completed");
    let said = bench.call(&["validate", "r"]);
    assert_eq!(said.status, 0, "{}", said.out);
    assert!(said.out.contains("RL016") && said.out.contains("1 warning"), "{}", said.out);
    assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 1);
    let bench = ending_badly("task.failed");
    assert!(!bench.call(&["validate", "r"]).out.contains("RL016"));
}

/// If this fails, a check of deliverables is the only event of a run that never began.
#[test]
fn nothing_is_recorded_in_an_empty_log() {
    let bench = empty();
    let said = bench.call(&["validate", "r", "--record"]);
    assert_eq!(said.status, 1, "{}", said.out);
    assert!(said.err.contains("nothing is recorded, because the log is empty"), "{}", said.err);
    assert_eq!(bench.log(), "");
}

/// A run whose log tells of a rejected line.
fn rejecting() -> Bench {
    let bench = sound();
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], b"garbage\n").status, 65);
    bench
}

/// A run with a blob whose file is then changed.
fn blob(change: impl Fn(&Path)) -> Bench {
    let bench = Bench::with_run();
    fs::write(bench.path("big"), "x".repeat(20_000)).unwrap();
    let value = serde_json::json!({"text": "x".repeat(20_000)}).to_string();
    fs::write(bench.path("big"), value).unwrap();
    bench.emit(&["note", "--data", "@big"]);
    bench.emit(&["run.completed"]);
    let stored = fs::read_dir(bench.path("runs/r/blobs")).unwrap().next().unwrap().unwrap();
    change(&stored.path());
    bench
}

/// A run with an imported event, whose file of source lines is changed.
fn sourced(change: impl Fn(&Path)) -> Bench {
    let bench = Bench::with_run();
    bench.import_from("pi", "{\"type\":\"session_info\",\"name\":\"x\"}\n");
    bench.emit(&["run.completed"]);
    change(&bench.path("runs/r/source.jsonl.zst"));
    bench
}

fn leaky() -> Bench {
    let bench = Bench::with_run();
    let key = format!("text=ghp_{}", "a1B2".repeat(9));
    bench.emit(&["note", "--no-redact", "-f", &key]);
    bench.emit(&["run.completed"]);
    bench
}

/// A run of which the log says only that it completed.
fn completed() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    bench
}

/// A run like that of an imported session whose last turn the user interrupted.
fn interrupted() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=go"]);
    bench.emit(&["user.interrupted"]);
    bench.emit(&["run.imported"]);
    bench
}

/// A run directory with a log, and nothing in it.
fn empty() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs/r")).unwrap();
    fs::write(bench.log_path(), "").unwrap();
    bench
}

/// A run whose deliverable has a recorded verdict.
fn recorded(content: &str) -> Bench {
    let bench = requiring("a.md");
    fs::write(bench.path("runs/r/deliverables/a.md"), content).unwrap();
    fs::remove_dir(bench.path("runs/r/deliverables/folder.md")).unwrap();
    bench.call(&["validate", "r", "--record"]);
    bench
}

fn requiring(path: &str) -> Bench {
    let bench = Bench::created(&["-F", &format!("deliverables.required=[{path:?}]")]);
    bench.emit(&["run.completed"]);
    fs::create_dir_all(bench.path("runs/r/deliverables/folder.md")).unwrap();
    fs::write(bench.path("runs/r/deliverables/empty.md"), "").unwrap();
    fs::remove_file(bench.path("runs/r/deliverables/empty.md")).unwrap();
    bench
}

/// If this fails, a check misses its fault, or another check reports it too.
#[test]
fn each_check_has_its_run() {
    let open = |bench: Bench| {
        let log = fs::File::open(bench.log_path()).unwrap();
        log.lock().unwrap();
        (bench, log)
    };
    let (in_flight, _lock) = open(bytes(b"{\"event_id\":\"e5\""));
    let moved = sound();
    let copy = moved.ok(&["show", "r", "--full", "--format", "jsonl"]);
    let as_other = ["emit", "--run", "other", "--create", "--stdin", "--from", "runlog", "-q"];
    assert_eq!(moved.feed(&as_other, copy.as_bytes()).status, 0);
    fs::remove_dir_all(moved.path("runs/r")).unwrap();
    fs::rename(moved.path("runs/other"), moved.path("runs/r")).unwrap();
    let wrong_head = format!("4:{}", "0".repeat(64));
    let expecting = ["--expect-head", &wrong_head];
    let backfill = r#"{"type":"summary.backfilled","summary":null,"data":{"target_event_id":"n5","summary":"wrong","source":"template"}}"#;
    let unknown = r#"{"type":"summary.backfilled","summary":null,"data":{"target_event_id":"nobody","summary":"x","source":"llm"}}"#;
    let created = r#"{"type":"run.created","data":{}}"#;
    let ended = r#"{"type":"run.completed","data":{}}"#;
    let hash = format!("{{\"prev_hash\":\"{}\"}}", "0".repeat(64));
    let misfit = chapter("a", 1, 1).replace("\"last_sequence\":3", "\"last_sequence\":4");
    let page = "chapters/one/events/001-taskstart.md";
    let no: &[&str] = &[];
    let cases: Vec<(&str, Bench, &[&str])> = vec![
        ("RL001", bytes(b"\xff\n"), no),
        ("RL002", bytes(b"{\"a\":}\n"), no),
        ("RL003", bytes(b"{\"a\":1,\"a\":2}\n"), no),
        ("RL004", bytes(b"[]\n"), no),
        ("RL005", line(r#"{"actor":"(absent)"}"#), no),
        ("RL006", line(r#"{"severity":"loud"}"#), no),
        ("RL007", bytes(format!("{{\"a\":\"{}\"}}\n", "x".repeat(9 << 20)).as_bytes()), no),
        ("RL009", bytes(b"\n"), no),
        ("RL010", bytes(b"{\"event_id\":\"e5\""), no),
        ("RL010", bytes(&vec![b'x'; (8 << 20) + 1]), no),
        ("RL011", in_flight, no),
        ("RL012", line(r#"{"type":"file.read","data":{}}"#), no),
        (
            "RL013",
            {
                let bench = sound();
                let end = bench.log().len();
                let record = format!(r#"{{"origin":"tail","offset":{end},"bytes":4,"reason":""}}"#);
                rewritten(bench, "logs/rejected.jsonl", |_| Some(format!("{record}\n")))
            },
            no,
        ),
        ("RL014", rewritten(rejecting(), "logs/rejected.jsonl", |_| None), no),
        (
            "RL014",
            rewritten(rejecting(), "logs/rejected.jsonl", |text| {
                Some(text.replace("garbage", "cabbage"))
            }),
            no,
        ),
        (
            "RL014",
            {
                let bench = sound();
                bench.append_raw(b"torn");
                bench.emit(&["note", "-f", "text=x"]);
                rewritten(bench, "logs/rejected.jsonl", |text| Some(text.replace("torn", "born")))
            },
            no,
        ),
        ("RL015", mostly_rejecting(), no),
        ("RL016", ending_badly("run.failed"), no),
        ("RL017", rewritten(rejecting(), "logs/rejected.jsonl", |text| Some(text.repeat(2))), no),
        ("RL101", line(r#"{"sequence":7}"#), no),
        ("RL102", line(r#"{"sequence":4}"#), no),
        ("RL103", line(r#"{"event_id":"e2"}"#), no),
        ("RL104", line(r#"{"run_id":"other"}"#), no),
        ("RL105", line(r#"{"timestamp":"2020-01-01T00:00:00Z"}"#), no),
        ("RL201", line(r#"{"parent_event_id":"nobody"}"#), no),
        ("RL202", line(r#"{"type":"tool.started","data":{"tool_name":"b"}}"#), no),
        ("RL203", line(r#"{"type":"tool.completed","data":{"tool_name":"b"}}"#), no),
        (
            "RL204",
            line(r#"{"type":"tool.completed","data":{"tool_name":"a"},"correlation_id":"c"}"#),
            no,
        ),
        (
            "RL205",
            and(
                sound(),
                &[
                    r#"{"type":"tool.started","data":{"tool_name":"b"},"correlation_id":"d"}"#,
                    r#"{"type":"tool.completed","data":{"tool_name":"b","duration_ms":-1},"correlation_id":"d"}"#,
                ],
            ),
            no,
        ),
        ("RL206", line(r#"{"event_id":"me","parent_event_id":"me"}"#), no),
        ("RL301", line(&hash), no),
        ("RL302", line(r#"{"prev_hash":"(absent)"}"#), no),
        ("RL303", file("run.json", |text| Some(text.replace("\"hash\": \"", "\"hash\": \"0"))), no),
        (
            "RL304",
            only(&[
                r#"{"type":"run.created","data":{},"prev_hash":"0000000000000000000000000000000000000000000000000000000000000000"}"#,
                ended,
            ]),
            no,
        ),
        ("RL305", sound(), &expecting),
        (
            "RL401",
            only(&[
                created,
                r#"{"type":"run.started","data":{}}"#,
                r#"{"type":"run.started","data":{}}"#,
                ended,
            ]),
            no,
        ),
        ("RL402", line(r#"{"type":"run.started","data":{}}"#), no),
        ("RL403", file("run.json", |_| None), no),
        ("RL404", file("run.json", |_| Some("[]".to_owned())), no),
        ("RL405", file("run.json", |text| Some(text.replace("completed", "failed"))), no),
        ("RL406", only(&["{}", ended]), no),
        ("RL407", moved, no),
        ("RL408", Bench::with_run(), no),
        ("RL409", Bench::with_run(), &["--expect-status", "completed"]),
        ("RL410", empty(), no),
        (
            "RL411",
            and(
                sound(),
                &[
                    r#"{"type":"tool.started","data":{"tool_name":"b"},"correlation_id":"d"}"#,
                    r#"{"type":"tool.completed","data":{"tool_name":"b"},"correlation_id":"d"}"#,
                ],
            ),
            no,
        ),
        ("RL412", interrupted(), &["--expect-status", "imported"]),
        ("RL413", completed(), &["--expect-status", "completed"]),
        ("RL501", file("logs/tools.jsonl", |_| None), no),
        ("RL502", file("logs/tools.jsonl", |text| Some(format!("{text}{{}}\n"))), no),
        (
            "RL503",
            file("transcript.md", |text| {
                Some(text.replace("Made by runlog ", "Made by runlog 9."))
            }),
            no,
        ),
        ("RL504", file("transcript.md", |text| Some(format!("{text}x"))), no),
        (
            "RL505",
            rewritten(sound(), "logs/.runlog-999999999-abc.tmp", |_| Some(String::new())),
            no,
        ),
        (
            "RL601",
            and(sound(), &[r#"{"type":"file.read","summary":null,"data":{"path":"p"}}"#, backfill]),
            no,
        ),
        ("RL602", line(unknown), no),
        ("RL603", summarized("x", 1, "nobody"), no),
        ("RL604", summarized("x", 2, "n"), no),
        ("RL605", summarized("ran `make world`", 1, "n"), no),
        ("RL701", and(three_tasks(), &[&chapter("not a slug", 1, 1)]), no),
        ("RL702", and(three_tasks(), &[&chapter("a", 1, 2), &chapter("b", 2, 3)]), no),
        ("RL703", and(three_tasks(), &[&chapter("a", 1, 1), &chapter("a", 2, 2)]), no),
        (
            "RL704",
            and(three_tasks(), &[r#"{"type":"chapter.removed","data":{"slug":"nobody"}}"#]),
            no,
        ),
        ("RL705", and(three_tasks(), &[&misfit]), no),
        ("RL711", rewritten(with_chapter(), page, |_| None), no),
        ("RL712", rewritten(with_chapter(), page, |text| Some(format!("{text}x"))), no),
        ("RL713", rewritten(with_chapter(), "chapters/one/mine.md", |_| Some("x".into())), no),
        ("RL801", requiring("deliverables/../run.json"), no),
        ("RL802", requiring("folder.md"), no),
        ("RL803", requiring("nothing.md"), no),
        ("RL804", file("deliverables/a.md", |_| Some(String::new())), &["--require", "a.md"]),
        ("RL805", file("deliverables/a.md", |_| Some("x".to_owned())), no),
        ("RL806", rewritten(recorded("x"), "deliverables/a.md", |_| Some("y".to_owned())), no),
        ("RL807", rewritten(recorded(""), "deliverables/a.md", |_| Some("x".to_owned())), no),
        ("RL901", line(r#"{"type":"my.own"}"#), no),
        ("RL902", line(r#"{"own":1}"#), no),
        ("RL903", leaky(), no),
        ("RL904", line(r#"{"type":"llm.usage","data":{"input_tokens":-1,"output_tokens":1}}"#), no),
        (
            "RL904",
            line(
                r#"{"type":"llm.usage","data":{"input_tokens":1,"output_tokens":1,"cost_usd":"0.1"}}"#,
            ),
            no,
        ),
        ("RL905", only(&[r#"{"type":"run.created","data":{"metdata":{"agent":"a"}}}"#, ended]), no),
        (
            "RL906",
            only(&[
                r#"{"type":"run.created","data":{"deliverables":{"requires":["a.md"]}}}"#,
                ended,
            ]),
            no,
        ),
        ("RL911", blob(|path| fs::remove_file(path).unwrap()), no),
        ("RL912", blob(|path| fs::write(path, "other").unwrap()), no),
        (
            "RL913",
            blob(|path| {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
            }),
            no,
        ),
        (
            "RL914",
            line(r#"{"type":"note","data":{"text":"x","big":{"$blob":"../../x","bytes":4}}}"#),
            no,
        ),
        ("RL915", blob(|path| fs::copy(path, path.with_file_name("other")).map(drop).unwrap()), no),
        ("RL921", sourced(|path| fs::remove_file(path).unwrap()), no),
        (
            "RL922",
            sourced(|path| {
                let bytes = fs::read(path).unwrap();
                fs::write(path, bytes.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()).unwrap();
            }),
            no,
        ),
        (
            "RL923",
            sourced(|path| {
                fs::remove_file(path).unwrap();
                fs::create_dir(path).unwrap();
            }),
            no,
        ),
    ];
    let mut seen = BTreeSet::new();
    for (code, bench, args) in cases {
        seen.insert(code);
        let level = CHECKS.iter().find(|check| check.code.name() == code).unwrap().level;
        let call = |more: &[&str]| bench.call(&[&["validate", "r"], args, more].concat());
        let said = call(&["--format", "json"]);
        assert!(!said.out.is_empty(), "{code}: {}", said.err);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let findings = report["runs"][0]["findings"].as_array().unwrap();
        let rejecting = findings.iter().filter(|finding| {
            // Lines of another writer make the derived files stale. That is a note, so allow
            // others.
            let is_expected = finding["code"] == code;
            // The lines of most cases follow the end of a sound run.
            let is_of_case = finding["level"] != "info" && finding["code"] != "RL411";
            is_of_case || is_expected && (finding["level"] != "info" || level == Level::Info)
        });
        let codes: BTreeSet<&str> =
            rejecting.map(|finding| finding["code"].as_str().unwrap()).collect();
        assert_eq!(codes, BTreeSet::from([code]), "{code}: {findings:#?}");
        let verdict = match code {
            "RL801" => 4,
            "RL802" => 1,
            "RL803" | "RL804" | "RL807" => 3,
            "RL409" => 5,
            _ => i32::from(level == Level::Error),
        };
        assert_eq!(said.status, verdict, "{code} is of level {}", level.name());
        if !code.starts_with("RL8") && code != "RL409" {
            let strict = call(&["--strict"]).status;
            assert_eq!(strict, i32::from(level != Level::Info), "{code} with --strict");
        }
        // The check can be selected and ignored.
        let left_out = call(&["--ignore", &format!("{code},RL411"), "--strict"]);
        assert_eq!(left_out.status, 0, "--ignore {code}: {}", left_out.out);
        let chosen = call(&["--select", code, "--strict", "--format", "json"]);
        assert!(chosen.out.contains(code), "--select {code}");
    }
    let all: BTreeSet<&str> = CHECKS.iter().map(|check| check.code.name()).collect();
    assert_eq!(seen, all, "a check without its run, or a run without its check");
}

/// If this fails, a valid use is reported as a finding.
#[test]
fn what_is_no_finding() {
    let imported = |changes: &str| {
        let data = r#"{"_runlog":{"dialect":"claude-code"},"tool_name":"b","text":"x"}"#;
        line(&changes.replace("DATA", data))
    };
    let cases: Vec<(&str, Bench)> = vec![
        ("a CRLF at the end of a line", {
            let bench = sound();
            let next = next_line(&bench.log(), "{}").replace('\n', "\r\n");
            bench.append_raw(next.as_bytes());
            bench
        }),
        ("line separators in a string", line("{\"data\":{\"text\":\"a\u{2028}b\u{2029}c\"}}")),
        ("numbers that no machine holds", {
            let bench = sound();
            let next = next_line(&bench.log(), r#"{"data":{"text":"NUMBER"}}"#);
            let next = next.replace("\"NUMBER\"", "[1e400,123456789012345678901234567890,1.0,1]");
            bench.append_raw(next.as_bytes());
            bench
        }),
        ("escaped control characters", line(r#"{"data":{"text":"\u0000\u001b[31m"}}"#)),
        ("times that are equal", and(sound(), &["{}", "{}"])),
        ("calls that overlap", {
            let bench = Bench::with_run();
            for (kind, call) in
                [("started", "a"), ("started", "b"), ("completed", "a"), ("completed", "b")]
            {
                let kind = format!("tool.{kind}");
                bench.emit(&[&kind, "-f", "tool_name=t", "--correlation-id", call]);
            }
            bench.emit(&["run.completed"]);
            bench
        }),
        ("a call that was blocked before it began", {
            let bench = Bench::with_run();
            bench.emit(&["tool.blocked", "-f", "tool_name=t", "-f", "reason=no"]);
            bench.emit(&["run.completed"]);
            bench
        }),
        ("a parent", line(r#"{"parent_event_id":"e1"}"#)),
        ("the same end twice", line(r#"{"type":"run.completed","data":{}}"#)),
        ("a chapter in a later one", {
            let bench = with_chapter();
            let add = ["chapter", "add", "r", "--start", "1", "--end", "2", "--message", "M"];
            bench.ok(&[&add[..], &["--name", "Both"]].concat());
            bench.ok(&["chapter", "remove", "r", "one"]);
            bench
        }),
        ("an empty deliverable that may be", {
            let bench = Bench::created(&["-F", r#"deliverables.required=["a.md:allow-empty"]"#]);
            bench.emit(&["run.completed"]);
            rewritten(bench, "deliverables/a.md", |_| Some(String::new()))
        }),
        ("a blob", blob(|_| {})),
        ("an imported clock", imported(r#"{"timestamp":"2020-01-01T00:00:00Z","data":DATA}"#)),
        ("an imported parent", imported(r#"{"parent_event_id":"nobody","data":DATA}"#)),
        ("an imported open call", imported(r#"{"type":"tool.started","data":DATA}"#)),
        ("a call that is open while its run is", {
            let bench = Bench::with_run();
            bench.emit(&["tool.started", "-f", "tool_name=t"]);
            bench
        }),
    ];
    for (what, bench) in cases {
        let said = bench.call(&["validate", "r", "--strict"]);
        assert_eq!(said.status, 0, "{what}: {}", said.out);
    }
}

/// If this fails, the page of checks differs from the table of checks.
#[test]
fn the_page_of_checks_is_fresh() {
    use runlog::internals::check::{Check, Fix};
    let mut page = String::from(
        "# Checks\n\n\
         `runlog validate` reports findings. Each finding has a code, a level and a place. The codes\n\
         never change their meaning. `runlog validate --explain RL301` prints the same text as this\n\
         page.\n\n\
         An error makes the verdict `failed`. With `--strict`, warnings count too. The column *fix*\n\
         says what `--fix` does: it rebuilds a derived file from the log, repairs the end of the log, or\n\
         removes a left-over file. It never edits a complete line.\n\n\
         This page is generated from the table in `src/check/table.rs`. `UPDATE=1 cargo test checks`\n\
         updates it.\n\n\
         | code | level | family | what it finds | fix |\n|---|---|---|---|---|\n",
    );
    let fix = |check: &Check| match check.fix {
        Fix::Nothing => "",
        Fix::End => "repairs the end",
        Fix::Rebuild => "rebuilds",
        Fix::Clear => "removes",
    };
    for check in CHECKS {
        let Check { code, family, title, .. } = check;
        let row = format!(
            "| [{code}](#{}) | {} | {family} | {title} | {} |\n",
            code.name().to_lowercase(),
            check.level.name(),
            fix(check)
        );
        page.push_str(&row);
    }
    for Check { code, title, why, remedy, .. } in CHECKS {
        page.push_str(&format!(
            "\n## {code}\n\n**{title}.** {}\n\nHow to fix it: {}\n",
            sentence(why),
            sentence(remedy)
        ));
    }
    fresh(&root().join("docs/checks.md"), page.as_bytes(), "checks");
}

/// A text of the table as a sentence.
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    let end = if text.ends_with(['.', '?', '!', '`']) && text.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), characters.as_str())
}

/// If this fails, a made-up summary passes for that of a template.
#[test]
fn a_forged_template_summary_is_found() {
    let forged = |kind: &str, summary: &str| {
        let bench = Bench::with_run();
        bench.emit(&[
            kind,
            "--event-id",
            "forged",
            "-f",
            "agentId=a",
            "-f",
            "operation=modified",
            "-f",
            "path=p",
            "-f",
            "text=x",
        ]);
        let own = bench.lines().last().unwrap()["summary"].as_str().map(str::to_owned);
        let summary = if summary.is_empty() { own.unwrap() } else { summary.to_owned() };
        bench.emit(&[
            "summary.backfilled",
            "-f",
            "target_event_id=forged",
            "-f",
            "source=template",
            "-f",
            &format!("summary={summary}"),
        ]);
        bench.emit(&["run.completed"]);
        bench.codes().contains(&"RL601".to_owned())
    };
    assert!(forged("file_changed", "a deleted /etc/passwd"));
    assert!(forged("message.assistant", "a said nothing"));
    assert!(!forged("file_changed", ""));
}
