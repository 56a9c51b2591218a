//! `--from pi`, on small sessions made for these tests.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// An entry with a number as its id, which follows the entry with the number before.
fn entry(number: u32, kind: &str, members: Value) -> Value {
    let mut entry = json!({"type": kind, "id": format!("entry{number:03}"),
        "parentId": format!("entry{:03}", number - 1),
        "timestamp": format!("2026-03-01T10:00:{number:02}.000Z")});
    entry.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    entry
}

fn message(number: u32, message: Value) -> Value {
    entry(number, "message", json!({"message": message}))
}

/// If this fails, what was said and done in a session of Pi is read wrongly.
#[test]
fn import_pi_maps_a_session() {
    let bench = Bench::with_run();
    let usage = json!({"input": 30, "output": 4, "cacheRead": 20, "cacheWrite": 5,
        "totalTokens": 59, "cost": {"total": 0.25}});
    let receipt = bench.import_from("pi", &jsonl(&[
        json!({"type": "session", "version": 3, "id": "pi-session", "cwd": "/srv/shop",
            "timestamp": "2026-03-01T10:00:00.000Z"}),
        entry(1, "model_change", json!({"provider": "p", "modelId": "small"})),
        entry(2, "thinking_level_change", json!({"thinkingLevel": "low"})),
        message(3, json!({"role": "user", "content": [{"type": "text", "text": "Count the files"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"}]})),
        message(4, json!({"role": "assistant", "model": "small", "responseId": "same", "usage": usage,
            "stopReason": "toolUse", "content": [{"type": "thinking", "thinking": "ls will do"},
            {"type": "text", "text": "I count."},
            {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls | wc -l"}},
            {"type": "toolCall", "id": "c2", "name": "bash", "arguments": {"command": "false"}}]})),
        message(5, json!({"role": "toolResult", "toolCallId": "c1", "toolName": "bash",
            "content": [{"type": "text", "text": "7"}], "isError": false})),
        message(6, json!({"role": "toolResult", "toolCallId": "c2", "toolName": "bash",
            "content": [{"type": "text", "text": "Command exited with code 1"}], "isError": true})),
        message(7, json!({"role": "bashExecution", "command": "git status", "output": "clean",
            "exitCode": 0})),
        entry(8, "model_change", json!({"provider": "p", "modelId": "large"})),
        entry(9, "compaction", json!({"summary": "Seven files.", "tokensBefore": 900,
            "firstKeptEntryId": "entry003"})),
        message(10, json!({"role": "assistant", "model": "large", "responseId": "same", "usage": usage,
            "stopReason": "error", "errorMessage": "overloaded", "content": []})),
        message(11, json!({"role": "assistant", "model": "large", "stopReason": "aborted",
            "content": [{"type": "text", "text": "Sev"}]})),
        entry(12, "session_info", json!({"name": "File count"})),
    ]));
    let counts = |id: &str, model: &str| {
        json!({"input_tokens": 30, "output_tokens": 4, "cache_read_tokens": 20,
            "cache_creation_tokens": 5, "cost_usd": 0.25, "model": model, "message_id": id})
    };
    let said = |text: &str, id: &str, model: &str| json!(["message.assistant", null, {"text": text, "model": model, "message_id": id}]);
    assert_eq!(
        bench.mapped_events(),
        [
            json!(["config.loaded", null, {"cwd": "/srv/shop"}]),
            json!(["config.loaded", null, {"model": "small", "provider": "p"}]),
            json!(["pi.thinking_level_change", null, {}]),
            json!(["message.user", null, {"text": "Count the files", "attachments": 1,
            "attached": "[image, 3 B]"}]),
            json!(["message.reasoning", null, {"text": "ls will do"}]),
            said("I count.", "entry004", "small"),
            json!(["tool.started", "c1", {"tool_name": "bash", "args": {"command": "ls | wc -l"}}]),
            json!(["tool.started", "c2", {"tool_name": "bash", "args": {"command": "false"}}]),
            json!(["llm.usage", null, counts("entry004", "small")]),
            json!(["tool.completed", "c1", {"tool_name": "bash", "result": "7"}]),
            json!(["tool.failed", "c2", {"tool_name": "bash", "exit_code": 1,
            "error": {"message": "Command exited with code 1"}}]),
            json!(["message.system", null, {"text": "The user ran: git status\nclean"}]),
            json!(["note", null, {"text": "Model changed from small to large"}]),
            json!(["note", null, {"text": "Context compacted at 900 tokens"}]),
            json!(["message.system", null, {"text": "Seven files."}]),
            json!(["llm.usage", null, counts("entry010", "large")]),
            json!(["error", null, {"message": "overloaded", "category": "engine"}]),
            said("Sev", "entry011", "large"),
            json!(["user.interrupted", null, {}]),
            json!(["config.loaded", null, {"title": "File count"}]),
        ]
    );
    let counted =
        [&receipt["calls"], &receipt["failures"], &receipt["prompts"], &receipt["opaque"]];
    assert_eq!(counted, [2, 1, 1, 1]);
    // A response id of the provider repeats, and still both calls count.
    assert_eq!(receipt["usage"]["input_tokens"], 60);
    assert_eq!(bench.lines()[4]["session_id"], "pi-session");
}

/// If this fails, a call whose id was used before joins the earlier call, or a call without an id
/// has no end.
#[test]
fn import_pi_keeps_calls_with_one_id_apart() {
    let bench = Bench::with_run();
    let mut lines = Vec::new();
    for (number, id) in [(1, "same"), (3, "same"), (5, ""), (7, "")] {
        lines.push(message(
            number,
            json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": id, "name": "read", "arguments": {"path": number}}]}),
        ));
        lines.push(message(
            number + 1,
            json!({"role": "toolResult", "toolCallId": id,
            "toolName": "read", "content": [{"type": "text", "text": "ok"}], "isError": false}),
        ));
    }
    let receipt = bench.import_from("pi", &jsonl(&lines));
    assert_eq!(receipt["calls"], 4);
    let events = bench.mapped_events();
    let ids: Vec<&str> = events.iter().map(|event| event[1].as_str().unwrap()).collect();
    for pair in ids.chunks(2) {
        assert_eq!(pair[0], pair[1], "an end is not of its call");
    }
    let different: std::collections::BTreeSet<_> = ids.iter().collect();
    assert_eq!(different.len(), 4);
}
