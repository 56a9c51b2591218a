//! `show --waterfall`: its text in three widths, its document, selections, and runs with odd times.

use serde_json::{Value, json};

use crate::support::{Bench, Said, fresh, root, said};

/// A line for `emit --stdin`, `seconds` after 10:00.
fn event(seconds: f64, kind: &str, call: &str, data: &Value) -> String {
    let millis = (seconds * 1000.0).round() as u64;
    let (of_hour, hour) = (millis % 3_600_000, 10 + millis / 3_600_000);
    let (minute, second) = (of_hour / 60_000, of_hour % 60_000 / 1000);
    let time = format!("2026-04-26T{hour:02}:{minute:02}:{second:02}.{:03}Z", millis % 1000);
    let mut event = json!({"type": kind, "timestamp": time, "data": data});
    if !call.is_empty() {
        event["correlation_id"] = call.into();
    }
    if kind == "message.user" {
        event["actor"] = "user".into();
    }
    event.to_string()
}

/// The start and the end of a call.
fn call(from: f64, to: f64, id: &str, tool: &str, arguments: &Value) -> [String; 2] {
    let data = json!({"tool_name": tool, "args": arguments});
    [
        event(from, "tool.started", id, &data),
        event(to, "tool.completed", id, &json!({"tool_name": tool})),
    ]
}

fn record(lines: &[String]) -> Bench {
    let bench = Bench::new();
    let created = json!({"type": "run.created", "timestamp": "2026-04-26T10:00:00Z", "data":
        {"metadata": {"agent": "builder", "cwd": "/w/app"}}});
    let lines = format!("{created}\n{}\n", lines.join("\n"));
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

/// Two agents; short, failed, blocked and open calls; a pause of 41 minutes; hostile texts.
fn sample() -> Bench {
    let user = |at, text: &str| event(at, "message.user", "", &json!({ "text": text }));
    let mut lines = vec![event(0.0, "run.started", "", &json!({})), user(0.0, "Fix the parser")];
    let usage = json!({"message_id": "m1", "input_tokens": 1200, "output_tokens": 300});
    lines.push(event(5.0, "llm.usage", "", &usage));
    for file in 0..9 {
        let from = 6.0 + f64::from(file);
        let path = json!({"file_path": format!("/w/app/src/f{file}.rs")});
        lines.extend(call(from, from + 0.2, &format!("r{file}"), "Read", &path));
    }
    let task = json!({"tool_name": "Task", "args": {"description": "look around", "subagent_type": "Explore"}});
    lines.push(event(16.0, "tool.started", "t", &task));
    let grep = json!({"tool_name": "Grep", "agent_id": "sub1", "spawned_by": "t", "args": {"pattern": "fn parse"}});
    lines.push(event(17.0, "tool.started", "g", &grep));
    lines.push(event(
        29.0,
        "tool.completed",
        "g",
        &json!({"tool_name": "Grep", "agent_id": "sub1"}),
    ));
    lines.push(event(40.0, "tool.completed", "t", &json!({"tool_name": "Task"})));
    let test = json!({"tool_name": "Bash", "args": {"command": "cargo test -p parser"}});
    lines.push(event(41.0, "tool.started", "b", &test));
    let failed = json!({"tool_name": "Bash", "error": {"message": "2 tests failed"}});
    lines.push(event(75.0, "tool.failed", "b", &failed));
    lines.push(event(80.0, "error", "", &json!({"message": "rate limit"})));
    lines.push(user(2595.0, "go on"));
    lines.push(event(2600.0, "tool.started", "e", &json!({"tool_name": "Edit"})));
    lines.push(event(2601.0, "tool.blocked", "e", &json!({"tool_name": "Edit"})));
    let hostile =
        json!({"tool_name": "Sh\u{1b}[2J\u{202e}", "args": {"command": "a\u{1b}]0;x\u{7}b\nc"}});
    lines.push(event(2604.0, "tool.started", "h", &hostile));
    lines.push(event(2640.0, "message.assistant", "", &json!({"text": "waiting"})));
    record(&lines)
}

fn waterfall(bench: &Bench, columns: &str, more: &[&str]) -> Said {
    let mut command = bench.command();
    command.args(["show", "r", "--waterfall"]).args(more).env("COLUMNS", columns);
    said(&command.output().unwrap())
}

/// The text without colours and styles.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').unwrap().1)
}

