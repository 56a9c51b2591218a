//! `--from codex`: small session files and streams in the shapes of Codex.

use serde_json::{Value, json};

use crate::support::Bench;

const FROM: [&str; 8] =
    ["emit", "--run", "r", "--stdin", "--receipt", "receipt.json", "--from", "codex"];

/// Imports lines and returns the receipt.
fn import(bench: &Bench, input: &str) -> Value {
    let said = bench.feed(&FROM, input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    serde_json::from_slice(&std::fs::read(bench.path("receipt.json")).unwrap()).unwrap()
}

fn text_of(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A line of a session file, with a time that grows by the second.
fn session(lines: &[(&str, Value)]) -> String {
    let line = |(index, (kind, payload)): (usize, &(&str, Value))| {
        let time = format!("2026-02-03T10:00:{index:02}.000Z");
        json!({"timestamp": time, "type": kind, "payload": payload})
    };
    text_of(&lines.iter().enumerate().map(line).collect::<Vec<_>>())
}

/// The mapped events: type, call, and data without the members that every import adds.
fn mapped(bench: &Bench) -> Vec<Value> {
    let ours = |line: &Value| {
        let mut data = line["data"].as_object().unwrap().clone();
        for name in ["source", "source_text", "source_ref", "_runlog", "history_place"] {
            data.remove(name);
        }
        json!([line["type"], line["correlation_id"], data])
    };
    let lines = bench.lines();
    let kept = lines.iter().skip(1).filter(|line| {
        let kind = line["type"].as_str().unwrap();
        !kind.starts_with("codex.") && kind != "stream.rejected"
    });
    kept.map(ours).collect()
}

fn counts(total: u32, cached: u32, output: u32) -> Value {
    json!({"input_tokens": total, "cached_input_tokens": cached, "output_tokens": output,
        "reasoning_output_tokens": 1})
}

/// If this fails, a session file is read wrongly: a text counts twice, a call loses its end, or
/// cached tokens count as input.
#[test]
fn a_session_file() {
    let bench = Bench::with_run();
    let part = |kind: &str, text: &str| json!([{"type": kind, "text": text}]);
    let user = |text: &str| json!({"type": "message", "role": "user", "content": part("input_text", text)});
    let edited = "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs\n\n## My request for Codex:\nFix it\n";
    let tokens = json!({"type": "token_count", "info": {
        "total_token_usage": counts(100, 60, 9), "last_token_usage": counts(100, 60, 9)}});
    let call = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
    let output = |id: &str, output: Value| json!({"type": "function_call_output", "call_id": id, "output": output});
    let receipt = import(
        &bench,
        &session(&[
            (
                "session_meta",
                json!({"id": "th1", "cwd": "/w", "cli_version": "0.9.1",
                "instructions": "Be kind.", "git": {"branch": "topic"}}),
            ),
            ("response_item", user("<environment_context>\n</environment_context>")),
            ("response_item", user(edited)),
            ("event_msg", json!({"type": "user_message", "message": edited})),
            ("turn_context", json!({"model": "m-1", "cwd": "/w"})),
            ("turn_context", json!({"model": "m-1", "cwd": "/w"})),
            ("event_msg", json!({"type": "agent_reasoning", "text": "Look first"})),
            (
                "response_item",
                json!({"type": "reasoning", "encrypted_content": "x",
                "summary": part("summary_text", "Look first")}),
            ),
            ("response_item", call("c1", "shell", "{\"command\":[\"ls\"]}")),
            (
                "response_item",
                output(
                    "c1",
                    json!(
                        "{\"output\":\"a.rs\\n\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.25}}"
                    ),
                ),
            ),
            ("event_msg", tokens.clone()),
            ("event_msg", tokens),
            ("response_item", call("c2", "shell", "not json")),
            (
                "event_msg",
                json!({"type": "exec_command_end", "call_id": "c2", "command": ["x"],
                "aggregated_output": "no such file", "exit_code": 2, "status": "failed",
                "duration": {"secs": 1, "nanos": 5_000_000}}),
            ),
            (
                "response_item",
                output("c2", json!("Exit code: 2\nWall time: 1 seconds\nOutput:\nno such file")),
            ),
            (
                "response_item",
                json!({"type": "custom_tool_call", "call_id": "c3",
                "name": "apply_patch", "input": "*** Begin Patch", "status": "completed"}),
            ),
            (
                "response_item",
                json!({"type": "custom_tool_call_output", "call_id": "c3",
                "output": "patch rejected by user"}),
            ),
            ("event_msg", json!({"type": "web_search_end", "call_id": "ws1", "query": "rust"})),
            (
                "response_item",
                json!({"type": "web_search_call", "status": "completed",
                "action": {"type": "search", "query": "rust"}}),
            ),
            ("event_msg", json!({"type": "agent_message", "message": "Done."})),
            (
                "response_item",
                json!({"type": "message", "role": "assistant",
                "content": part("output_text", "Done.")}),
            ),
            ("event_msg", json!({"type": "turn_aborted", "reason": "interrupted"})),
            ("compacted", json!({"message": "What happened so far"})),
            ("event_msg", json!({"type": "context_compacted"})),
            (
                "event_msg",
                json!({"type": "error", "message": "quota", "codex_error_info": "usage_limit_exceeded"}),
            ),
        ]),
    );
    assert_eq!(
        mapped(&bench),
        [
            json!(["config.loaded", null, {"agent_version": "0.9.1", "cwd": "/w", "git_branch": "topic"}]),
            json!(["message.system", null, {"text": "Be kind."}]),
            json!(["message.system", null, {"text": "<environment_context>\n</environment_context>"}]),
            json!(["message.system", null, {"text": "# Context from my IDE setup:\n\n## Open tabs:\n- a.rs"}]),
            json!(["message.user", null, {"text": "Fix it"}]),
            json!(["config.loaded", null, {"model": "m-1", "cwd": "/w"}]),
            json!(["message.reasoning", null, {"text": "Look first"}]),
            json!(["tool.started", "c1", {"tool_name": "shell", "args": {"command": ["ls"]}}]),
            json!(["tool.completed", "c1", {"tool_name": "shell", "result": "a.rs\n", "exit_code": 0, "duration_ms": 250}]),
            json!(["llm.usage", null, {"input_tokens": 40, "output_tokens": 9, "cache_read_tokens": 60, "reasoning_tokens": 1, "model": "m-1", "message_id": "th1/0.100.60.0.9.1"}]),
            json!(["tool.started", "c2", {"tool_name": "shell", "args": "not json"}]),
            json!(["tool.failed", "c2", {"tool_name": "shell", "error": {"message": "no such file"}, "exit_code": 2, "duration_ms": 1005}]),
            json!(["tool.started", "c3", {"tool_name": "apply_patch", "args": "*** Begin Patch"}]),
            json!(["tool.blocked", "c3", {"tool_name": "apply_patch", "reason": "patch rejected by user"}]),
            json!(["tool.started", "ws1", {"tool_name": "web_search", "args": {"query": "rust"}}]),
            json!(["tool.completed", "ws1", {"tool_name": "web_search", "result": ""}]),
            json!(["message.assistant", null, {"text": "Done.", "model": "m-1"}]),
            json!(["user.interrupted", null, {"reason": "interrupted"}]),
            json!(["note", null, {"text": "Context compacted"}]),
            json!(["message.system", null, {"text": "What happened so far"}]),
            json!(["error", null, {"code": "usage_limit_exceeded", "message": "quota", "category": "engine"}]),
        ]
    );
    assert_eq!((&receipt["calls"], &receipt["prompts"]), (&json!(4), &json!(1)));
    assert_eq!((&receipt["rejected"], &receipt["opaque"]), (&json!(0), &json!(8)));
    assert!(bench.lines().iter().skip(1).all(|line| line["session_id"] == "th1"));
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, a stream of `codex exec --json` is read wrongly, or a line with a repeated key
/// loses its call.
#[test]
fn a_stream() {
    let bench = Bench::with_run();
    let item =
        |progress: &str, item: Value| json!({"type": format!("item.{progress}"), "item": item});
    let command = |status: &str, code: Value| {
        json!({"id": "item_1", "type": "command_execution", "command": "ls", "aggregated_output": "out",
            "exit_code": code, "status": status})
    };
    let error = json!({"message": "stream disconnected"});
    let mut input = String::from("Reading prompt from stdin...\n\n");
    input += &text_of(&[
        json!({"type": "thread.started", "thread_id": "t9"}),
        json!({"type": "turn.started"}),
        item("completed", json!({"id": "item_0", "type": "reasoning", "text": "Think"})),
        item("started", command("in_progress", Value::Null)),
        item("completed", command("failed", json!(3))),
        item(
            "started",
            json!({"id": "item_2", "type": "mcp_tool_call", "server": "s", "tool": "t",
            "arguments": {"a": 1}, "status": "in_progress"}),
        ),
        item(
            "completed",
            json!({"id": "item_2", "type": "mcp_tool_call", "server": "s", "tool": "t",
            "arguments": {"a": 1}, "result": {"content": [{"type": "text", "text": "fine"}]}, "status": "completed"}),
        ),
        item(
            "completed",
            json!({"id": "item_3", "type": "todo_list",
            "items": [{"text": "one", "completed": true}, {"text": "two", "completed": false}]}),
        ),
    ]);
    input += "{\"type\":\"item.completed\",\"item\":{\"id\":\"item_4\",\"type\":\"web_search\",\"id\":\"ws_1\",\"query\":\"rust\"}}\n";
    input += &text_of(&[
        item("completed", json!({"id": "item_5", "type": "agent_message", "text": "Done"})),
        json!({"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 2}}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 25, "cached_input_tokens": 4, "output_tokens": 5}}),
        json!({"type": "error", "message": "stream disconnected"}),
        json!({"type": "turn.failed", "error": error}),
    ]);
    let receipt = import(&bench, &input);
    assert_eq!(
        mapped(&bench),
        [
            json!(["message.reasoning", null, {"text": "Think"}]),
            json!(["tool.started", "item_1", {"tool_name": "shell", "args": {"command": "ls"}}]),
            json!(["tool.failed", "item_1", {"tool_name": "shell", "error": {"message": "out"}, "exit_code": 3}]),
            json!(["tool.started", "item_2", {"tool_name": "mcp__s__t", "args": {"a": 1}}]),
            json!(["tool.completed", "item_2", {"tool_name": "mcp__s__t", "result": "fine"}]),
            json!(["note", null, {"text": "Plan:\n[x] one\n[ ] two"}]),
            json!(["tool.started", "item_4", {"tool_name": "web_search", "args": {"query": "rust"}}]),
            json!(["tool.completed", "item_4", {"tool_name": "web_search", "result": ""}]),
            json!(["message.assistant", null, {"text": "Done"}]),
            json!(["llm.usage", null, {"input_tokens": 6, "output_tokens": 2, "cache_read_tokens": 4, "scope": "session"}]),
            json!(["llm.usage", null, {"input_tokens": 21, "output_tokens": 5, "cache_read_tokens": 4, "scope": "session"}]),
            json!(["error", null, {"message": "stream disconnected", "category": "engine"}]),
        ]
    );
    assert_eq!((&receipt["calls"], &receipt["failures"]), (&json!(3), &json!(1)));
    assert_eq!((&receipt["blank"], &receipt["rejected"]), (&json!(1), &json!(1)));
    assert_eq!(bench.lines()[1]["session_id"], "t9");
}

/// If this fails, cumulative token counts are added up, or counts after a restart are lost.
#[test]
fn token_totals_become_right_sums() {
    let report = |total: Value, last: Value| {
        (
            "event_msg",
            json!({"type": "token_count", "info": {"total_token_usage": total, "last_token_usage": last}}),
        )
    };
    let cases = [
        // The same total again, in another shape of the line.
        (
            vec![
                report(counts(100, 60, 9), counts(100, 60, 9)),
                report(counts(100, 60, 9), counts(1, 0, 0)),
            ],
            [40, 60, 9],
        ),
        // A total without the newest call.
        (
            vec![report(counts(100, 60, 9), Value::Null), report(counts(150, 80, 12), Value::Null)],
            [70, 80, 12],
        ),
        // A restart with smaller counts, then one with greater counts.
        (
            vec![
                report(counts(100, 60, 9), counts(100, 60, 9)),
                report(counts(50, 0, 5), counts(50, 0, 5)),
                report(counts(500, 0, 7), counts(500, 0, 7)),
            ],
            [590, 60, 21],
        ),
        (
            vec![
                ("event_msg", json!({"type": "token_count", "info": null})),
                report(counts(10, 4, 1), counts(10, 4, 1)),
            ],
            [6, 4, 1],
        ),
    ];
    for (lines, [input, cached, output]) in cases {
        let bench = Bench::with_run();
        let usage = &import(&bench, &session(&lines))["usage"];
        assert_eq!(
            (&usage["input_tokens"], &usage["cache_read_tokens"], &usage["output_tokens"]),
            (&json!(input), &json!(cached), &json!(output)),
            "{lines:?}"
        );
    }
}

/// If this fails, calls with placeholder ids or a repeated id become one call.
#[test]
fn ids_that_say_nothing_never_merge_calls() {
    let bench = Bench::with_run();
    let mut lines = Vec::new();
    for (index, id) in ["", "REDACTED", "[removed]", "twice", "twice"].iter().enumerate() {
        lines.push(("response_item", json!({"type": "function_call", "call_id": id, "name": "t", "arguments": format!("{{\"n\":{index}}}")})));
        lines.push((
            "response_item",
            json!({"type": "function_call_output", "call_id": id, "output": format!("{index}")}),
        ));
    }
    let receipt = import(&bench, &session(&lines));
    assert_eq!(receipt["calls"], 5);
    let events = mapped(&bench);
    let ids: Vec<&Value> = events.iter().map(|event| &event[1]).collect();
    assert!(ids.chunks(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
    assert_eq!(ids[6], &json!("twice"));
    assert_ne!(ids[8], &json!("twice"));
    assert_eq!(bench.codes(), ["RL408", "RL503"], "a call has lost its start or its end");
}

/// If this fails, the outcome of a call is misread from its output.
#[test]
fn outputs_say_how_a_call_ended() {
    let cases = [
        (json!("fine"), "tool.completed", json!("fine"), Value::Null),
        (json!("{\"a\":1}"), "tool.completed", json!("{\"a\":1}"), Value::Null),
        (
            json!([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "x"}]),
            "tool.completed",
            json!("a\n[input_image]"),
            Value::Null,
        ),
        (
            json!("Chunk ID: 1f\nWall time: 0.5 seconds\nProcess exited with code 0\nOutput:\nyes"),
            "tool.completed",
            json!("yes"),
            json!(0),
        ),
        (
            json!("Wall time: 3.2 seconds\naborted by user"),
            "tool.failed",
            json!("aborted by user"),
            Value::Null,
        ),
        (
            json!("Chunk ID: 1f\nProcess running with session ID 4\nOutput:\n"),
            "tool.completed",
            json!("Chunk ID: 1f\nProcess running with session ID 4\nOutput:\n"),
            Value::Null,
        ),
        (
            json!("{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}"),
            "tool.failed",
            json!("no"),
            json!(1),
        ),
        (json!({"content": "no", "success": false}), "tool.failed", json!("no"), Value::Null),
        (
            json!("execution error: none"),
            "tool.failed",
            json!("execution error: none"),
            Value::Null,
        ),
        (
            json!("exec command rejected by user"),
            "tool.blocked",
            json!("exec command rejected by user"),
            Value::Null,
        ),
    ];
    let bench = Bench::with_run();
    let lines = cases.iter().enumerate().map(|(index, (output, ..))| {
        ("response_item", json!({"type": "function_call_output", "call_id": format!("c{index}"), "output": output}))
    });
    import(&bench, &session(&lines.collect::<Vec<_>>()));
    for (event, (output, kind, text, code)) in mapped(&bench).iter().zip(&cases) {
        let data = &event[2];
        let said = [&data["result"], &data["error"]["message"], &data["reason"]];
        assert_eq!((&event[0], &data["exit_code"]), (&json!(kind), code), "{output}");
        assert_eq!(said.into_iter().find(|said| !said.is_null()), Some(text), "{output}");
    }
}

/// If this fails, the events of a sub-agent's session look like the main agent's, or the call that
/// spawned it does not name it.
#[test]
fn sub_agents() {
    let bench = Bench::with_run();
    let meta = json!({"id": "child", "session_id": "root", "source": {"subagent": {"thread_spawn": {"parent_thread_id": "root"}}}});
    let copied = json!({"id": "root", "cwd": "/elsewhere", "instructions": "old"});
    import(
        &bench,
        &session(&[
            ("session_meta", meta),
            ("session_meta", copied),
            ("event_msg", json!({"type": "agent_message", "message": "I am here"})),
            (
                "event_msg",
                json!({"type": "collab_agent_spawn_end", "call_id": "c1", "new_thread_id": "grandchild", "prompt": "look", "status": "running"}),
            ),
        ]),
    );
    assert_eq!(
        mapped(&bench),
        [
            json!(["message.assistant", null, {"text": "I am here", "agent_id": "child"}]),
            json!(["tool.started", "c1", {"tool_name": "spawn_agent", "args": {"prompt": "look"}, "agent_id": "child"}]),
            json!(["tool.completed", "c1", {"tool_name": "spawn_agent", "result": "running", "spawned_agent_id": "grandchild", "agent_id": "child"}]),
        ]
    );
    assert_eq!(bench.lines()[1]["session_id"], "root");
}

/// If this fails, `auto` does not know a session, or session files of older versions are opaque.
#[test]
fn older_sessions_have_no_wrapper() {
    let bench = Bench::with_run();
    let input = text_of(&[
        json!({"id": "old1", "timestamp": "2025-01-02T03:04:05Z", "instructions": null, "git": {"branch": "b"}}),
        json!({"record_type": "state"}),
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]}),
        json!({"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{\"command\":[\"ls\"]}"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": "{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}"}),
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]}),
    ]);
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "--from", "auto"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(
        mapped(&bench),
        [
            json!(["config.loaded", null, {"git_branch": "b"}]),
            json!(["message.user", null, {"text": "Hi"}]),
            json!(["tool.started", "c1", {"tool_name": "shell", "args": {"command": ["ls"]}}]),
            json!(["tool.completed", "c1", {"tool_name": "shell", "result": "x", "exit_code": 0}]),
            json!(["message.assistant", null, {"text": "Hello"}]),
        ]
    );
    assert!(bench.lines().iter().skip(1).all(|line| line["session_id"] == "old1"));
    for native in [
        "{\"type\":\"turn.started\",\"data\":{}}",
        "{\"type\":\"error\",\"data\":{\"message\":\"x\"}}",
    ] {
        let bench = Bench::with_run();
        bench.feed(&["emit", "--run", "r", "--stdin", "--from", "auto"], native.as_bytes());
        assert!(bench.lines()[1]["data"].get("_runlog").is_none(), "{native}");
    }
}

/// If this fails, an output without a usable id ends a call of another kind.
#[test]
fn outputs_without_ids_end_calls_of_their_kind() {
    let bench = Bench::new();
    bench.emit(&["run.created"]);
    let item = |kind: &str, more: Value| {
        let mut item = json!({"type": kind, "call_id": "REDACTED"});
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("response_item", item)
    };
    let lines = [
        item("tool_search_call", json!({"arguments": "{}"})),
        item("custom_tool_call", json!({"name": "apply_patch", "input": "*** Begin Patch"})),
        item("custom_tool_call_output", json!({"output": "patched"})),
        item("tool_search_output", json!({"tools": []})),
    ];
    import(&bench, &session(&lines));
    let events = mapped(&bench);
    let pairs: Vec<_> = events.iter().map(|event| (&event[0], &event[1])).collect();
    assert_eq!(pairs.len(), 4, "{events:?}");
    assert_eq!(pairs[2], (&json!("tool.completed"), pairs[1].1));
    assert_eq!(pairs[3], (&json!("tool.completed"), pairs[0].1));
}

/// If this fails, what the automatic reviewer denied, or an undo that did nothing, is shown nowhere.
#[test]
fn denials_and_failed_undos_are_told() {
    let bench = Bench::with_run();
    let assessed = |target: &str, status: &str| {
        json!({"type": "guardian_assessment", "id": "g", "target_item_id": target, "status": status,
            "rationale": "It deletes.", "action": {"type": "command", "command": "rm -rf x"}})
    };
    let call = json!({"type": "function_call", "name": "shell", "call_id": "c1",
        "arguments": "{\"command\":[\"bash\",\"-lc\",\"rm -rf y\"]}"});
    let input = session(&[
        ("session_meta", json!({"id": "s1", "cwd": "/x"})),
        ("event_msg", assessed("c9", "in_progress")),
        ("event_msg", assessed("c9", "denied")),
        ("response_item", call),
        ("event_msg", assessed("c1", "denied")),
        ("event_msg", json!({"type": "undo_completed", "success": false, "message": "no commit"})),
        ("event_msg", json!({"type": "undo_completed", "success": true, "message": "Undone."})),
    ]);
    import(&bench, &input);
    let events = mapped(&bench);
    let of = |kind: &str| events.iter().filter(|event| event[0] == kind).collect::<Vec<_>>();
    let denied = of("tool-denied");
    assert_eq!(denied.len(), 1, "{events:?}");
    assert_eq!(denied[0][2]["reason"], "It deletes.");
    assert_eq!(of("tool.blocked").len(), 1, "{events:?}");
    assert_eq!(of("error")[0][2]["message"], "Undo failed: no commit");
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("The automatic reviewer denied rm -rf x: It deletes."), "{text}");
    // The command is what the shell runs.
    let shown = bench.ok(&["show", "r"]);
    assert!(shown.contains("shell started: rm -rf y") && !shown.contains("bash, -lc"), "{shown}");
    // What was asked is not in this log.
    assert!(text.contains("Prompt\n  The log has no prompt.\n"), "{text}");
}

/// If this fails, a prompt that repeats one of an earlier turn is lost if the client reports it in a newer
/// way.
#[test]
fn the_same_prompt_in_two_turns_counts_twice() {
    let bench = Bench::with_run();
    let older = ("event_msg", json!({"type": "user_message", "message": "continue"}));
    let item = json!({"type": "UserMessage", "id": "i", "content": [
        {"type": "text", "text": "continue"}]});
    let newer = ("event_msg", json!({"type": "item_completed", "item": item}));
    let end = ("event_msg", json!({"type": "task_complete"}));
    let lines = [older.clone(), newer.clone(), end.clone(), newer, older, end];
    assert_eq!(import(&bench, &session(&lines))["prompts"], 2);
}

/// If this fails, a call whose id was removed from the log counts twice, and one of the two never ends.
#[test]
fn a_call_without_an_id_has_one_start() {
    let bench = Bench::with_run();
    let call = |kind: &str| {
        json!({"type": format!("dynamic_tool_call_{kind}"), "call_id": "[redacted]", "tool": "look",
            "arguments": {}, "success": true, "content_items": []})
    };
    let lines =
        ["request", "response", "request", "response"].map(|kind| ("event_msg", call(kind)));
    let receipt = import(&bench, &session(&lines));
    let events = mapped(&bench);
    let starts = events.iter().filter(|event| event[0] == "tool.started").count();
    assert_eq!((&receipt["calls"], starts, events.len()), (&json!(2), 2, 4), "{events:?}");
}

/// If this fails, the output of a process that was cut off at once looks like a whole session, or like the
/// file of another program.
#[test]
fn an_output_without_work_is_warned_of() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("runs")).unwrap();
    let lines = [
        json!({"type": "thread.started", "thread_id": "019a2d7b-1111-7222-8333-444455556666"}),
        json!({"type": "turn.started"}),
    ];
    std::fs::write(bench.path("out.jsonl"), text_of(&lines)).unwrap();
    let said = bench.call(&["import", "out.jsonl"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("no line says what codex did"), "{}", said.err);
    assert!(!said.err.contains("another program"), "{}", said.err);
}
