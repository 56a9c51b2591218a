//! `--from claude-code`: totals of streams, and what is no prompt.

use std::fs;

use serde_json::{Value, json};

use crate::support::imports::jsonl;
use crate::support::{Bench, fixture, json_lines};

/// A line of a model message.
fn answer(id: &str, model: &str, tokens: u32, of: Option<&str>) -> Value {
    json!({"type": "assistant", "session_id": "s", "uuid": format!("u-{id}"), "parent_tool_use_id": of,
        "message": {"id": id, "role": "assistant", "model": model, "stop_reason": "end_turn",
            "content": [{"type": "text", "text": "done"}],
            "usage": {"input_tokens": tokens, "output_tokens": tokens.min(1)}}})
}

/// The last line of a stream.
fn result(id: &str, more: &Value) -> Value {
    let mut line = json!({"type": "result", "subtype": "success", "is_error": false,
        "session_id": "s", "uuid": id, "result": "done"});
    line.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
    line
}

fn usage(input: u32, output: u32) -> Value {
    json!({"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 7})
}

/// The counts of the run that these lines make.
fn counts(lines: &[Value]) -> Value {
    let bench = Bench::with_run();
    bench.import_from("claude-code", &jsonl(lines));
    bench.emit(&["run.completed"]);
    bench.state("r")["counts"].take()
}

/// If this fails, the tokens of one model are counted as those of another, or the parts of a reported
/// cost do not add up to it.
#[test]
fn totals_of_models() {
    let total = |big: &str, costs: [f64; 2], all: f64| {
        json!({"usage": usage(20, 8), "total_cost_usd": all, "modelUsage": {
            big: {"inputTokens": 20, "outputTokens": 8, "cacheReadInputTokens": 7,
                "cacheCreationInputTokens": 0, "costUSD": costs[0]},
            "small": {"inputTokens": 300, "outputTokens": 4, "cacheReadInputTokens": 0,
                "cacheCreationInputTokens": 5, "costUSD": costs[1]}}})
    };
    let by_model = |total: &Value| {
        let bench = Bench::with_run();
        bench.import_from(
            "claude-code",
            &jsonl(&[answer("m1", "big", 20, None), result("r", total)]),
        );
        bench.emit(&["run.completed"]);
        let stats = bench.json(&["stats", "--by", "model"]);
        let rows = stats["rows"].as_array().unwrap().iter();
        let rows: Vec<Value> = rows
            .map(|row| {
                json!([row["model"], row["input_tokens"], row["output_tokens"], row["cost_usd"]])
            })
            .collect();
        let summary = bench.json(&["summarize", "r"]);
        (rows, stats["total"]["cost_usd"].clone(), summary["runs"][0]["usage"].clone())
    };
    let (rows, cost, agents) = by_model(&total("big", [0.2, 0.05], 0.25));
    assert_eq!(rows, [json!(["big", 20, 8, 0.2]), json!(["small", 300, 4, 0.05])]);
    assert_eq!(cost, 0.25);
    let in_totals = agents.as_array().unwrap().iter().rfind(|row| row["model"] == "small");
    assert_eq!(in_totals.unwrap()["cost_usd"], 0.05, "{agents}");
    // The name of a model may have the size of its window.
    assert_eq!(by_model(&total("big[1m]", [0.2, 0.05], 0.25)).0, rows);
    // Rounded parts.
    let (parts, cost, _) = by_model(&total("big", [0.1999996, 0.0500006], 0.25));
    assert_eq!(parts, [json!(["big", 20, 8, 0.199999]), json!(["small", 300, 4, 0.050001])]);
    assert_eq!(cost, 0.25);
    // Parts that have nothing to do with the whole.
    let (rows, cost, _) = by_model(&total("big", [3.0, 2.0], 0.25));
    assert_eq!((rows.iter().filter(|row| row[0] == "small").count(), cost), (0, json!(0.25)));
}

/// If this fails, a cost that the source reports is replaced by an estimate.
#[test]
fn reported_costs() {
    let model = "claude-sonnet-4-5";
    for name in ["total_cost_usd", "cost_usd"] {
        let lines = [answer("m1", model, 1000, None), result("r1", &json!({name: 0.5}))];
        let counts = counts(&lines);
        assert_eq!((&counts["cost_usd"], counts.get("cost_estimated")), (&json!(0.5), None));
        assert_eq!(counts["input_tokens"], 1000);
    }
    let mut line = answer("m1", model, 1000, None);
    line["costUSD"] = json!(0.125);
    let counts = counts(&[line]);
    assert_eq!((&counts["cost_usd"], counts.get("cost_estimated")), (&json!(0.125), None));
}

/// If this fails, a text of the client counts as a prompt, or hides one.
#[test]
fn what_is_a_prompt() {
    let said = |id: &str, content: Value, more: Value| {
        let mut line = json!({"type": "user", "sessionId": "s", "uuid": id,
            "message": {"role": "user", "content": content}});
        line.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        line
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let reminder = text("<system-reminder>Be brief</system-reminder>");
    let bench = Bench::with_run();
    let receipt = bench.import_from(
        "claude-code",
        &jsonl(&[
            said("u1", json!([text("Fix it")]), json!({})),
            said("u2", json!([reminder, text("Now test it")]), json!({})),
            said("u3", json!([reminder]), json!({})),
            said("u4", json!("The skill's text"), json!({"isSynthetic": true})),
        ]),
    );
    assert_eq!(receipt["prompts"], 2);
    let said: Vec<Value> = bench
        .mapped_events()
        .into_iter()
        .map(|event| json!([event[0], event[2]["text"]]))
        .collect();
    assert_eq!(
        json!(said),
        json!([
            ["message.user", "Fix it"],
            ["message.user", "Now test it"],
            ["message.system", "<system-reminder>Be brief</system-reminder>"],
            ["message.system", "<system-reminder>Be brief</system-reminder>"],
            ["message.system", "The skill's text"],
        ])
    );
}

/// If this fails, a stream with partial messages is refused, or a file of another agent is taken
/// for one of Claude Code.
#[test]
fn what_is_of_claude_code() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let part = json!({"type": "stream_event", "session_id": "s", "uuid": "p",
        "event": {"type": "content_block_delta"}});
    let partial = [vec![part; 20], vec![answer("m1", "big", 3, None)]].concat();
    fs::write(bench.path("partial.jsonl"), jsonl(&partial)).unwrap();
    bench.ok(&["import", "partial.jsonl"]);
    assert_eq!(
        json_lines(&bench.path("runs/claude-code-s/events.jsonl"))[0]["type"],
        "run.created"
    );
    let typed =
        |id: u32| json!({"sessionId": "g", "messageId": id, "type": "user", "message": "Hi"});
    fs::write(bench.path("other.jsonl"), jsonl(&[typed(0), typed(1)])).unwrap();
    bench.fails(65, &["import", "other.jsonl"]);
}

/// If this fails, what a cache keeps for an hour is estimated at the price of five minutes.
#[test]
fn caches_that_are_kept_for_an_hour() {
    let with = |for_an_hour: u32| {
        let mut line = answer("m1", "claude-opus-4-5", 0, None);
        let usage = &mut line["message"]["usage"];
        usage["cache_creation_input_tokens"] = json!(1_000_000);
        usage["cache_creation"] = json!({"ephemeral_1h_input_tokens": for_an_hour});
        counts(&[line])
    };
    for (for_an_hour, cost) in [(0, 6.25), (1_000_000, 10.0), (400_000, 7.75)] {
        let counts = with(for_an_hour);
        assert_eq!(counts["cost_usd"], cost);
        assert_eq!(counts["cache_creation_tokens"], 1_000_000);
    }
}

/// If this fails, the title of a session is missing, or it has the title of another one.
#[test]
fn titles_in_summary_lines() {
    let bench = Bench::with_run();
    let title =
        |text: &str, leaf: &str| json!({"type": "summary", "summary": text, "leafUuid": leaf});
    let mut asked = json!({"type": "user", "sessionId": "s", "uuid": "u1",
        "message": {"role": "user", "content": "why?"}});
    asked["timestamp"] = "2026-03-01T10:00:00Z".into();
    bench.import_from(
        "claude-code",
        &jsonl(&[title("Another one", "elsewhere"), asked, title("Broken build", "u1")]),
    );
    bench.emit(&["run.completed"]);
    let state = bench.state("r");
    assert_eq!(state["metadata"]["title"], "Broken build");
    let page = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    let is_told = |line: &str| line.contains("Title of another session: Another one");
    assert!(page.lines().filter(|line| line.contains("Another one")).all(is_told), "{page}");
}

/// If this fails, a stream does not say how long it took or why it failed, or a web search shows no
/// page that it found.
#[test]
fn what_the_last_line_of_a_stream_says() {
    let bench = Bench::with_run();
    let found = json!([{"type": "web_search_result", "title": "Winds", "url": "https://sea.example",
        "encrypted_content": "abc"}]);
    let searched = json!({"type": "assistant", "session_id": "s", "uuid": "u1", "message": {"id": "m1",
        "role": "assistant", "model": "big", "content": [
            {"type": "server_tool_use", "id": "t1", "name": "web_search", "input": {"query": "wind"}},
            {"type": "web_search_tool_result", "tool_use_id": "t1", "content": found}]}});
    let failed = json!({"subtype": "error_during_execution", "is_error": true, "result": "",
        "duration_ms": 12345,
        "usage": usage(20, 8), "errors": ["no wind", "no sail"]});
    bench.import_from("claude-code", &jsonl(&[searched, result("r1", &failed)]));
    let shown = bench.ok(&["show", "r"]);
    assert!(shown.contains("no wind; no sail"), "{shown}");
    assert!(shown.contains("Winds · https://sea.example") && !shown.contains("abc"), "{shown}");
    bench.emit(&["run.completed"]);
    let state = fs::read(bench.path("runs/r/run.json")).unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&state).unwrap()["duration_ms"], 12345);
    assert!(bench.ok(&["list"]).contains("12.3s"), "{}", bench.ok(&["list"]));
}

