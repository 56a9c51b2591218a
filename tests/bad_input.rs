//! Bad input, as a table with a name per row.

use crate::support::Bench;

fn refused(data: &[u8], says: &str) {
    let bench = Bench::with_run();
    let said = bench.feed(&["emit", "--run", "r", "note", "--data", "-"], data);
    assert_eq!(said.status, 65, "{data:?}: {}", said.err);
    assert!(said.err.contains(says), "{data:?}: {}", said.err);
    assert_eq!(bench.lines().len(), 1, "something was recorded of {data:?}");
    let line = [b"{\"type\":\"note\",\"data\":".as_slice(), data, b"}"].concat();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], &line);
    // A raw newline splits one line in two.
    assert_eq!(said.status, 65, "{data:?} in a stream: {}", said.err);
}

fn taken(data: &str) {
    let bench = Bench::with_run();
    let said = bench.feed(&["emit", "--run", "r", "note", "--data", "-"], data.as_bytes());
    assert_eq!(said.status, 0, "{data:?}: {}", said.err);
    assert!(bench.log().contains(&format!("\"data\":{data},")), "{data:?} did not survive");
    assert_eq!(bench.log().lines().count(), 2);
}

/// If this fails, a run id can name a path outside the runs directory.
#[test]
fn run_ids() {
    let long = "a".repeat(129);
    for id in ["", "..", ".", "a/b", "/etc", "-x", "a\nb", "a b", "é", ".hidden", &long] {
        let bench = Bench::new();
        let run = format!("--run={id}");
        let error = bench.fails(2, &["emit", "run.created", &run]);
        assert!(error.contains("is not a valid run id"), "{id:?}: {error}");
        assert!(!bench.path("runs").exists(), "{id:?} touched the file system");
    }
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", &"a".repeat(128)]);
    bench.ok(&["emit", "run.created", "--run", "0.A_b-"]);
}

#[test]
fn a_run_that_does_not_exist() {
    let bench = Bench::new();
    bench.fails(66, &["emit", "note", "--run", "nowhere"]);
    bench.fails(66, &["validate", "nowhere"]);
    bench.fails(66, &["show", "latest"]);
    assert!(!bench.path("runs").exists());
    bench.fails(2, &["emit", "note"]);
}

#[test]
fn data_that_is_no_object() {
    for data in ["null", "[]", "\"text\"", "1", "true"] {
        refused(data.as_bytes(), "object");
    }
}

#[test]
fn data_that_is_no_json() {
    for (data, says) in [
        ("{\"a\":1", "column 7"),
        ("{\"a\":1,}", "column 8"),
        ("{a:1}", "column 2"),
        ("{\"a\":NaN}", "column 6"),
        ("{} //", "column 4"),
        ("{\"a\":01}", "number"),
        ("{\"a\":1.}", "number"),
        ("{\"a\":+1}", "column 6"),
        ("{\"a\":'x'}", "column 6"),
        ("", "ends too early"),
    ] {
        refused(data.as_bytes(), says);
    }
}

#[test]
fn duplicate_keys() {
    refused(b"{\"a\":1,\"a\":2}", "duplicate key \"a\"");
    refused(b"{\"x\":{\"ab\":1,\"\\u0061b\":2}}", "duplicate key \"ab\"");
    let bench = Bench::with_run();
    let said =
        bench.feed(&["emit", "--run", "r", "--stdin"], b"{\"type\":\"note\",\"type\":\"x\"}\n");
    assert_eq!(said.status, 65);
    assert!(said.err.contains("duplicate key \"type\""), "{}", said.err);
}

#[test]
fn depth() {
    let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    refused(nested(65).as_bytes(), "nested deeper than 64");
    refused("[".repeat(100_000).as_bytes(), "nested deeper than 64");
    taken(&nested(60));
}