/// If this fails, the waterfall has changed, is wider than its terminal, or a text of the log acts.
#[test]
fn in_three_widths() {
    let bench = sample();
    for columns in ["60", "80", "200"] {
        let printed = waterfall(&bench, columns, &[]).out;
        let width: usize = columns.parse().unwrap();
        assert!(printed.lines().all(|line| line.chars().count() <= width), "{printed}");
        assert!(!printed.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{printed}");
        let golden = root().join(format!("tests/golden/waterfall/{columns}.txt"));
        fresh(&golden, printed.as_bytes(), "waterfall");
        let coloured = waterfall(&bench, columns, &["--color", "always"]).out;
        assert!(coloured.contains("\u{1b}[31m") && !coloured.contains('\u{202e}'));
        assert_eq!(plain(&coloured), printed);
    }
    // Without COLUMNS, a pipe has 100 columns.
    assert_eq!(bench.ok(&["show", "r", "--waterfall"]), waterfall(&bench, "100", &[]).out);
}

/// If this fails, programs read other times, agents or states than those of the log.
#[test]
fn document() {
    let bench = sample();
    let text = bench.ok(&["show", "r", "--waterfall", "--format", "json"]);
    assert!(!text.contains('\u{202e}'));
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["start"], "2026-04-26T10:00:00.000Z");
    assert_eq!(document["duration_ms"], 2_640_000);
    let names: Vec<&Value> =
        document["lanes"].as_array().unwrap().iter().map(|lane| &lane["name"]).collect();
    assert_eq!(names, ["builder", "Explore"]);
    let spans = document["spans"].as_array().unwrap();
    assert_eq!(spans.len(), 14);
    let log = bench.lines();
    for (tool, lane, start, duration, status) in [
        ("Task", 0, 16_000, json!(24_000), "completed"),
        ("Grep", 1, 17_000, json!(12_000), "completed"),
        ("Bash", 0, 41_000, json!(34_000), "failed"),
        ("Edit", 0, 2_600_000, json!(1_000), "blocked"),
        ("Sh\u{1b}[2J\u{202e}", 0, 2_604_000, Value::Null, "started"),
    ] {
        let span = spans.iter().find(|span| span["name"] == tool).unwrap();
        assert_eq!((&span["lane"], &span["start_ms"]), (&json!(lane), &json!(start)), "{tool}");
        assert_eq!((&span["duration_ms"], &span["status"]), (&duration, &json!(status)), "{tool}");
        let sequence = span["sequence"].as_u64().unwrap();
        let first = log.iter().find(|event| event["sequence"] == sequence).unwrap();
        assert_eq!(span["event_id"], first["event_id"], "{tool}");
    }
    assert_eq!(document["idle"], json!([{"start_ms": 80_000, "duration_ms": 2_515_000}]));
    let marks: Vec<&Value> =
        document["marks"].as_array().unwrap().iter().map(|mark| &mark["at_ms"]).collect();
    assert_eq!(marks, [0, 80_000, 2_595_000]);
}

/// The printed labels of calls.
fn bars(text: &str) -> Vec<String> {
    let is_bar = |line: &&str| line.starts_with("  ") && !line.trim_start().starts_with(['│', '…']);
    let label = |line: &str| line.split_whitespace().next().unwrap().to_owned();
    text.lines().skip(2).filter(is_bar).map(label).collect()
}

/// If this fails, a selection prints other calls than those that it names, or is ignored.
#[test]
fn selections() {
    let bench = sample();
    for (options, expected) in [
        ("--type tool.failed", &["Bash"][..]),
        ("--since 2026-04-26T10:00:30Z --until 2026-04-26T10:01:00Z", &["Task", "Bash"]),
        ("--grep parser", &["Bash"]),
        ("--tail 2", &["Edit", "Sh\\u{202e}"]),
        ("--limit 2", &["Bash", "Sh\\u{202e}"]),
        ("--limit 0", &[]),
    ] {
        let words: Vec<&str> = options.split(' ').collect();
        let printed = waterfall(&bench, "100", &words).out;
        // The hostile tool has further characters.
        let found = bars(&printed);
        assert_eq!(found.len(), expected.len(), "{options}: {printed}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found[..2] == expected[..2], "{options}: {printed}");
        }
    }
    assert!(waterfall(&bench, "100", &["--limit", "2"]).out.contains("shorter calls not shown"));
    let none = waterfall(&bench, "100", &["--task", "other"]);
    assert!(none.out.is_empty() && none.err.contains("matches"), "{}", none.err);
    for refused in [
        "--follow",
        "--folded",
        "--head",
        "--full",
        "--relative",
        "--local",
        "--opaque",
        "--format=jsonl",
        "--format=transcript-events",
        "--event=1",
    ] {
        bench.fails(2, &["show", "r", "--waterfall", refused]);
    }
    bench.fails(2, &["show", "r", "--limit", "3"]);
}