/// If this fails, the reports of an import make a run fail that has nothing wrong.
#[test]
fn text_before_a_session_is_no_fault() {
    let bench = Bench::new();
    let session = fixture("agent-session.jsonl");
    let session = std::str::from_utf8(&session).unwrap();
    fs::write(bench.path("session.jsonl"), format!("npm notice\n{session}")).unwrap();
    assert_eq!(bench.call(&["import", "session.jsonl"]).status, 65);
    let said = bench.call(&["validate", "latest", "--strict"]);
    assert_eq!(said.status, 0, "{}", said.out);
}

/// If this fails, results of calls whose ids were removed get lost, and with them a failure.
#[test]
fn results_without_ids_belong_to_the_calls_in_their_order() {
    let call =
        |name: &str| json!({"type": "tool_use", "id": "REDACTED", "name": name, "input": {}});
    let result = |text: &str, failed: bool| json!({"type": "tool_result", "tool_use_id": "REDACTED", "content": text, "is_error": failed});
    let line = |kind: &str, at: u32, content: Value| {
        json!({"type": kind, "uuid": format!("u{at}"), "sessionId": "s", "timestamp": format!("2026-05-01T10:00:{at:02}.000Z"),
               "message": {"id": format!("m{at}"), "role": kind, "content": content}})
    };
    let calls = line("assistant", 1, json!([call("Bash"), call("Read")]));
    let together = line("user", 2, json!([result("fine", false), result("broken", true)]));
    let apart = [
        line("user", 2, json!([result("fine", false)])),
        line("user", 3, json!([result("broken", true)])),
    ];
    for results in [&[together][..], &apart] {
        let bench = Bench::new();
        let text: String =
            std::iter::once(&calls).chain(results).map(|line| format!("{line}\n")).collect();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("s.jsonl"), text).unwrap();
        bench.ok(&["import", "s.jsonl"]);
        let shown = bench.ok(&["show", "latest"]);
        assert!(
            shown.contains("Bash completed") && shown.contains("Read failed: broken"),
            "{shown}"
        );
    }
}

