//! What agents write now and then: small lines made for these tests, one shape each.

use serde_json::{Value, json};

use crate::import_newer_shapes::{asked, rollout, told};
use crate::support::Bench;
use crate::support::imports::jsonl;

/// If this fails, what a person asked is taken for text that the client adds, because it begins with
/// the same words.
#[test]
fn codex_prompts_that_begin_like_text_of_the_client() {
    let text = |text: &str| asked(json!([{"type": "input_text", "text": text}]));
    let lines = rollout(&[
        text("<skill> tags are parsed wrongly, fix that"),
        text("# AGENTS.md instructions are too long, shorten them"),
        text("Warning: apply_patch was requested via a shell, why?"),
        text("<environment_context>\n<cwd>/p</cwd>\n</environment_context>"),
        text("# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>"),
    ]);
    let kinds: Vec<String> = told("codex", &lines)
        .iter()
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .collect();
    let [user, system] = ["message.user", "message.system"];
    assert_eq!(kinds, [user, user, user, system, system]);
}

/// If this fails, what was said aloud, what a search looked for, or whose conversation it is, is lost.
#[test]
fn codex_speech_searches_and_imported_conversations() {
    let spoken = |id: &str, role: &str, text: &str| {
        (
            "realtime_item",
            json!({"id": id, "type": "transcript_segment", "role": role, "text": text}),
        )
    };
    let said = |text: &str| {
        let part = json!([{"type": "output_text", "text": text}]);
        ("response_item", json!({"type": "message", "role": "assistant", "content": part}))
    };
    let lines = rollout(&[
        spoken("s1", "user", "add a test"),
        spoken("s2", "assistant", "I will"),
        said("There are two."),
        said("<EXTERNAL SESSION IMPORTED>"),
    ]);
    let expected = [
        "message.user add a test",
        "message.assistant I will",
        "message.assistant There are two.",
        "note The conversation until here is of another agent",
    ];
    assert_eq!(told("codex", &lines), expected);

    let search = |kind: &str, query: &str, action: Value| {
        let item = json!({"id": "i0", "type": "web_search", "query": query, "action": action});
        json!({"type": kind, "item": item})
    };
    let lines = [
        json!({"type": "thread.started", "thread_id": "t"}),
        search("item.started", "", json!({"type": "other"})),
        search("item.completed", "rust json", json!({"type": "search", "query": "rust json"})),
    ];
    let bench = Bench::with_run();
    bench.import_from("codex", &jsonl(&lines));
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("web_search: rust json"), "{text}");
}

/// A line of a stream of Claude Code.
fn claude(kind: &str, mut more: Value) -> Value {
    more["type"] = json!(kind);
    more["session_id"] = json!("s");
    more
}

/// The last line of a process that used this number of tokens, and what it reports for the session.
fn claude_result(id: &str, own: u32, all: u32, cost: f64) -> Value {
    let used = json!({"input_tokens": own, "output_tokens": own});
    let model = json!({"inputTokens": all, "outputTokens": all, "costUSD": cost});
    let mut line = claude("result", json!({"subtype": "success", "uuid": id, "usage": used}));
    line["modelUsage"] = json!({"m": model});
    line["total_cost_usd"] = json!(cost);
    line
}

