//! The summary templates: the published facts, and unusual values.

use std::fs;

use crate::support::{Bench, shared};

/// Type, data and summary; an empty summary means null.
const FACTS: &[(&str, &str, &str)] = &[
    ("file_changed", r#"{"agentId":"a","operation":"created","path":"x"}"#, "a created x"),
    ("file_changed", r#"{"agentId":"","operation":"created","path":"x"}"#, " created x"),
    ("file_changed", "{}", "unknown changed file"),
    (
        "token_usage",
        r#"{"agentId":"a","tokensIn":1,"tokensOut":2,"cost":0.00125}"#,
        "a used 1+2 tokens ($0.0013)",
    ),
    (
        "token_usage",
        r#"{"tokensIn":1.0,"tokensOut":12345678901234567890123,"cost":"0.5"}"#,
        "unknown used 1+12345678901234567890123 tokens ($0.0000)",
    ),
    (
        "token_usage",
        r#"{"tokensIn":1e21,"tokensOut":1e-7,"cost":1e400}"#,
        "unknown used 1e+21+1e-7 tokens ($0.0000)",
    ),
    ("token_usage", r#"{"cost":1e21}"#, "unknown used 0+0 tokens ($1e+21)"),
    (
        "constraint_check",
        r#"{"round":1,"elapsed_minutes":0.25,"budget_spent":0.125}"#,
        "Round 1: 0.3min, $0.13 spent",
    ),
    (
        "constraint_check",
        r#"{"round":1,"elapsed_minutes":-0.04,"budget_spent":1.005}"#,
        "Round 1: -0.0min, $1.00 spent",
    ),
    (
        "constraint_check",
        r#"{"round":1,"elapsed_minutes":9.95,"budget_spent":-0.001}"#,
        "Round 1: 9.9min, $-0.00 spent",
    ),
    (
        "constraint_check",
        r#"{"round":0,"elapsed_minutes":-0,"budget_spent":999.995}"#,
        "Round 0: 0.0min, $1000.00 spent",
    ),
    (
        "constraint_check",
        r#"{"round":false,"elapsed_minutes":"9","state":{"elapsed_minutes":1.25}}"#,
        "Round false: 1.3min, $0.00 spent",
    ),
    ("session_paused", r#"{"reason":null}"#, "Session paused: user requested"),
    (
        "session_end",
        r#"{"roundsCompleted":[1,"a",null,{"b":2}]}"#,
        "Session ended (1,a,,{\"b\":2} rounds)",
    ),
    ("tool.failed", r#"{"tool":"sh","error":{"code":1}}"#, "sh failed: {\"code\":1}"),
    (
        "tool.failed",
        r#"{"name":"sh","error":{"message":"a\nb\u001bc\u2028d"}}"#,
        "sh failed: a b c d",
    ),
    (
        "task.file",
        r#"{"file_source":"agent","added":["a","b"],"modified":[],"removed":"x"}"#,
        "agent changed files: +2 ~0 -0",
    ),
    ("response", r#"{"text":"anything"}"#, ""),
    ("never.heard.of", r#"{"text":"anything"}"#, ""),
];

fn summaries(facts: &[(String, String)]) -> Vec<Option<String>> {
    let bench = Bench::with_run();
    let input: String = facts
        .iter()
        .map(|(kind, data)| format!("{{\"type\":\"{kind}\",\"data\":{data}}}\n"))
        .collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let log = bench.log();
    let summary = |line: &str| {
        let event = runlog::internals::envelope::parse(line.as_bytes()).unwrap();
        event.summary.map(std::borrow::Cow::into_owned)
    };
    log.lines().skip(1).map(summary).collect()
}

/// If this fails, a summary differs from its template for these fields.
#[test]
fn facts() {
    let given: Vec<_> =
        FACTS.iter().map(|(kind, data, _)| ((*kind).to_owned(), (*data).to_owned())).collect();
    for ((kind, data, expected), got) in FACTS.iter().zip(summaries(&given)) {
        assert_eq!(got.unwrap_or_default(), *expected, "{kind} {data}");
    }
}

/// If this fails, the published test vectors fail.
#[test]
fn published_vectors() {
    let Some(path) = shared("vectors/templates.tsv") else { return };
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<Vec<&str>> =
        text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    assert!(rows.len() > 20);
    let given: Vec<_> = rows.iter().map(|row| (row[0].to_owned(), row[1].to_owned())).collect();
    for (row, got) in rows.iter().zip(summaries(&given)) {
        assert_eq!(got.unwrap_or_else(|| "null".to_owned()), row[2], "{row:?}");
    }
}

/// If this fails, a long value makes a long summary.
#[test]
fn long_values_are_cut() {
    let data = format!("{{\"text\":\"{}\"}}", "ü".repeat(600));
    let summary = summaries(&[("note".to_owned(), data)]).remove(0).unwrap();
    assert_eq!(summary.chars().count(), 500);
    assert!(summary.ends_with("ü…"));
}

/// If this fails, the template of some row is not valid.
#[test]
fn every_template_of_the_catalogue_parses() {
    use runlog::internals::catalogue::{Class, rows};
    use runlog::internals::event::Template;
    for row in rows() {
        assert!(Template::parse(row.template).is_ok(), "{}", row.name);
        assert_eq!(row.class == Class::Template, !row.template.is_empty(), "{}", row.name);
    }
    for (source, column) in
        [("a } b", 3), ("{a", 1), ("{}", 1), ("{a:.x}", 1), ("x{a b}", 2), ("{a{b}}", 1)]
    {
        let error = Template::parse(source).unwrap_err();
        assert!(error.to_string().contains(&format!("column {column} ")), "{source}: {error}");
    }
}

/// If this fails, the summary of a failed call prints values in another way than templates do.
#[test]
fn failures_are_printed_like_other_values() {
    let bench = Bench::with_run();
    for (error, expected) in [
        (r#"["a","b"]"#, "t failed: a,b"),
        ("5e-05", "t failed: 0.00005"),
        (r#"{"message":"m"}"#, "t failed: m"),
    ] {
        bench.emit(&["tool.failed", "-f", "tool_name=t", "-F", &format!("error={error}")]);
        assert_eq!(bench.lines().last().unwrap()["summary"], expected);
    }
}
