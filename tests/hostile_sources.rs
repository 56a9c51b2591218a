//! Sources that were made to fill the memory, the disk or the day: each is bounded.

use std::fs;

use serde_json::json;

use crate::support::{Bench, jsonl};

fn bench() -> Bench {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    bench
}

/// If this fails, one line with more calls than any message becomes hundreds of thousands of events.
#[test]
fn a_line_with_too_many_parts_is_rejected() {
    let line = |number: usize, content: serde_json::Value| {
        json!({"type": "assistant", "sessionId": "s", "uuid": format!("u{number}"),
            "timestamp": "2026-05-01T10:00:00.000Z", "message": {"role": "assistant",
            "id": format!("m{number}"), "model": "m", "content": content}})
    };
    let calls = |number: usize| {
        (0..number)
            .map(|call| {
                json!({"type": "tool_use", "id": format!("t{call}"), "name": "Bash",
            "input": {"command": "echo a line that has a usual length"}})
            })
            .collect::<Vec<_>>()
    };
    let bench = bench();
    let lines =
        [line(1, json!([{"type": "text", "text": "whole"}])), line(2, calls(20_000).into())];
    fs::write(bench.path("s.jsonl"), jsonl(&lines)).unwrap();
    let said = bench.call(&["import", "s.jsonl"]);
    assert!(said.err.contains("1 line rejected"), "{}", said.err);
    let log = fs::read_to_string(bench.path("runs/claude-code-s/events.jsonl")).unwrap();
    assert!(log.contains("whole") && log.len() < 100_000);
}

/// If this fails, a small compressed file takes minutes, or gigabytes on the disk.
#[test]
fn a_compressed_file_that_holds_too_much_ends_early() {
    let bench = bench();
    let meta = r#"{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"bomb","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.1"}}"#;
    let filler =
        r#"{"timestamp":"2026-05-01T10:00:00.000Z","type":"event_msg","payload":{"type":"x"}}"#;
    let text = format!("{meta}\n{}", format!("{filler}\n").repeat(400_000));
    let bytes = zstd::bulk::compress(text.as_bytes(), 1).unwrap();
    assert!(bytes.len() * 250 < text.len(), "{} of {}", bytes.len(), text.len());
    fs::write(bench.path("rollout-bomb.jsonl.zst"), bytes).unwrap();
    let said = bench.call(&["import", "rollout-bomb.jsonl.zst"]);
    assert_ne!(said.status, 0);
    assert!(said.err.contains("250 times its own length"), "{}", said.err);
}

/// If this fails, a database of some kilobytes computes gigabytes when it is read.
#[cfg(feature = "sqlite")]
#[test]
fn generated_columns_are_not_read() {
    let table = |big: &str| {
        format!(
            "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
               version TEXT, time_created INTEGER, time_updated INTEGER{big});
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER,
               time_updated INTEGER, data TEXT{big});
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT,
               time_created INTEGER, time_updated INTEGER, data TEXT);
             INSERT INTO session (id, directory, title, version, time_created, time_updated)
               VALUES ('ses_1', '/w', 'a title', '1.0', 1, 2);
             INSERT INTO message (id, session_id, time_created, time_updated, data)
               VALUES ('msg_1', 'ses_1', 1, 2, '{{\"role\":\"user\",\"time\":{{\"created\":1}}}}');
             INSERT INTO part (id, message_id, session_id, time_created, time_updated, data)
               VALUES ('prt_1', 'msg_1', 'ses_1', 1, 2, '{{\"type\":\"text\",\"text\":\"asked\"}}');"
        )
    };
    let import = |sql: &str| {
        let bench = bench();
        let database = rusqlite::Connection::open(bench.path("opencode.db")).unwrap();
        database.execute_batch(sql).unwrap();
        drop(database);
        let status = bench.call(&["import", "opencode.db"]).status;
        let log = bench.path("runs/opencode-ses_1/events.jsonl");
        (status, fs::read_to_string(log).unwrap_or_default())
    };
    let big = ", big TEXT GENERATED ALWAYS AS (hex(zeroblob(30000000))) VIRTUAL";
    for own in ["", big] {
        let (status, log) = import(&table(own));
        assert!(status == 0 && log.contains("asked") && log.contains("a title"), "{own}: {log}");
    }
    // A column that is read must be stored.
    let computed = table("").replacen("title TEXT", "title TEXT AS (hex(zeroblob(30000000)))", 1);
    let computed = computed.replace("directory, title, version,", "directory, version,");
    let (status, log) = import(&computed.replace("'/w', 'a title', '1.0'", "'/w', '1.0'"));
    assert!(status != 0 && log.is_empty(), "{status}: {log}");
}