#[test]
fn text_that_is_not_utf8() {
    for data in [&b"{\"a\":\"\xff\"}"[..], b"{\"a\":\"\xc0\xaf\"}", b"{\"a\":\"\xed\xa0\x80\"}"] {
        refused(data, "not UTF-8 at byte");
    }
    refused(b"{\"a\":\"\\ud800\"}", "lone surrogate in a string at byte");
    refused(b"{\"a\":\"\\udc00\\ud800\"}", "lone surrogate");
    let bench = Bench::with_run();
    for data in [&b"\xef\xbb\xbf{}"[..], b"\xff\xfe{\0}\0"] {
        let said = bench.feed(&["emit", "--run", "r", "note", "--data", "-"], data);
        assert_eq!(said.status, 65, "{}", said.err);
    }
}

#[test]
fn control_characters() {
    refused(b"{\"a\":\"\0\"}", "control character");
    refused(b"{\"a\":\"x\ny\"}", "control character");
    taken("{\"a\":\"\\u0000\\u001b[31m\"}");
}

#[test]
fn odd_but_fine() {
    taken("{\"a\":\"\u{2028}\u{2029}\"}");
    taken("{\"n\":[1.0,1,1e400,-0,123456789012345678901234567890],\"z\":1,\"a\":\"\\u0041\\/\"}");
    taken("{\"e\":\"\\ud83d\\ude00\"}");
}

#[test]
fn envelope_fields() {
    for (line, says) in [
        ("{\"type\":1}", "`type` must be a string"),
        ("{\"data\":{}}", "`type` is missing"),
        ("{\"type\":\"a b\"}", "`type`"),
        ("{\"type\":\"note\",\"data\":[]}", "`data` must be an object"),
        ("{\"type\":\"note\",\"severity\":\"loud\"}", "`severity`"),
        ("{\"type\":\"note\",\"sequence\":4}", "`sequence` may not be given"),
        ("{\"type\":\"note\",\"prev_hash\":\"00\"}", "`prev_hash` may not be given"),
        ("{\"type\":\"note\",\"run_id\":\"other\"}", "names the run other"),
        ("{\"type\":\"note\",\"event_id\":\"\"}", "`event_id`"),
        ("[1]", "object"),
    ] {
        let bench = Bench::with_run();
        let said = bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes());
        assert_eq!(said.status, 65, "{line}: {}", said.err);
        assert!(said.err.contains(says), "{line}: {}", said.err);
        let lines = bench.lines();
        assert_eq!((lines.len(), &lines[1]["type"]), (2, &"stream.rejected".into()));
    }
}

#[test]
fn timestamps() {
    let bench = Bench::with_run();
    for time in [
        "2026-01-01T00:00:00",
        "2026-01-01",
        "1767225600",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T10:00:60Z",
        "-001-01-01T00:00:00Z",
        "",
    ] {
        let time = format!("--timestamp={time}");
        bench.fails(65, &["emit", "--run", "r", "note", &time]);
    }
    assert_eq!(bench.lines().len(), 1);
    for (given, written) in [
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("2026-01-01T00:00:00.123456+01:00", "2025-12-31T23:00:00.123Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000Z"),
        ("2106-02-07T06:28:16Z", "2106-02-07T06:28:16.000Z"),
        ("2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"),
    ] {
        bench.emit(&["note", "--timestamp", given]);
        assert_eq!(bench.lines().last().unwrap()["timestamp"], written);
    }
}

#[test]
fn limits_are_checked_before_anything_is_written() {
    let bench = Bench::with_run();
    bench.emit(&["note", "--summary", &"x".repeat(4096)]);
    bench.fails(65, &["emit", "--run", "r", "note", "--summary", &"x".repeat(4097)]);
    bench.emit(&["note", "--correlation-id", &"x".repeat(128)]);
    bench.fails(65, &["emit", "--run", "r", "note", "--correlation-id", &"x".repeat(129)]);
    bench.emit(&[&"x".repeat(128)]);
    bench.fails(65, &["emit", "--run", "r", &"x".repeat(129)]);
    let large = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes)).into_bytes();
    let emit = ["emit", "--run", "r", "note", "--data", "-"];
    // Large strings are moved out; the limit applies to the remaining line.
    assert_eq!(bench.feed(&emit, &large(9 << 20)).status, 0);
    let inline = [&emit[..], &["--inline-limit", "64M"]].concat();
    assert_eq!(bench.feed(&inline, &large((8 << 20) - 1000)).status, 0);
    assert_eq!(bench.feed(&inline, &large(8 << 20)).status, 65);
    let many = format!("{{\"a\":[1{}]}}", ",1".repeat(4 << 20)).into_bytes();
    assert_eq!(bench.feed(&emit, &many).status, 65);
    assert_eq!(bench.lines().len(), 6);
}