/// If this fails, the result of a sub-agent's call without an id ends the call that spawned it.
#[test]
fn results_without_ids_stay_with_their_agents() {
    let line = |kind: &str, at: u32, agent: Option<&str>, content: Value| {
        json!({"type": kind, "uuid": format!("u{at}"), "sessionId": "s", "agentId": agent,
            "timestamp": format!("2026-05-01T10:00:{at:02}.000Z"),
            "message": {"id": format!("m{at}"), "role": kind, "content": content}})
    };
    let call = |name: &str| json!([{"type": "tool_use", "id": "", "name": name, "input": {}}]);
    let result = |text: &str| json!([{"type": "tool_result", "tool_use_id": "", "content": text}]);
    let lines = [
        line("assistant", 1, None, call("Task")),
        line("assistant", 2, Some("a"), call("bash")),
        line("user", 3, Some("a"), result("of bash")),
        line("user", 4, None, result("of the task")),
    ];
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    let shown = bench.ok(&["show", "latest"]);
    assert!(shown.contains("bash completed · result: of bash"), "{shown}");
    assert!(shown.contains("Task completed · result: of the task"), "{shown}");
}

/// If this fails, a search of the server that failed looks as if it had found something.
#[test]
fn errors_of_server_tools_are_failures() {
    let line = json!({"type": "assistant", "uuid": "u", "sessionId": "s", "timestamp": "2026-05-01T10:00:00.000Z",
        "message": {"id": "m", "role": "assistant", "content": [
            {"type": "server_tool_use", "id": "w", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "w",
                "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}}]}});
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), jsonl(&[line])).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    let shown = bench.ok(&["show", "latest"]);
    assert!(shown.contains("web_search failed") && shown.contains("max_uses_exceeded"), "{shown}");
}

/// If this fails, a call that was interrupted takes the results of all later calls without ids.
#[test]
fn an_interrupted_call_takes_no_result() {
    let line = |kind: &str, at: u32, content: Value| {
        json!({"type": kind, "uuid": format!("u{at}"), "sessionId": "s",
            "timestamp": format!("2026-05-01T10:00:{at:02}.000Z"),
            "message": {"id": format!("m{at}"), "role": kind, "content": content}})
    };
    let call = |name: &str| json!([{"type": "tool_use", "id": "", "name": name, "input": {}}]);
    let result = |failed: bool| json!([{"type": "tool_result", "tool_use_id": "", "content": "x", "is_error": failed}]);
    let all = [
        line("assistant", 1, call("Bash")),
        line("user", 2, json!("go on")),
        line("assistant", 3, call("Read")),
        line("user", 4, result(true)),
        line("assistant", 5, call("Grep")),
        line("user", 6, result(false)),
    ];
    // The same without the prompt.
    let fewer: Vec<Value> = [&all[..1], &all[2..]].concat();
    for lines in [&all[..], &fewer] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("s.jsonl"), jsonl(lines)).unwrap();
        bench.ok(&["import", "s.jsonl"]);
        let shown = bench.ok(&["show", "latest"]);
        assert!(shown.contains("Read failed") && shown.contains("Grep completed"), "{shown}");
    }
}

/// If this fails, a session keeps its first title after it got a better one.
#[test]
fn the_newest_title_counts() {
    let said = |number: u32, line: Value| {
        let mut said = json!({"sessionId": "sea", "cwd": "/sea", "uuid": format!("u{number}"),
            "parentUuid": null, "timestamp": format!("2026-03-14T09:00:0{number}Z")});
        said.as_object_mut().unwrap().extend(line.as_object().unwrap().clone());
        said
    };
    let asked = json!({"type": "user", "message": {"role": "user", "content": "Sail"}});
    let answered = json!({"type": "assistant", "message": {"id": "m1", "role": "assistant",
        "model": "claude-opus-4-5", "content": [{"type": "text", "text": "Aye"}]}});
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let lines = [
        json!({"type": "ai-title", "aiTitle": "Out to sea", "sessionId": "sea"}),
        said(1, asked.clone()),
        said(2, answered.clone()),
        json!({"type": "custom-title", "customTitle": "The long way home", "sessionId": "sea"}),
        said(3, asked),
    ];
    fs::write(bench.path("sea.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "sea.jsonl"]);
    let state = bench.state("claude-code-sea");
    assert_eq!(state["metadata"]["title"], "The long way home");
}

/// If this fails, calls and messages of a log whose ids were all replaced by one text are taken for
/// one call and one message.
#[test]
fn ids_that_are_all_the_same_merge_nothing() {
    for (id, parallel) in [("xxx", false), ("toolu_01AbCdEfGhJk29mnPqRsTuVw", false), ("xxx", true)]
    {
        let mut lines = Vec::new();
        let mut line = |kind: &str, message: Value| {
            let at = lines.len();
            lines.push(json!({"type": kind, "sessionId": "s", "uuid": format!("u{at}"),
                "timestamp": format!("2026-05-01T10:00:{at:02}.000Z"), "message": message}));
        };
        let call = |at: u64| {
            json!({"role": "assistant", "id": id, "model": "m-1",
                "content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("c{at}")}}],
                "usage": {"input_tokens": if parallel { 10 } else { 10 * at }, "output_tokens": 4}})
        };
        let result = |at: u64| {
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id,
                "content": format!("r{at}"), "is_error": at == 2}]})
        };
        line("user", json!({"role": "user", "content": "go"}));
        if parallel {
            (1..=3).for_each(|at| line("assistant", call(at)));
            (1..=3).for_each(|at| line("user", result(at)));
        } else {
            (1..=3).for_each(|at| {
                line("assistant", call(at));
                line("user", result(at));
            });
        }
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("s.jsonl"), jsonl(&lines)).unwrap();
        for _ in 0..2 {
            bench.ok(&["import", "s.jsonl"]);
            let list = bench.json(&["list"]);
            let counts = &list["runs"][0]["counts"];
            let told = ["tool_calls", "tool_failures", "errors", "input_tokens", "output_tokens"];
            let told = told.map(|name| counts[name].as_u64().unwrap());
            let tokens = if parallel { [10, 4] } else { [60, 12] };
            assert_eq!(told, [3, 1, 1, tokens[0], tokens[1]], "{id} {parallel}");
        }
        let story = bench.ok(&["transcript", "--format", "text"]);
        assert!(story.contains("c2 (failed)") && !story.contains("c3 (failed)"), "{story}");
    }
}