/// If this fails, calls of a long run are lost, or each short one takes a line.
#[test]
fn short_calls_are_folded() {
    let mut lines = Vec::new();
    for number in 0..2000 {
        let from = f64::from(number) * 2.0;
        let tool = if number / 10 % 2 == 0 { "Read" } else { "Bash" };
        let command = json!({"command": format!("c{number}")});
        lines.extend(call(from, from + 0.1, &format!("c{number}"), tool, &command));
    }
    let bench = record(&lines);
    let printed = waterfall(&bench, "80", &[]).out;
    let bars = bars(&printed);
    assert_eq!(bars.len(), 200, "{printed}");
    assert_eq!(printed.matches(" ×10 ").count(), 200, "{printed}");
}

/// If this fails, a log with times that no clock gives stops the program or prints a wide line.
#[test]
fn odd_times() {
    let at = |time: &str, kind: &str, id: &str| {
        json!({"type": kind, "timestamp": time, "correlation_id": id, "data": {"tool_name": "T"}})
            .to_string()
    };
    for times in [
        &["2026-04-26T10:00:00Z", "2026-04-26T10:00:00Z"][..],
        &["2026-04-26T10:00:00Z", "1999-01-01T00:00:00Z"],
        &["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
        &["2026-04-26T10:00:00Z", "2026-04-26T10:00:00.001Z", "9999-12-31T23:59:59.999Z"],
    ] {
        let kinds = ["tool.started", "tool.completed", "tool.started"];
        let lines: Vec<String> = times
            .iter()
            .zip(kinds)
            .enumerate()
            .map(|(number, (time, kind))| at(time, kind, if number < 2 { "a" } else { "b" }))
            .collect();
        let bench = record(&lines);
        for columns in ["40", "61", "400"] {
            let printed = waterfall(&bench, columns, &[]);
            assert_eq!(printed.status, 0, "{times:?}: {}", printed.err);
            assert!(printed.out.contains("  T"), "{times:?}: {}", printed.out);
            let width: usize = columns.parse().unwrap();
            let widest = printed.out.lines().map(|line| line.chars().count()).max();
            assert!(widest.unwrap() <= width, "{times:?}: {}", printed.out);
        }
    }
    let empty = Bench::created(&[]);
    let printed = waterfall(&empty, "80", &[]);
    assert!(printed.status == 0 && printed.out.is_empty(), "{}", printed.out);
}

/// If this fails, a selection looks like the whole run, or a bar does not name its file.
#[test]
fn headings_and_labels_of_narrow_charts() {
    let bench = sample();
    let printed = waterfall(&bench, "100", &["--tail", "2"]).out;
    assert!(printed.contains(" · 2 of 14 calls, over "), "{printed}");
    let run = "a-run-with-a-name-that-is-long-enough-to-fill-a-narrow-line";
    let path = "/w/app/src/a/rather/deep/folder/of/the/parser/tokens.rs";
    bench.ok(&["emit", "run.created", "--run", run]);
    bench.ok(&[
        "emit",
        "tool.started",
        "--run",
        run,
        "-f",
        "tool_name=Read",
        "--data",
        &json!({"args": {"file_path": path}}).to_string(),
    ]);
    let mut command = bench.command();
    command.args(["show", run, "--waterfall"]).env("COLUMNS", "60");
    let printed = said(&command.output().unwrap()).out;
    let mut lines = printed.lines();
    assert!(lines.next().unwrap().ends_with(" · running"), "{printed}");
    assert!(lines.next().unwrap().starts_with("1 call, over "), "{printed}");
    assert!(printed.contains("/tokens.rs") && !printed.contains("0ms…"), "{printed}");
}
