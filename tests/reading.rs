//! Reading a log in parts gives the same lines as reading it line by line.

use std::fs;

use crate::support::Bench;

use runlog::internals::fs::PathAt;
use runlog::internals::log::LogPart;
use runlog::internals::log::{Body, Line, LogReader};

fn shown(line: &Line<'_>) -> String {
    let hash = line.hash().map(|hash| hash.as_str().to_owned());
    let body = match line.body {
        Body::Complete(bytes) => format!("{} bytes", bytes.len()),
        Body::Unterminated(bytes) => format!("torn {:?}", String::from_utf8_lossy(bytes)),
        Body::Oversized { bytes, hash } => format!("oversized {bytes} {hash:?}"),
    };
    format!("{} at {}: {body} {hash:?}", line.number, line.offset)
}

/// If this fails, a line is lost or changed between two parts.
#[test]
fn parts_and_lines_agree() {
    let of = |lengths: &[usize], tail: &[u8]| {
        let mut log = Vec::new();
        for (at, length) in lengths.iter().enumerate() {
            log.extend(std::iter::repeat_n(b'a' + (at % 26) as u8, *length));
            log.push(b'\n');
        }
        [log.as_slice(), tail].concat()
    };
    const PART: usize = 256 << 10;
    let around: Vec<usize> = (0..600).map(|at| 900 + at % 7).collect();
    let logs = [
        of(&[], b""),
        of(&[], b"torn"),
        of(&[0, 1, 0, 2], b""),
        of(&around, b"torn"),
        of(&[PART - 1, PART, PART + 1, 3, PART - 2], b""),
        of(&[10, 3 * PART, 10, 5 * PART + 7, 1], b"x"),
        of(&[10, 9 << 20, 10], b""),
        of(&[10, 8 << 20, 10], &vec![b't'; 9 << 20]),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    for log in logs {
        fs::write(&path, &log).unwrap();
        let mut reader = LogReader::open(&PathAt::of(&path)).unwrap();
        let mut one_by_one = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            one_by_one.push(shown(&line));
        }
        let mut reader = LogReader::open(&PathAt::of(&path)).unwrap();
        let (mut part, mut in_parts) = (LogPart::default(), Vec::new());
        while part.fill(&mut reader).unwrap() {
            in_parts.extend(part.lines().map(|line| shown(&line)));
        }
        assert_eq!(in_parts, one_by_one, "a log of {} bytes", log.len());
    }
}

/// If this fails, an error in a long log, which two threads read, is not reported, or at the wrong
/// line.
#[test]
fn a_long_log_with_known_faults() {
    let bench = Bench::with_run();
    let text = "x".repeat(400);
    let many: String = (0..8_000)
        .map(|at| format!("{{\"type\":\"note\",\"data\":{{\"text\":\"{at} {text}\"}}}}\n"))
        .collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], many.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.emit(&["run.completed"]);
    assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 0);
    let path = bench.path("runs/r/events.jsonl");
    let log = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = log.lines().map(str::to_owned).collect();
    assert!(log.len() > 5 << 20);
    // Far from each other, and at both ends.
    let faults: [(usize, &str, &str); 4] = [
        (2, " xxx", " yyy"),
        (3_001, "\"note\"", "note"),
        (5_500, " xxx", " yyy"),
        (7_990, "{\"", "\""),
    ];
    for (number, from, to) in faults {
        lines[number - 1] = lines[number - 1].replacen(from, to, 1);
    }
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let said = bench.call(&["validate", "r", "--format", "json", "--select", "RL0,RL301"]);
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let found = json["runs"][0]["findings"].as_array().unwrap().iter();
    let found: Vec<(u64, &str)> = found
        .map(|found| (found["line"].as_u64().unwrap(), found["code"].as_str().unwrap()))
        .collect();
    // A changed line is reported at the next line, which has its hash.
    let right = [
        (3, "RL301"),
        (3_001, "RL002"),
        (3_002, "RL301"),
        (5_501, "RL301"),
        (7_990, "RL002"),
        (7_991, "RL301"),
    ];
    assert_eq!(found, right);
}

/// If this fails, numbers of a damaged log are too small, and nothing says so.
#[test]
fn every_command_tells_that_it_skipped_lines() {
    let bench = Bench::new();
    for kind in ["run.created", "llm.usage", "llm.usage", "run.completed"] {
        bench.ok(&["emit", kind, "--run", "r", "-F", "input_tokens=100"]);
    }
    let log = bench.path("runs/r/events.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"llm.usage\"", "\"llm.usage", 1)).unwrap();
    for command in [
        &["stats"][..],
        &["show", "r"],
        &["show", "r", "--waterfall"],
        &["transcript", "r", "-o", "-"],
        &["graph", "r"],
        &["context", "r"],
        &["export", "r", "--to", "otlp"],
        &["export", "r", "--to", "atif"],
        &["export", "r", "--to", "perfetto"],
        &["export", "r", "--to", "aos"],
        &["export", "--to", "csv", "--out", "csv"],
        &["export", "--to", "parquet", "--out", "lake"],
        &["summarize", "r"],
    ] {
        let said = bench.call(command);
        let told = said.err.matches("skipped 1 line of").count();
        assert_eq!(told, 1, "{command:?}: {}", said.err);
    }
}