/// If this fails, a call that has ended gets a second end, and another call is lost.
#[test]
fn a_result_of_an_unknown_call_ends_no_other_one() {
    let bench = Bench::new();
    let line = |uuid: &str, more: Value| {
        let mut line = json!({"sessionId": "s1", "uuid": uuid, "parentUuid": "u0", "cwd": "/x",
            "timestamp": "2026-02-03T10:00:00.000Z"});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let result = |call: &str, text: &str, is_error: bool| {
        json!({"type": "user", "isMeta": true, "sourceToolUseID": call, "message": {"role": "user",
            "content": [{"type": "tool_result", "content": text, "is_error": is_error}]}})
    };
    let call = json!({"type": "tool_use", "name": "Bash", "input": {"command": "ls"}});
    let input = [
        line("u1", json!({"type": "user", "message": {"role": "user", "content": "go"}})),
        line(
            "a1",
            json!({"type": "assistant", "message": {"role": "assistant", "content": [call]}}),
        ),
        line("u2", result("x1", "ok", false)),
        line("u3", result("x2", "no", true)),
    ];
    fs::write(bench.path("s.jsonl"), input.concat()).unwrap();
    bench.ok(&["import", "s.jsonl"]);
    let shown = bench.ok(&["show", "latest", "--format", "jsonl"]);
    let events: Vec<Value> =
        shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let call_of = |kind: &str| {
        let found = events.iter().find(|event| event["type"] == kind);
        found.unwrap_or_else(|| panic!("{kind}: {shown}"))["correlation_id"].clone()
    };
    assert_eq!(call_of("tool.completed"), call_of("tool.started"));
    assert_ne!(call_of("tool.failed"), call_of("tool.started"));
}
