//! Each kind of secret in each place where an agent may leave one: none is in any file of the run.

use std::fs;
use std::path::Path;

use serde_json::json;
use walkdir::WalkDir;

use crate::support::{Bench, SAMPLES, sample};

/// A sample, and the texts of which none may be left.
struct Leak {
    rule: &'static str,
    whole: String,
    forbidden: Vec<String>,
}

fn leaks() -> Vec<Leak> {
    let leak = |(rule, pattern): &(&'static str, &str)| {
        let (whole, secret) = sample(pattern);
        let lines = secret
            .lines()
            .filter(|line| !line.contains("----") && !line.contains("Version") && line.len() > 7);
        let forbidden = lines.map(str::to_owned).collect();
        Leak { rule, whole, forbidden }
    };
    SAMPLES.iter().map(leak).collect()
}

fn native(kind: &str, data: &serde_json::Value) -> String {
    json!({ "type": kind, "data": data }).to_string() + "\n"
}

/// The samples of which something is in a file below a directory.
fn left(directory: &Path, leaks: &[Leak]) -> Vec<String> {
    let mut all = String::new();
    for entry in WalkDir::new(directory).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            let is_compressed = entry.path().extension().is_some_and(|kind| kind == "zst");
            let text = if is_compressed { zstd::decode_all(&*bytes).unwrap() } else { bytes };
            all.push_str(&String::from_utf8(text).unwrap());
        }
    }
    assert!(all.len() > 1000);
    let remains = |leak: &&Leak| leak.forbidden.iter().any(|text| all.contains(text));
    leaks.iter().filter(remains).map(|leak| format!("{}: {}", leak.rule, leak.whole)).collect()
}

/// Records the samples in one place of the events of a stream.
fn streamed(leaks: &[Leak], line: impl Fn(&Leak) -> String, options: &[&str]) -> Bench {
    let bench = Bench::with_run();
    let input: String = leaks.iter().map(line).collect();
    let said =
        bench.feed(&[&["emit", "--run", "r", "--stdin"], options].concat(), input.as_bytes());
    assert!(matches!(said.status, 0 | 65), "{}", said.err);
    bench.ok(&["transcript", "r", "--detail", "full"]);
    bench
}

/// If this fails, a kind of secret gets into a file of the run.
#[test]
fn no_kind_is_left_in_any_place() {
    let leaks = leaks();
    assert!(leaks.len() >= 150);
    let claude = |leak: &Leak| {
        let message = json!({ "role": "user", "content": leak.whole });
        json!({ "type": "user", "sessionId": "s", "uuid": leak.whole.len(), "message": message })
            .to_string()
            + "\n"
    };
    let escaped = |leak: &Leak| {
        let hidden: String = leak.whole.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
        format!("{{\"type\":\"note\",\"data\":{{\"text\":\"{hidden}\"}}}}\n")
    };
    let call = |leak: &Leak| {
        let command = json!({ "command": format!("cd /x && {}", leak.whole) });
        native("tool.started", &json!({ "tool_name": "bash", "args": command.to_string() }))
    };
    let large = |leak: &Leak| {
        // The secret lies across the end of the head that stays in the event.
        let text = format!("{} {} {}", "x".repeat(500), leak.whole, "y".repeat(17_000));
        native("note", &json!({ "text": text }))
    };
    let benches = [
        ("key", streamed(&leaks, |leak| native("note", &json!({ &leak.whole: 1 })), &[])),
        ("nested", streamed(&leaks, |l| native("x", &json!({ "a": [{ "b": &l.whole }] })), &[])),
        ("escaped", streamed(&leaks, escaped, &[])),
        ("arguments", streamed(&leaks, call, &[])),
        ("imported", streamed(&leaks, claude, &["--from", "claude-code"])),
        ("large value", streamed(&leaks, large, &[])),
        ("rejected", streamed(&leaks, |leak| format!("{}\n", leak.whole), &[])),
        ("metadata", {
            let bench = Bench::new();
            let names = leaks.iter().enumerate();
            let metadata: serde_json::Map<_, _> =
                names.map(|(at, leak)| (at.to_string(), json!(leak.whole))).collect();
            let data = json!({ "metadata": metadata }).to_string();
            let said =
                bench.feed(&["emit", "run.created", "--run", "r", "--data", "-"], data.as_bytes());
            assert_eq!(said.status, 0, "{}", said.err);
            bench
        }),
        ("chapter", {
            let bench = Bench::with_run();
            bench.emit(&["task.started", "-f", "message=x"]);
            bench.emit(&["task.completed"]);
            bench.emit(&["run.completed"]);
            let message: String = leaks.iter().map(|leak| format!("{}\n\n", leak.whole)).collect();
            fs::write(bench.path("message"), message).unwrap();
            let range = ["chapter", "add", "r", "--start", "1", "--end", "1", "--name", "n"];
            bench.ok(&[&range as &[&str], &["--message", "@message"]].concat());
            bench.ok(&["chapter", "export", "r"]);
            bench
        }),
        ("standard error", {
            let bench = Bench::with_run();
            for group in leaks.chunks(4) {
                let text: String = group.iter().map(|leak| format!("{}\n", leak.whole)).collect();
                fs::write(bench.path("errors"), text).unwrap();
                let command = ["exec", "--run", "r", "--", "sh", "-c", "cat errors >&2; exit 1"];
                bench.fails(1, &command);
            }
            bench
        }),
    ];
    let told: Vec<String> = benches
        .iter()
        .flat_map(|(place, bench)| {
            let left = left(&bench.path("runs/r"), &leaks);
            left.into_iter().map(move |leak| format!("{place}: {leak}"))
        })
        .collect();
    assert!(told.is_empty(), "{} of {}:\n{}", told.len(), leaks.len() * 10, told.join("\n"));
}

/// If this fails, a secret that was recorded with `--no-redact` passes the gate because it is in a
/// large value or in a rejected line.
#[test]
fn secrets_beside_the_log_are_found() {
    let secret = format!("AKIA{}", "IOSFODNN7EXAMPLQ");
    let bench = Bench::with_run();
    let large = serde_json::json!({"text": format!("{} {secret} {}", "z ".repeat(3_000_000), "y ".repeat(20_000))});
    let said = bench.feed(
        &["emit", "note", "--run", "r", "--no-redact", "--data", "-"],
        large.to_string().as_bytes(),
    );
    assert_eq!(said.status, 0, "{}", said.err);
    let line = format!("bad {secret}\n");
    assert_eq!(
        bench.feed(&["emit", "--stdin", "--no-redact", "--run", "r"], line.as_bytes()).status,
        65
    );
    let said = bench.call(&["validate", "r", "--select", "RL903"]);
    assert_eq!(said.status, 1);
    let report = said.out;
    let told = |file: &str| report.contains(file);
    assert!(told("blobs/") && told("logs/rejected.jsonl"), "{report}");
    // What was redacted is not found again.
    let bench = Bench::with_run();
    bench.feed(&["emit", "note", "--run", "r", "--data", "-"], large.to_string().as_bytes());
    bench.feed(&["emit", "--stdin", "--run", "r"], line.as_bytes());
    bench.ok(&["validate", "r", "--select", "RL903", "--expect-status", "any"]);
}