/// If this fails, `claude -p --output-format json` leaves a run without an answer, and one that a
/// stream has already stands twice.
#[test]
fn claude_answers_in_the_last_line() {
    let result = |more: Value| {
        let mut line = claude_result("r", 5, 5, 0.5);
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let part = json!([{"type": "text", "text": "two tests"}]);
    let message = json!({"role": "assistant", "id": "m1", "model": "m", "content": part});
    let said = claude("assistant", json!({"uuid": "a", "message": message}));
    let answers = |lines: &[Value]| {
        let all = told("claude-code", lines);
        let answers = all.iter().filter_map(|line| line.strip_prefix("message.assistant "));
        answers.map(str::to_owned).collect::<Vec<_>>()
    };
    let plain = result(json!({"result": "two tests"}));
    assert_eq!(answers(std::slice::from_ref(&plain)), ["two tests"]);
    assert_eq!(answers(&[said, plain]), ["two tests"]);
    let structured = result(json!({"result": "", "structured_output": {"tests": 2}}));
    assert_eq!(answers(&[structured]), [r#"{"tests":2}"#]);
    let failed = result(json!({"result": "API Error: 500", "is_error": true}));
    assert!(answers(std::slice::from_ref(&failed)).is_empty());
    // An error that a message told is no second one.
    let part = json!([{"type": "text", "text": "API Error: 500"}]);
    let message = json!({"role": "assistant", "model": "<synthetic>", "content": part});
    let said = claude("assistant", json!({"uuid": "a", "error": "e", "message": message}));
    let all = told("claude-code", &[said, failed]);
    assert_eq!(all.iter().filter(|line| line.starts_with("error")).count(), 1, "{all:?}");
}

/// If this fails, a stream that was cut off has only the first tokens of its answers.
#[test]
fn claude_events_of_the_api() {
    let event =
        |uuid: &str, event: Value| claude("stream_event", json!({"uuid": uuid, "event": event}));
    let usage = json!({"input_tokens": 10, "output_tokens": 2});
    let message = json!({"id": "m1", "model": "m", "usage": usage});
    let part = json!([{"type": "text", "text": "hello"}]);
    let mut line = message.clone();
    line["content"] = part;
    line["stop_reason"] = Value::Null;
    // The end of a message may have 0 or null for what its beginning told.
    let end = json!({"type": "message_delta", "usage": {"input_tokens": 0, "cache_read_input_tokens": null, "output_tokens": 55}});
    let lines = [
        event("e1", json!({"type": "message_start", "message": message})),
        claude("assistant", json!({"uuid": "a", "message": line})),
        event("e2", end),
    ];
    for (read, output, is_bound) in [(3, 55, false), (1, 2, true)] {
        let bench = Bench::with_run();
        bench.import_from("claude-code", &jsonl(&lines[..read]));
        let counts = &bench.json(&["list"])["runs"][0]["counts"];
        let found = (&counts["input_tokens"], &counts["output_tokens"]);
        assert_eq!(found, (&json!(10), &json!(output)));
        assert_eq!(counts["output_tokens_at_least"] == true, is_bound, "{counts}");
    }
}

/// If this fails, the session file, which has only the first tokens of an answer, takes the exact tokens
/// of the stream away, or the order of the two imports matters.
#[test]
fn claude_events_of_the_api_and_the_session_file() {
    let usage = json!({"input_tokens": 10, "output_tokens": 2});
    let message = json!({"id": "m1", "model": "m", "usage": usage, "stop_reason": null,
        "content": [{"type": "text", "text": "hello"}]});
    let stream = [
        claude("stream_event", json!({"event": {"type": "message_start", "message": message}})),
        claude("assistant", json!({"uuid": "a", "message": message})),
        claude(
            "stream_event",
            json!({"event":
            {"type": "message_delta", "usage": {"output_tokens": 55}}}),
        ),
    ];
    let file = [json!({"type": "assistant", "sessionId": "s", "uuid": "a", "parentUuid": null,
        "timestamp": "2026-05-01T10:00:00Z", "message": message})];
    let sources = [("stream.jsonl", jsonl(&stream)), ("file.jsonl", jsonl(&file))];
    for order in [[0, 1], [1, 0]] {
        let bench = Bench::with_run();
        for (name, text) in order.map(|at| &sources[at]) {
            std::fs::write(bench.path(name), text).unwrap();
            bench.ok(&["import", name]);
        }
        let counts = &bench.json(&["list"])["total"];
        assert_eq!((&counts["input_tokens"], &counts["output_tokens"]), (&json!(10), &json!(55)));
    }
}

/// If this fails, what the user asked for with a command of the client is not in the transcript.
#[test]
fn claude_commands_that_the_agent_gets() {
    let bench = Bench::with_run();
    let content = "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n\
        <command-args>45 please</command-args>";
    let line =
        claude("user", json!({"uuid": "u", "message": {"role": "user", "content": content}}));
    bench.import_from("claude-code", &jsonl(&[line]));
    for format in ["text", "markdown"] {
        let text = bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
        assert!(text.contains("/fix 45 please"), "{text}");
    }
}

/// The titles of the tasks of a log with how they ended, and the last answer.
fn tasks(dialect: &str, lines: &[Value]) -> (Vec<String>, String) {
    let bench = Bench::with_run();
    bench.import_from(dialect, &jsonl(lines));
    let page = bench.json(&["transcript", "r", "-o", "-"]);
    let turns = page["turns"].as_array().unwrap().iter();
    let told = |turn: &Value| {
        format!("{}: {}", turn["title"].as_str().unwrap(), turn["outcome"].as_str().unwrap())
    };
    let tasks = turns.filter(|turn| turn["task"].is_u64()).map(told).collect();
    (tasks, page["answer"]["text"].as_str().unwrap_or_default().to_owned())
}

/// If this fails, what the user went back from stands as a part of the conversation, or its answer as
/// the answer of the run.
#[test]
fn conversations_that_went_back() {
    let gemini = |id: &str, kind: &str, text: &str| json!({"id": id, "timestamp": "2026-02-03T10:00:00Z", "type": kind, "content": text});
    let lines = [
        json!({"sessionId": "s", "projectHash": "p", "startTime": "2026-02-03T10:00:00Z"}),
        gemini("u1", "user", "one"),
        gemini("a1", "gemini", "first"),
        gemini("u2", "user", "two"),
        gemini("a2", "gemini", "second"),
        json!({"$rewindTo": "u2"}),
    ];
    let (told, answer) = tasks("gemini", &lines);
    assert_eq!(
        (told, answer.as_str()),
        (vec!["one: ended".into(), "two: withdrawn".into()], "first")
    );

    let claude = |id: &str, parent: Option<&str>, kind: &str, text: &str| json!({"type": kind, "sessionId": "s", "uuid": id, "parentUuid": parent, "message": {"role": kind, "content": [{"type": "text", "text": text}]}});
    let mut lines = vec![
        claude("u1", None, "user", "one"),
        claude("a1", Some("u1"), "assistant", "first"),
        claude("u2", Some("a1"), "user", "two"),
        claude("a2", Some("u2"), "assistant", "second"),
    ];
    // The same line again is no other prompt.
    lines.push(lines[2].clone());
    lines.push(claude("u3", Some("a1"), "user", "three"));
    lines.push(claude("a3", Some("u3"), "assistant", "third"));
    let (told, answer) = tasks("claude-code", &lines);
    assert_eq!(told, ["one: ended", "two: withdrawn", "three: running"]);
    assert_eq!(answer, "third");
    // A prompt that was queued goes with the one before it.
    let queued = json!({"type": "attachment", "sessionId": "s", "uuid": "q1", "parentUuid": "a2",
        "attachment": {"type": "queued_command", "prompt": "and this"}});
    lines.insert(4, queued);
    let told = tasks("claude-code", &lines).0;
    assert_eq!(told, ["one: ended", "two: withdrawn", "and this: withdrawn", "three: running"]);

    let pi = |id: &str, parent: Option<&str>, role: &str, text: &str| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-02-03T10:00:00Z", "message": {"role": role, "content": [{"type": "text", "text": text}]}});
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-02-03T10:00:00Z", "cwd": "/p"}),
        pi("u1", None, "user", "one"),
        pi("a1", Some("u1"), "assistant", "first"),
        pi("u2", None, "user", "two"),
    ];
    assert_eq!(tasks("pi", &lines).0, ["one: withdrawn", "two: running"]);
    let lines = [
        lines[0].clone(),
        pi("u1", None, "user", "one"),
        pi("a1", Some("u1"), "assistant", "first"),
        pi("x1", Some("a1"), "custom", "between"),
        pi("u2", Some("x1"), "user", "two"),
        pi("u3", Some("a1"), "user", "three"),
    ];
    assert_eq!(tasks("pi", &lines).0, ["one: ended", "two: withdrawn", "three: running"]);

    let asked = |text: &str| ("event_msg", json!({"type": "user_message", "message": text}));
    let said = |text: &str| ("event_msg", json!({"type": "agent_message", "message": text}));
    let lines = rollout(&[
        asked("one"),
        said("first"),
        asked("two"),
        said("second"),
        ("event_msg", json!({"type": "thread_rolled_back", "num_turns": 1})),
        asked("three"),
    ]);
    let (told, answer) = tasks("codex", &lines);
    assert_eq!(told, ["one: ended", "two: withdrawn", "three: running"]);
    assert_eq!(answer, "first");
}

/// If this fails, what the client writes is a prompt, an error lacks its reason, or calls
/// that are only counted are nowhere.
#[test]
fn gemini_texts_of_the_client_and_outputs() {
    let user = |id: &str, text: &str| json!({"id": id, "timestamp": "2026-02-03T10:00:00Z", "type": "user", "content": text});
    let lines = [
        json!({"sessionId": "s", "projectHash": "p", "startTime": "2026-02-03T10:00:00Z"}),
        user("u1", "System: Please continue."),
        user("u2", "Here is the user's editor context as a JSON object:\n{}"),
        user(
            "u3",
            "User steering update:\n<user_input>\nfaster\n</user_input>\nInternal: plan again.",
        ),
    ];
    let told_prompts = told("gemini", &lines);
    let prompts: Vec<_> =
        told_prompts.iter().filter(|line| line.starts_with("message.user")).collect();
    assert_eq!(prompts, ["message.user faster"]);

    let stream = |kind: &str, mut more: Value| {
        more["type"] = json!(kind);
        more["timestamp"] = json!("2026-02-03T10:00:00Z");
        more
    };
    let error = json!({"type": "file_not_found", "message": "no file /p/a.txt"});
    let lines = [
        stream("init", json!({"session_id": "s", "model": "m"})),
        stream("tool_use", json!({"tool_name": "read_file", "tool_id": "t1", "parameters": {}})),
        stream(
            "tool_result",
            json!({"tool_id": "t1", "status": "error", "output": "not found", "error": error}),
        ),
    ];
    let failed = told("gemini", &lines).pop().unwrap();
    assert!(failed.contains("no file /p/a.txt") && failed.contains("not found"), "{failed}");

    let tools = json!({"totalCalls": 3, "totalFail": 1, "byName": {"read_file": {"count": 3}}});
    let stats = json!({"models": {"m": {"tokens": {"prompt": 1}}}, "tools": tools});
    let output =
        json!({"session_id": "s", "response": "done", "warnings": ["loop"], "stats": stats});
    let all = told("gemini", &[output]);
    let note = "note The output does not list its 3 tool calls (read_file 3, 1 failed)";
    assert!(all.contains(&note.to_owned()) && all.contains(&"note loop !".to_owned()), "{all:?}");
}

/// If this fails, a trajectory is rejected for a name that its importer wrote twice, a failure is taken
/// back by the result of something else, or a reported cost is left out.
#[test]
fn atif_side_chains_results_and_costs() {
    let import = |steps: Value, more: Value| {
        let bench = Bench::with_run();
        let mut document = json!({"schema_version": "ATIF-v1.7", "session_id": "s",
            "agent": {"name": "a", "version": "1", "model_name": "m"}, "steps": steps});
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        bench.import_from("atif", &jsonl(&[document]));
        let listed = bench.json(&["list"]);
        listed["total"].clone()
    };
    let step = |cost: f64| {
        let metrics = json!({"prompt_tokens": 300, "completion_tokens": 30, "cost_usd": cost});
        json!({"step_id": 1, "source": "agent", "message": "said", "metrics": metrics,
            "extra": {"is_sidechain": true}})
    };
    let inner = json!([{"schema_version": "ATIF-v1.7", "trajectory_id": "t1",
        "agent": {"name": "b", "version": "1", "model_name": "m"}, "steps": [step(0.5)]}]);
    let total = import(
        json!([{"step_id": 1, "source": "user", "message": "go"}]),
        json!({"subagent_trajectories": inner}),
    );
    assert_eq!((&total["input_tokens"], &total["cost_usd"]), (&json!(300), &json!(0.5)));

    let results = json!([
        {"source_call_id": "c1", "content": "bad", "extra": {"is_error": true}},
        {"source_call_id": null, "content": "a screen"},
    ]);
    let call = json!({"tool_call_id": "c1", "function_name": "t", "arguments": {}});
    let total = import(
        json!([{"step_id": 1, "source": "agent", "message": "x", "tool_calls": [call],
            "observation": {"results": results}}]),
        json!({}),
    );
    assert_eq!(total["tool_failures"], 1);

    let metrics =
        json!({"total_prompt_tokens": 300, "total_completion_tokens": 30, "total_cost_usd": 0.75});
    let mut own = step(0.5);
    own["extra"] = json!({});
    let total = import(json!([&own]), json!({"final_metrics": metrics, "notes": "n"}));
    assert_eq!((&total["input_tokens"], &total["cost_usd"]), (&json!(300), &json!(0.75)));

    // The rest of these totals is of another trajectory, which may be a file of its own.
    let metrics =
        json!({"total_prompt_tokens": 900, "total_completion_tokens": 90, "total_cost_usd": 0.75});
    let total = import(json!([own]), json!({"final_metrics": metrics}));
    assert_eq!((&total["input_tokens"], &total["cost_usd"]), (&json!(300), &json!(0.5)));
}

/// If this fails, what the user took back counts as a part of the conversation, or an answer that was cut
/// looks whole.
#[test]
fn opencode_messages_taken_back_and_cut() {
    let message = |id: &str, role: &str, text: &str, reason: &str| {
        let part = json!({"id": format!("p{id}"), "messageID": id, "sessionID": "s", "type": "text", "text": text});
        let end = json!({"id": format!("q{id}"), "messageID": id, "sessionID": "s", "type": "step-finish", "reason": reason});
        let info = json!({"id": id, "sessionID": "s", "role": role, "time": {"created": 1}});
        json!({"info": info, "parts": if role == "user" { vec![part] } else { vec![part, end] }})
    };
    let messages = [
        message("m1", "user", "one", ""),
        message("m2", "assistant", "first", "length"),
        message("m3", "user", "two", ""),
        message("m4", "assistant", "second", "stop"),
    ];
    let info = json!({"id": "s", "directory": "/p", "title": "t", "revert": {"messageID": "m3"}, "time": {"created": 1}});
    let document = json!({"info": info, "messages": messages});
    let (tasks, answer) = tasks("opencode", std::slice::from_ref(&document));
    assert_eq!(
        (tasks, answer.as_str()),
        (vec!["one: ended".into(), "two: withdrawn".into()], "first")
    );
    let warnings: Vec<_> =
        told("opencode", &[document]).into_iter().filter(|line| line.ends_with(" !")).collect();
    assert_eq!(warnings, ["note The answer was cut at its greatest length !"]);
}

/// If this fails, calls that the client did not run stay open.
#[test]
fn pi_calls_of_answers_that_were_stopped() {
    let call = json!({"type": "toolCall", "id": "c1", "name": "bash", "arguments": {}});
    let message = json!({"role": "assistant", "content": [call], "stopReason": "aborted"});
    let line = json!({"type": "message", "id": "a1", "parentId": null, "timestamp": "2026-02-03T10:00:00Z", "message": message});
    let told = told("pi", &[line]);
    let blocked = "tool.blocked c1 not run: the user stopped the answer";
    assert!(told.iter().any(|line| line.starts_with(blocked)), "{told:?}");
}

/// If this fails, reasoning that has a summary is shown without its text, or a skill is not told.
#[test]
fn openhands_reasoning_and_skills() {
    let item = json!({"summary": [{"text": "in short"}], "content": [{"text": "at length"}]});
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": "done"}],
        "responses_reasoning_item": item});
    let line = json!({"id": "e1", "kind": "MessageEvent", "source": "agent", "timestamp": "2026-02-03T10:00:00",
        "llm_message": message, "activated_skills": ["docker"]});
    let bench = Bench::with_run();
    bench.import_from("openhands", &jsonl(&[line]));
    let text = bench.ok(&["transcript", "r", "--format", "markdown", "-o", "-"]);
    for told in ["in short", "at length", "docker"] {
        assert!(text.contains(told), "{told}: {text}");
    }
}

/// If this fails, a whole document is not recognized, because the list that shows what it is has ended.
#[test]
fn documents_that_begin_with_their_list() {
    let bench = Bench::new();
    std::fs::create_dir_all(bench.path("runs")).unwrap();
    let document =
        r#"{"history": [{"role": "user", "parts": [{"text": "go"}]}], "summary": "a title"}"#;
    std::fs::write(bench.path("s.json"), document).unwrap();
    bench.ok(&["import", "s.json"]);
    let listed = bench.json(&["list"]);
    assert_eq!(listed["total"]["prompts"], 1);
}
