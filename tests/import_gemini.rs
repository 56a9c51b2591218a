//! `--from gemini`, on small sessions made for these tests.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

fn answer(name: &str, response: Value) -> Value {
    json!([{"functionResponse": {"name": name, "response": response}}])
}

/// If this fails, a session in one document is read wrongly.
#[test]
fn import_gemini_maps_a_document() {
    let bench = Bench::with_run();
    let messages = serde_json::to_string_pretty(&json!([
            {"id": "u1", "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
                "content": [{"text": "Test @a"}, {"text": "content of a"}],
                "displayContent": [{"text": "Test @a"}]},
            {"id": "g1", "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini", "model": "m",
                "content": "Testing.", "thoughts": [{"subject": "Plan", "description": "run make"}],
                "tokens": {"input": 100, "output": 10, "cached": 40, "thoughts": 5, "tool": 0, "total": 115},
                "toolCalls": [
                    {"id": "c1", "name": "run_shell_command", "args": {"command": "make"},
                        "status": "success", "timestamp": "2026-03-01T10:00:04.000Z",
                        "result": answer("run_shell_command", json!({"output":
                            "Output: boom\nExit Code: 2\nSignal: 0"}))},
                    {"id": "c2", "name": "read_file", "args": {"path": "a"}, "status": "error",
                        "result": answer("read_file", json!({"error": "no such file"}))},
                    {"id": "c3", "name": "write_file", "args": {}, "status": "cancelled",
                        "result": answer("write_file", json!({"error":
                            "Reason: User did not allow tool call"}))}]},
            {"id": "i1", "timestamp": "2026-03-01T10:00:05.000Z", "type": "info",
                "content": "Request cancelled."},
            {"id": "x1", "timestamp": "2026-03-01T10:00:06.000Z", "type": "error",
                "content": "quota exceeded"}])).unwrap();
    let head = r#""sessionId": "gem-1", "projectHash": "ab12", "kind": "main""#;
    let document =
        format!("{{{head},\n\"messages\": {messages},\n\"summary\": \"Tests of the shop\"}}\n");
    let receipt = bench.import_from("gemini", &document);
    assert_eq!(
        bench.mapped_events(),
        [
            json!(["config.loaded", null, {"project_hash": "ab12"}]),
            json!(["message.user", null, {"text": "Test @a"}]),
            json!(["message.system", null, {"text": "content of a"}]),
            json!(["message.reasoning", null, {"text": "Plan: run make"}]),
            json!(["message.assistant", null, {"text": "Testing.", "model": "m", "message_id": "g1"}]),
            json!(["llm.usage", null, {"input_tokens": 60, "output_tokens": 15, "cache_read_tokens": 40,
            "reasoning_tokens": 5, "model": "m", "message_id": "g1"}]),
            json!(["tool.started", "c1", {"tool_name": "run_shell_command", "message_id": "g1", "args": {"command": "make"}}]),
            json!(["tool.failed", "c1", {"tool_name": "run_shell_command", "exit_code": 2,
            "error": {"message": "Output: boom\nExit Code: 2\nSignal: 0"}}]),
            json!(["tool.started", "c2", {"tool_name": "read_file", "message_id": "g1", "args": {"path": "a"}}]),
            json!(["tool.failed", "c2", {"tool_name": "read_file", "error": {"message": "no such file"}}]),
            json!(["tool.started", "c3", {"tool_name": "write_file", "message_id": "g1", "args": {}}]),
            json!(["tool.blocked", "c3", {"tool_name": "write_file",
            "reason": "Reason: User did not allow tool call"}]),
            json!(["user.interrupted", null, {"reason": "Request cancelled."}]),
            json!(["error", null, {"message": "quota exceeded", "category": "engine"}]),
            json!(["config.loaded", null, {"title": "Tests of the shop"}]),
        ]
    );
    let counted =
        [&receipt["calls"], &receipt["failures"], &receipt["prompts"], &receipt["opaque"]];
    assert_eq!(counted, [3, 2, 1, 0]);
    let log = bench.lines();
    let end = log.iter().find(|line| line["type"] == "tool.failed").unwrap();
    assert_eq!(end["timestamp"], "2026-03-01T10:00:04.000Z");
}

