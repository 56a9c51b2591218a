//! Native lines without `data`: rejected if they have unknown fields, but read as flat lines if
//! their type is one of the families with flat lines.

use serde_json::json;

use crate::support::{Bench, json_lines};

const NATIVE: [&str; 4] = ["emit", "--run", "r", "--stdin"];

/// If this fails, fields that were meant as the payload are lost in the envelope without a word.
#[test]
fn unknown_fields_without_data_are_rejected() {
    for (line, field) in [
        (r#"{"type":"note","text":"x"}"#, "text"),
        (r#"{"type":"deploy","env":"x"}"#, "env"),
        (r#"{"type":"error","message":"x"}"#, "message"),
        (r#"{"sev\u0065n":7,"type":"deploy"}"#, "seven"),
    ] {
        let bench = Bench::with_run();
        for strict in [&[][..], &["--strict"]] {
            let said = bench.feed(&[&NATIVE, strict].concat(), format!("{line}\n").as_bytes());
            assert_eq!(said.status, 65, "{line}: {}", said.err);
            assert!(said.err.contains(&format!("the field `{field}` is unknown")), "{}", said.err);
        }
        let kept = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
        assert_eq!((&kept[0]["text"], &kept[0]["source"]), (&json!(line), &json!("native")));
    }
    // With `data`, or without any unknown field, nothing changed.
    let bench = Bench::with_run();
    let said = bench
        .feed(&NATIVE, b"{\"type\":\"deploy\",\"data\":{},\"env\":1}\n{\"type\":\"deploy\"}\n");
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!((&bench.lines()[1]["env"], &bench.lines()[2]["data"]), (&json!(1), &json!({})));
}

/// If this fails, lines of another agent are taken for a flat family because of their type.
#[test]
fn lines_of_other_dialects_are_rejected_with_advice() {
    let bench = Bench::with_run();
    let line = json!({"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "s",
        "message": {"role": "user", "content": "hi"}});
    let said = bench.feed(&NATIVE, format!("{line}\n").as_bytes());
    assert_eq!(said.status, 65);
    assert!(said.err.contains("use --from claude-code to import them"), "{}", said.err);
}

/// If this fails, flat lines of the seed systems are not read in a native stream, or lose the
/// fields that belong to the envelope.
#[test]
fn flat_families_are_read_in_a_native_stream() {
    let lines = r#"{"type":"deploy","data":{"env":"test"}}
{"type":"file_changed","agentId":"clerk","operation":"created","path":"a","event_id":"f1","task_id":"t9"}
{"type":"tool_call","runId":"R","id":"tc1","name":"grep","input":{"q":1}}
{"type":"TaskStartEvent","timestamp":"2026-02-01T08:00:00.5","agent_name":"smith","message":"Forge"}
{"type":"user","runId":"U","content":"hi","timestamp":1767225600}
{"type":"error","runId":"R","error":"gone"}
"#;
    for from in [&[][..], &["--from", "native"]] {
        let bench = Bench::with_run();
        let said = bench.feed(&[&NATIVE, from].concat(), lines.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        let events = bench.lines();
        let seen: Vec<_> = events[2..]
            .iter()
            .map(|event| json!([event["type"], event["actor"], event["data"]]))
            .collect();
        assert_eq!(
            seen,
            [
                json!(["file_changed", "clerk",
                    {"agentId": "clerk", "operation": "created", "path": "a"}]),
                json!(["tool_call", "agent",
                    {"runId": "R", "id": "tc1", "name": "grep", "input": {"q": 1}}]),
                json!(["task.started", "smith",
                    {"timestamp": "2026-02-01T08:00:00.5", "agent_name": "smith", "message": "Forge"}]),
                json!(["user", "user",
                    {"runId": "U", "content": "hi", "timestamp": 1_767_225_600}]),
                json!(["error", "runtime", {"runId": "R", "error": "gone", "message": "gone"}]),
            ]
        );
        assert_eq!((&events[2]["event_id"], &events[2]["task_id"]), (&json!("f1"), &json!("t9")));
        assert_eq!(events[3]["correlation_id"], "tc1");
        assert_eq!(events[4]["timestamp"], "2026-02-01T08:00:00.500Z");
        assert_eq!(events[5]["timestamp"], "2026-01-01T00:00:00.000Z");
        assert_eq!(bench.call(&["validate", "r"]).status, 0);
    }
}