/// If this fails, `emit` acknowledges a line that its own reader rejects.
#[test]
fn nothing_is_written_that_cannot_be_read() {
    let bench = Bench::with_run();
    let deep = format!("{{\"x\":{}{}}}", "[".repeat(63), "]".repeat(63));
    bench.fails(65, &["emit", "--run", "r", "note", "--data", &deep]);
    for time in ["9999-12-31T23:59:59-01:00", "0000-01-01T00:00:00+01:00", "9999-12-31T23:59:60Z"] {
        bench.fails(65, &["emit", "--run", "r", "note", "--timestamp", time]);
    }
    let long = "i".repeat(200);
    let lines: String = [long.as_str(), "a b", "a\\nb"]
        .iter()
        .map(|id| format!("{{\"type\":\"assistant\",\"uuid\":\"{}\",\"timestamp\":\"9999-12-31T23:59:59-01:00\",\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"id\":\"{id}\",\"name\":\"t\",\"input\":{{}}}}]}}}}\n{{\"type\":\"user\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"{id}\",\"content\":\"x\"}}]}}}}\n", id.len()))
        .collect();
    let said =
        bench.feed(&["emit", "--run", "r", "--stdin", "--from", "claude-code"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("3 tool calls, 0 failed"), "{}", said.err);
    assert_eq!(bench.lines().len(), 7);
    bench.emit(&["note"]);
}

/// Feeds one native line and returns the exit status.
fn fed(bench: &Bench, line: &str) -> i32 {
    bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes()).status
}

#[test]
fn carriage_returns_before_line_feeds() {
    let bench = Bench::with_run();
    assert_eq!(fed(&bench, "{\"type\":\"note\"}\r\n{\"type\":\"note\"}\r\n"), 0);
    assert_eq!(bench.lines().len(), 3);
    assert!(!bench.log().contains('\r'));
}

