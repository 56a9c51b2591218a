//! What `gemini -p` prints, and the lines of Qwen Code, on small sessions made for these tests.

#![expect(clippy::needless_pass_by_value, reason = "the values are written in the calls")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// A line of the stream at that second.
fn line(second: u32, kind: &str, members: Value) -> Value {
    let mut line = json!({"type": kind, "timestamp": format!("2026-03-01T10:00:{second:02}.000Z")});
    line.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    line
}

/// A stream with a question, an answer in pieces, two calls and that end.
fn stream(end: Value) -> String {
    let said = |text: &str| json!({"role": "assistant", "content": text, "delta": true});
    jsonl(&[
        line(0, "init", json!({"session_id": "gem-p", "model": "gemini-2.5-pro"})),
        line(1, "message", json!({"role": "user", "content": "Count the files."})),
        line(2, "message", said("I ")),
        line(2, "message", said("count.")),
        line(
            3,
            "tool_use",
            json!({"tool_name": "run_shell_command", "tool_id": "c1",
            "parameters": {"command": "ls | wc -l"}}),
        ),
        line(
            4,
            "tool_result",
            json!({"tool_id": "c1", "status": "success",
            "output": "Output: 3\nExit Code: 0"}),
        ),
        line(
            5,
            "tool_use",
            json!({"tool_name": "read_file", "tool_id": "c2",
            "parameters": {"file_path": "a"}}),
        ),
        line(
            6,
            "tool_result",
            json!({"tool_id": "c2", "status": "error", "output": "",
            "error": {"type": "FILE_NOT_FOUND", "message": "no such file"}}),
        ),
        line(7, "error", json!({"severity": "warning", "message": "Loop detected"})),
        line(8, "message", said("3 files.")),
        line(9, "result", end),
    ])
}

fn stats() -> Value {
    let of_model = json!({"total_tokens": 2350, "input_tokens": 2200, "output_tokens": 110,
        "cached": 900, "input": 1300});
    json!({"total_tokens": 2350, "input_tokens": 2200, "output_tokens": 110, "cached": 900,
        "input": 1300, "duration_ms": 9000, "tool_calls": 2, "models": {"gemini-2.5-pro": of_model}})
}

/// Imports a file and returns what `list` says of the only run.
fn imported(bench: &Bench, name: &str, text: &str) -> Value {
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path(name), text).unwrap();
    bench.ok(&["import", name]);
    let list = bench.json(&["list"]);
    assert_eq!(list["runs"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(bench.call(&["validate", "--all", "--strict"]).status, 0);
    list["runs"][0].clone()
}

/// If this fails, what a script gets from `gemini -p` is not read, or its tokens are wrong.
#[test]
fn the_stream() {
    let bench = Bench::new();
    let run =
        imported(&bench, "out.jsonl", &stream(json!({"status": "success", "stats": stats()})));
    assert_eq!((&run["run_id"], &run["status"]), (&json!("gemini-gem-p"), &json!("completed")));
    for (name, count) in [
        ("input_tokens", 1300),
        ("cache_read_tokens", 900),
        ("output_tokens", 150),
        ("tool_calls", 2),
        ("tool_failures", 1),
        ("prompts", 1),
    ] {
        assert_eq!(run["counts"][name], count, "{name}: {run}");
    }
    let text = bench.ok(&["transcript", "gemini-gem-p", "--format", "text"]);
    assert!(text.contains("I count.") && text.contains("3 files."), "{text}");
    assert!(text.contains("Loop detected") && text.contains("no such file"), "{text}");
}

/// If this fails, the tokens of a session that was resumed are those of its last process, or its
/// total is taken for the context of one call.
#[test]
fn two_processes_of_a_session() {
    let bench = Bench::new();
    let end = || json!({"status": "success", "stats": stats()});
    let both = stream(end()) + &stream(end()).replace("2026-03-01T10:00", "2026-03-01T11:00");
    let run = imported(&bench, "out.jsonl", &both);
    assert_eq!(
        (&run["counts"]["input_tokens"], &run["counts"]["output_tokens"]),
        (&json!(2600), &json!(300))
    );
    assert_eq!(bench.call(&["chapter", "due", "gemini-gem-p", "--trigger", "1000"]).status, 1);
}

/// If this fails, nobody learns that a run has the output and the session file, or tokens count twice.
#[test]
fn the_stream_and_the_session_file() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let message = json!({"id": "g1", "timestamp": "2026-03-01T10:00:02.000Z", "type": "gemini",
        "model": "gemini-2.5-pro", "content": "3 files.", "tokens": {"input": 100, "output": 10}});
    let file = json!({"sessionId": "gem-p", "projectHash": "a", "startTime": "2026-03-01T10:00:00Z",
        "messages": [message]});
    fs::write(bench.path("session.json"), file.to_string()).unwrap();
    let end = json!({"status": "success", "stats": stats()});
    fs::write(bench.path("out.jsonl"), stream(end)).unwrap();
    let warning = "prompts and answers are there twice";
    for (file, warns) in [("session.json", false), ("out.jsonl", true), ("session.json", true)] {
        let said = bench.call(&["import", file]);
        assert_eq!(said.err.contains(warning), warns, "{file}: {}", said.err);
    }
    let list = bench.json(&["list"]);
    assert_eq!(list["runs"][0]["counts"]["input_tokens"], 1300);
}