/// If this fails, a message that is written again as it grows is counted twice, or its end is lost.
#[test]
fn import_gemini_takes_a_growing_message_once() {
    let bench = Bench::with_run();
    let message = |more: Value| {
        let mut message = json!({"id": "g1", "timestamp": "2026-03-01T10:00:02.000Z",
            "type": "gemini", "content": "Looking.", "model": "m"});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    let tokens = json!({"input": 10, "output": 2, "cached": 0, "total": 12});
    let call = |more: Value| {
        let mut call = json!({"id": "c1", "name": "ls", "args": {}});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!([call])
    };
    let open = call(json!({"status": "executing"}));
    let ended = call(json!({"status": "success", "result": answer("ls", json!({"output": "a"}))}));
    let last = message(json!({"tokens": tokens, "toolCalls": ended}));
    let receipt = bench.import_from("gemini", &jsonl(&[
        json!({"sessionId": "gem-2", "projectHash": "ab12", "startTime": "2026-03-01T10:00:00.000Z"}),
        json!({"id": "u1", "timestamp": "2026-03-01T10:00:01.000Z", "type": "user",
            "content": [{"text": "Look"}]}),
        json!({"$set": {"lastUpdated": "2026-03-01T10:00:01.000Z"}}),
        message(json!({})),
        message(json!({"tokens": tokens})),
        message(json!({"tokens": tokens, "toolCalls": open})),
        last.clone(),
        last,
        json!({"$rewindTo": "u1"}),
        json!({"$set": {"summary": "A look"}}),
    ]));
    assert_eq!(
        bench.mapped_events(),
        [
            json!(["config.loaded", null, {"project_hash": "ab12"}]),
            json!(["message.user", null, {"text": "Look"}]),
            json!(["gemini.$set", null, {}]),
            json!(["message.assistant", null, {"text": "Looking.", "model": "m", "message_id": "g1"}]),
            json!(["llm.usage", null, {"input_tokens": 10, "output_tokens": 2, "cache_read_tokens": 0,
            "model": "m", "message_id": "g1"}]),
            json!(["tool.started", "c1", {"tool_name": "ls", "message_id": "g1", "args": {}}]),
            json!(["tool.completed", "c1", {"tool_name": "ls", "result": "a"}]),
            json!(["note", null, {"text": "The user went back to an earlier message", "prompts_withdrawn": 1}]),
            json!(["config.loaded", null, {"title": "A look"}]),
        ]
    );
    assert_eq!([&receipt["calls"], &receipt["prompts"]], [1, 1]);
    assert_eq!(receipt["usage"]["input_tokens"], 10);
}

/// If this fails, the older form with turns loses its calls, its times or its attachments.
#[test]
fn import_gemini_reads_turns() {
    let bench = Bench::with_run();
    let document = json!({"history": [
        {"role": "user", "ts": 1_772_359_200,
            "parts": [{"text": "What is it?"}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0K"}}]},
        {"role": "model", "ts": 1_772_359_201_500_u64, "parts": [{"text": "hm", "thought": true},
            {"text": "I look."}, {"functionCall": {"name": "look", "args": {"at": 1}}}]},
        {"role": "user", "ts": 1_772_359_202,
            "parts": [{"functionResponse": {"name": "look", "response": {"output": "a cat"}}}]}]});
    let receipt = bench.import_from("gemini", &document.to_string());
    let events = bench.mapped_events();
    let id = events[3][1].clone();
    assert!(id.as_str().unwrap().starts_with("gemini:"), "{id}");
    assert_eq!(
        events,
        [
            json!(["message.user", null, {"text": "What is it?", "attachments": 1,
            "attached": "[image, 6 B]"}]),
            json!(["message.reasoning", null, {"text": "hm"}]),
            json!(["message.assistant", null, {"text": "I look."}]),
            json!(["tool.started", id, {"tool_name": "look", "args": {"at": 1}}]),
            json!(["tool.completed", id, {"tool_name": "look", "result": "a cat"}]),
        ]
    );
    assert_eq!(receipt["first_time"], "2026-03-01T10:00:00.000Z");
    assert_eq!(bench.lines()[2]["timestamp"], "2026-03-01T10:00:01.500Z");
}