#[test]
fn unknown_fields_and_types_are_kept() {
    let bench = Bench::with_run();
    assert_eq!(fed(&bench, "{\"type\":\"deploy.done\",\"host\":[1.0],\"data\":{}}"), 0);
    assert!(bench.log().contains("\"host\":[1.0]"));
    assert_eq!(bench.lines()[1]["type"], "deploy.done");
    assert_eq!(bench.codes(), ["RL408", "RL503", "RL901", "RL902"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

#[test]
fn an_event_of_another_run() {
    let bench = Bench::with_run();
    assert_eq!(fed(&bench, "{\"type\":\"note\",\"run_id\":\"other\"}"), 65);
    assert_eq!(fed(&bench, "{\"type\":\"note\",\"run_id\":\"r\"}"), 0);
    let other =
        bench.log().lines().last().unwrap().replace("\"run_id\":\"r\"", "\"run_id\":\"other\"");
    bench.append_raw(format!("{other}\n").as_bytes());
    bench.fails(76, &["emit", "--run", "r", "note"]);
    assert!(bench.codes().contains(&"RL104".to_owned()));
    assert_eq!(bench.call(&["validate", "r"]).status, 1);
}

#[test]
fn a_clock_that_goes_back() {
    let bench = Bench::with_run();
    bench.emit(&[
        "tool.started",
        "-f",
        "tool_name=a",
        "--correlation-id",
        "c",
        "--timestamp",
        "2106-02-07T06:28:16Z",
    ]);
    bench.emit(&[
        "tool.completed",
        "-f",
        "tool_name=a",
        "--correlation-id",
        "c",
        "--timestamp",
        "1969-12-31T23:59:59Z",
    ]);
    assert_eq!(bench.codes(), ["RL105", "RL205", "RL408", "RL503"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0, "they are warnings");
    assert!(bench.lines()[2]["data"].get("duration_ms").is_none());
    let records = std::fs::read_to_string(bench.path("runs/r/logs/tools.jsonl")).unwrap();
    assert!(records.lines().last().unwrap().contains("\"duration_ms\":null"), "{records}");
}

#[test]
fn calls_and_parents_that_do_not_fit() {
    let bench = Bench::with_run();
    for (kind, call) in [
        ("tool.started", "open"),
        ("tool.completed", "never-started"),
        ("tool.started", "twice"),
        ("tool.completed", "twice"),
        ("tool.failed", "twice"),
    ] {
        bench.emit(&[kind, "-f", "tool_name=a", "--correlation-id", call]);
    }
    bench.emit(&["note", "-f", "text=x", "--parent", "nobody"]);
    bench.emit(&["note", "-f", "text=x", "--event-id", "a", "--parent", "b"]);
    bench.emit(&["note", "-f", "text=x", "--event-id", "b", "--parent", "a"]);
    bench.emit(&["run.completed"]);
    assert_eq!(bench.codes(), ["RL201", "RL202", "RL203", "RL204", "RL206"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0, "they are warnings");
}

#[test]
fn logs_that_are_no_logs() {
    let gzip = [&b"\x1f\x8b\x08"[..], &[7; 40], b"\n", &[9; 40]].concat();
    for (content, status) in [
        (&b""[..], 0),
        (b"\n\n\n", 0),
        (&[0; 5000], 0),
        (b"\x1f\x8b\x08 no newline", 0),
        (&gzip, 76),
    ] {
        let bench = Bench::with_run();
        std::fs::write(bench.log_path(), content).unwrap();
        bench.fails(if status == 0 { 66 } else { status }, &["emit", "--run", "r", "note"]);
        assert_eq!(std::fs::read(bench.log_path()).unwrap(), content, "nothing is thrown away");
        let said = bench.call(&["emit", "--run", "r", "note", "--create"]);
        assert_eq!(said.status, status, "{content:?}: {}", said.err);
        if status != 0 {
            assert_eq!(std::fs::read(bench.log_path()).unwrap(), content);
        }
    }
}

#[test]
fn two_logs_in_one_and_conflict_markers() {
    let bench = Bench::with_run();
    bench.emit(&["note", "--event-id", "n"]);
    let log = bench.log();
    let first = log.lines().next().unwrap();
    for (content, code) in [
        (format!("{log}{log}"), "RL102"),
        (format!("<<<<<<< ours\n{log}=======\n{first}\n>>>>>>> theirs\n"), "RL002"),
    ] {
        std::fs::write(bench.log_path(), &content).unwrap();
        assert!(bench.codes().contains(&code.to_owned()), "{code}: {:?}", bench.codes());
        assert_eq!(bench.call(&["validate", "r"]).status, 1);
    }
}

#[test]
fn a_state_document_that_lies() {
    for content in ["", "no json", "{}", "{\"schema_version\":1,\"status\":\"completed\"}"] {
        let bench = Bench::with_run();
        std::fs::write(bench.path("runs/r/run.json"), content).unwrap();
        let verdict = bench.call(&["validate", "r"]);
        assert_eq!(verdict.status, 1, "{content}: {}", verdict.out);
        bench.emit(&["run.completed"]);
        assert!(bench.ok(&["list"]).contains("completed"), "the log wins");
        assert_eq!(bench.call(&["validate", "r"]).status, 0, "{content}");
    }
}

#[test]
fn an_argument_that_is_too_long_for_the_shell() {
    let bench = Bench::with_run();
    let text = "x".repeat(200 << 10);
    let refused =
        bench.command().args(["emit", "--run", "r", "note", "-f", &format!("t={text}")]).output();
    assert!(refused.is_err(), "the system took an argument of 200 KiB");
    let help = bench.ok(&["emit", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("@FILE") && help.contains("too long for a command line"), "{help}");
    std::fs::write(bench.path("data.json"), format!("{{\"t\":\"{text}\"}}")).unwrap();
    bench.emit(&["note", "--data", "@data.json"]);
    assert_eq!(bench.lines()[1]["data"]["t"]["bytes"], text.len());
}