/// If this fails, a session that failed passes as completed.
#[test]
fn the_end_of_a_stream() {
    let error = json!({"type": "FatalTurnLimitedError", "message": "Reached max session turns"});
    for (end, status) in [
        (json!({"status": "error", "error": error, "stats": stats()}), "failed"),
        (json!({"status": "error"}), "failed"),
        (json!({"status": "success"}), "completed"),
    ] {
        let bench = Bench::new();
        assert_eq!(imported(&bench, "out.jsonl", &stream(end.clone()))["status"], status, "{end}");
    }
}

/// If this fails, the document that `gemini -p` prints is not read.
#[test]
fn the_document() {
    let tokens = json!({"input": 1300, "prompt": 2200, "candidates": 110, "total": 2360,
        "cached": 900, "thoughts": 40, "tool": 10});
    let models = json!({"gemini-2.5-pro": {"api": {"totalRequests": 2}, "tokens": tokens}});
    let good = json!({"session_id": "gem-d", "response": "3 files.", "stats": {"models": models}});
    let bench = Bench::new();
    let run = imported(&bench, "out.json", &serde_json::to_string_pretty(&good).unwrap());
    assert_eq!((&run["run_id"], &run["status"]), (&json!("gemini-gem-d"), &json!("completed")));
    assert_eq!(run["counts"]["input_tokens"], 1310);
    assert_eq!(run["counts"]["output_tokens"], 150);
    assert!(bench.ok(&["transcript", "gemini-gem-d", "--format", "text"]).contains("3 files."));

    let error =
        json!({"type": "FatalTurnLimitedError", "message": "Reached max turns", "code": 53});
    let bad = json!({"session_id": "gem-d", "error": error, "stats": {"models": models}});
    let bench = Bench::new();
    let run = imported(&bench, "out.json", &serde_json::to_string_pretty(&bad).unwrap());
    assert_eq!((&run["status"], &run["counts"]["output_tokens"]), (&json!("failed"), &json!(150)));
    assert!(run["error"].to_string().contains("Reached max turns"), "{run}");
    let bad = json!({"session_id": "gem-d", "error": error});
    let run = imported(&Bench::new(), "out.json", &serde_json::to_string_pretty(&bad).unwrap());
    assert_eq!(run["status"], "failed");
}

/// If this fails, cached tokens of Qwen Code count twice.
#[test]
fn lines_of_qwen_code() {
    let usage = |input: u64, output: u64, cached: u64| {
        json!({"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": cached,
            "total_tokens": input + output})
    };
    let answer = |id: &str, text: &str, usage: Value| {
        json!({"type": "assistant", "uuid": id, "session_id": "qwen-1", "parent_tool_use_id": null,
            "message": {"id": id, "type": "message", "role": "assistant", "model": "qwen3-coder-plus",
                "content": [{"type": "text", "text": text}], "stop_reason": null, "usage": usage}})
    };
    let lines = jsonl(&[
        json!({"type": "system", "subtype": "init", "uuid": "q0", "session_id": "qwen-1",
            "cwd": "/w", "model": "qwen3-coder-plus", "qwen_code_version": "0.5.0"}),
        answer("q1", "Counting.", usage(1000, 30, 0)),
        answer("q2", "3 files.", usage(1200, 80, 900)),
        json!({"type": "result", "subtype": "success", "uuid": "q3", "session_id": "qwen-1",
            "is_error": false, "num_turns": 2, "result": "3 files.", "usage": usage(2200, 110, 900)}),
    ]);
    let bench = Bench::new();
    let counts = imported(&bench, "out.jsonl", &lines)["counts"].clone();
    assert_eq!(counts["input_tokens"], 1300, "{counts}");
    assert_eq!(counts["cache_read_tokens"], 900);
    assert_eq!(counts["output_tokens"], 110);
}
