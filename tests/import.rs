//! `--from claude-code`, on a small session made for these tests.

use serde_json::json;

use crate::support::imports::source_lines;
use crate::support::{Bench, fixture, json_lines};

const FROM: [&str; 6] = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];

fn import(bench: &Bench, input: &[u8]) -> serde_json::Value {
    let said = bench.feed(&[&FROM[..], &["--receipt", "receipt.json"]].concat(), input);
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_slice(&std::fs::read(bench.path("receipt.json")).unwrap()).unwrap()
}

/// If this fails, calls, tokens or prompts of a session are counted wrongly.
#[test]
fn the_receipt_of_a_session() {
    let bench = Bench::with_run();
    let receipt = import(&bench, &fixture("agent-session.jsonl"));
    assert_eq!(
        receipt,
        json!({
            "schema_version": 1, "dialect": "claude-code", "lines": 34, "blank": 0, "mapped": 32,
            "opaque": 2, "rejected": 0, "events": 45, "repeated": 0,
            "types": {
                "assistant": {"mapped": 16, "opaque": 0},
                "file-history-snapshot": {"mapped": 0, "opaque": 1},
                "queue-operation": {"mapped": 0, "opaque": 1},
                "system": {"mapped": 1, "opaque": 0},
                "user": {"mapped": 15, "opaque": 0},
            },
            "calls": 9, "failures": 1, "prompts": 3,
            // Each message counts once, although several lines repeat its usage.
            "usage": {"input_tokens": 53, "output_tokens": 665, "output_tokens_at_least": true, "cache_read_tokens": 129613,
                "cache_creation_tokens": 3720, "cost_usd": null},
            "first_time": "2026-03-14T09:00:01.137Z", "last_time": "2026-03-14T09:04:20.137Z",
            "naive_times": 0, "warnings": [], "why": null,
        })
    );
    let lines = bench.lines();
    assert_eq!(lines.len(), 46);
    let source = String::from_utf8(fixture("agent-session.jsonl")).unwrap();
    assert_eq!(source_lines(&bench, "r"), source, "a source line was not kept whole");
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, importing a file again, or a longer version of it, records events twice.
#[test]
fn importing_again_adds_only_what_is_new() {
    let session = fixture("agent-session.jsonl");
    let lines: Vec<&[u8]> = session.split_inclusive(|byte| *byte == b'\n').collect();
    let once = Bench::with_run();
    import(&once, &session);
    let ids = |bench: &Bench| -> Vec<_> {
        bench.lines().iter().map(|line| line["event_id"].clone()).collect()
    };
    let twice = Bench::with_run();
    for length in [1, 10, 10, 23, lines.len(), lines.len()] {
        import(&twice, &lines[..length].concat());
    }
    assert_eq!(ids(&twice), ids(&once));
    let receipt = import(&twice, &session);
    assert_eq!(receipt["events"], receipt["repeated"]);
}

/// If this fails, one of two contents with the same source id is lost.
#[test]
fn a_source_id_with_other_content_gets_a_name_of_its_own() {
    let bench = Bench::with_run();
    let line = |text: &str| {
        format!(
            "{}\n",
            json!({"type": "assistant", "uuid": "u1", "sessionId": "s",
            "timestamp": "2026-01-01T00:00:01Z", "message": {"role": "assistant", "content": text}})
        )
    };
    let both = line("one") + &line("two") + &line("one");
    for _ in 0..2 {
        import(&bench, both.as_bytes());
        let lines = bench.lines();
        let ids: Vec<&str> =
            lines.iter().skip(1).map(|line| line["event_id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), 2, "{ids:?}");
        assert_eq!(ids[0], "claude-code:u1");
        let suffix = ids[1].strip_prefix("claude-code:u1~").unwrap();
        assert!(suffix.len() == 8 && suffix.bytes().all(|b| b.is_ascii_hexdigit()), "{ids:?}");
    }
}

/// If this fails, text that no user typed counts as a task, or a prompt does not.
#[test]
fn only_what_a_person_typed_is_a_prompt() {
    let bench = Bench::with_run();
    let user = |content: serde_json::Value, more: serde_json::Value| {
        let mut line = json!({"type": "user", "sessionId": "s", "message": {"role": "user", "content": content}});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let none = json!({});
    let input = [
        user("typed".into(), none.clone()),
        user(
            json!([{"type": "text", "text": "typed too"}, {"type": "image", "source": {}}]),
            none.clone(),
        ),
        user("told by the client".into(), json!({"isMeta": true})),
        user("what came before".into(), json!({"isCompactSummary": true})),
        user("<command-name>/clear</command-name>".into(), none.clone()),
        user("  <local-command-stdout>x</local-command-stdout>".into(), none.clone()),
        user("<task-notification>x</task-notification>".into(), none.clone()),
        user(json!([{"type": "tool_result", "tool_use_id": "c", "content": "done"}]), none),
    ]
    .concat();
    let receipt = import(&bench, input.as_bytes());
    assert_eq!(receipt["prompts"], 2);
    let said: Vec<_> = bench
        .lines()
        .iter()
        .filter(|line| line["type"] == "message.user")
        .map(|line| line["data"]["text"].clone())
        .collect();
    assert_eq!(said, ["typed", "typed too\n[image]"]);
}

/// If this fails, placeholder ids of a scrubbed log join unrelated events.
#[test]
fn placeholder_ids_never_merge() {
    let bench = Bench::with_run();
    for id in ["", "REDACTED", "[removed]"] {
        let line = json!({"type": "assistant", "uuid": id, "sessionId": id, "message": {
            "id": id, "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": id, "name": "t", "input": {}}],
            "usage": {"input_tokens": 10, "output_tokens": 1}}});
        import(&bench, format!("{line}\n{line}\n").as_bytes());
    }
    bench.ok(&["summarize", "r"]);
    let state: serde_json::Value = bench.state("r");
    assert_eq!(state["counts"]["tool_calls"], 6);
    assert_eq!(state["counts"]["input_tokens"], 60);
}

/// If this fails, text between the lines, or an unclean JSON line, stops an import.
#[test]
fn captures_are_dirty() {
    let bench = Bench::with_run();
    let input = b"\xef\xbb\xbf{\"type\":\"summary\",\"summary\":\"s\",\"leafUuid\":\"l\"}\nnpm notice\n\n{\"type\":\"x\",\"a\":1,\"a\":2}\n{\"type\":\"y\",\"s\":\"\\ud800\"}\n{\"type\":\"z\",\"s\":\"\\u0000\\u001b\"}";
    let said = bench.feed(&FROM, input);
    assert_eq!(said.status, 0, "{}", said.err);
    let lines = bench.lines();
    let types: Vec<_> = lines.iter().skip(1).map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["note", "claude-code.x", "claude-code.z", "stream.rejected"]);
    assert!(source_lines(&bench, "r").contains("\n{\"type\":\"x\",\"a\":1,\"a\":2}\n"));
    let rejected = json_lines(&bench.path("runs/r/logs/rejected.jsonl"));
    let reasons: Vec<&str> = rejected.iter().map(|line| line["reason"].as_str().unwrap()).collect();
    assert_eq!(rejected[0]["text"], "npm notice");
    assert!(reasons[1].contains("lone surrogate"), "{reasons:?}");
}

/// If this fails, `auto` reads a native stream as an agent's, or the reverse.
#[test]
fn auto_detects_from_content() {
    let bench = Bench::with_run();
    let auto = ["emit", "--run", "r", "--stdin", "--from", "auto"];
    let said = bench.feed(&auto, &fixture("agent-session.jsonl"));
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(bench.lines().len(), 46);
    let said = bench.feed(&auto, b"{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n");
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(bench.lines()[46]["type"], "note");
}
