//! Memory stays bounded, whatever a log has a lot of.

use std::fs;
use std::io::Write as _;
use std::process::Command;

use crate::support::Bench;

/// Events per log.
const EVENTS: u64 = 200_000;

/// The limit: 64 MiB and 24 bytes per event.
const LIMIT: u64 = (64 << 20) + 24 * EVENTS;

/// Logs with one event very often: a name, the type, and the data with `%` for the event's number.
/// `%` in the session counts too.
const KINDS: &[(&str, &str, &str, &str)] = &[
    ("open calls", "s", "tool.started", r#"{"tool_name":"bash","id":"c%"}"#),
    ("ends without a start", "s", "tool.completed", r#"{"tool_name":"bash","id":"c%"}"#),
    (
        "model calls",
        "s",
        "llm.usage",
        r#"{"message_id":"m%","input_tokens":1%,"output_tokens":2,"cost_usd":0.5}"#,
    ),
    ("sessions", "s%", "llm.usage", r#"{"input_tokens":1%,"output_tokens":2}"#),
    ("messages", "s", "message.assistant", r#"{"text":"the text of the message %"}"#),
    ("streams", "s", "text", r#"{"runId":"r","id":"m%","text":"x"}"#),
    ("errors", "s", "error", r#"{"message":"failed %"}"#),
    ("files", "s", "file.written", r#"{"path":"src/file-%.rs"}"#),
];

/// The same, for logs that only a hostile or broken writer makes. `@` is a long text. They are only
/// validated.
const HOSTILE: &[(&str, &str, &str, &str)] = &[
    (
        "chapters",
        "s",
        "chapter.created",
        r#"{"name":"c%","slug":"c%","message":"@","start":1,"end":1,"first_sequence":%,"last_sequence":%}"#,
    ),
    ("missing deliverables", "s", "deliverable.missing", r#"{"path":"deliverables/@%.md"}"#),
    ("tools", "s", "tool.started", r#"{"tool_name":"@%","id":"c%"}"#),
    ("calls of runs", "s", "tool.started", r#"{"tool_name":"bash","id":"r%/c%"}"#),
    ("ends of other tools", "s", "tool.completed", r#"{"tool_name":"@%","id":"c%"}"#),
    ("agents with calls", "s", "tool.completed", r#"{"tool_name":"a","id":"c%","agent_id":"@%"}"#),
    ("tasks", "s", "task.started", r#"{"message":"@%","task_name":"t%"}"#),
    ("ends of tasks", "s", "task.completed", r#"{"message":"@%"}"#),
    ("codes of errors", "s", "error", r#"{"code":"E@%","message":"failed @%"}"#),
    ("agents", "s", "subagent.started", r#"{"agent_id":"@%","name":"n%"}"#),
    ("starts", "s", "run.started", "{}"),
    ("unknown types", "s", "own.type%", "{}"),
];

/// If this fails, a long run or a hostile log can use up the memory of the machine that reads it.
#[test]
fn long_logs_stay_under_the_limit() {
    let all = KINDS.iter().map(|kind| (kind, true));
    for ((name, session, kind, data), all_views) in
        all.chain(HOSTILE.iter().map(|kind| (kind, false)))
    {
        let bench = Bench::new();
        let mut log = Vec::new();
        for number in 1..=EVENTS {
            let text = |pattern: &str| {
                pattern.replace('%', &number.to_string()).replace('@', &"long ".repeat(60))
            };
            let (kind, data) = match number {
                1 => ("run.created".to_owned(), "{}".to_owned()),
                _ => (text(kind), text(data)),
            };
            let session = text(session);
            writeln!(
                log,
                r#"{{"event_id":"e{number}","sequence":{number},"run_id":"r","session_id":"{session}","task_id":"t","type":"{kind}","timestamp":"2026-01-01T00:00:00.000Z","actor":"agent","severity":"info","summary":null,"data":{data}}}"#,
            )
            .unwrap();
        }
        fs::create_dir_all(bench.path("runs/r")).unwrap();
        fs::write(bench.path("runs/r/events.jsonl"), log).unwrap();
        let validate = &["validate", "r", "--expect-status", "any"];
        let context = &["context", "r", "--max-tokens", "100k"];
        let views = [validate, &["transcript", "r"][..], context];
        for args in views.iter().take(if all_views { views.len() } else { 1 }) {
            let output = Command::new("prlimit")
                .arg(format!("--data={LIMIT}"))
                .arg(env!("CARGO_BIN_EXE_runlog"))
                .args(*args)
                .current_dir(bench.path("."))
                .env_clear()
                .output();
            let Ok(output) = output else {
                let _ = writeln!(std::io::stderr(), "SKIPPED: prlimit is missing");
                return;
            };
            let told = String::from_utf8_lossy(&output.stderr);
            // The log has no hashes, so validation finds errors; it must finish.
            let finished = matches!(output.status.code(), Some(0 | 1 | 3));
            assert!(finished, "{} of {name}: {}: {told}", args[0], output.status);
        }
    }
}
