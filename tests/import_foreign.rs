//! Files that only look like an agent's session, lines that are rejected, and ids that repeat.

use serde_json::{Value, json};

use crate::support::imports::jsonl;
use crate::support::{Bench, fixture, json_lines};

/// If this fails, a file of another program becomes a run.
#[test]
fn lookalikes_are_refused() {
    let bench = Bench::new();
    let at = "2026-01-01T00:00:00Z";
    for (name, lines) in [
        ("clicks", vec![json!({"type": "click", "sessionId": "s", "timestamp": at, "url": "/"})]),
        (
            "cursor",
            vec![
                json!({"type": "system", "subtype": "init", "session_id": "c", "model": "m"}),
                json!({"type": "user", "session_id": "c",
                    "message": {"role": "user", "content": [{"type": "text", "text": "Sail"}]}}),
                json!({"type": "tool_call", "subtype": "started", "call_id": "1",
                    "session_id": "c", "tool_call": {"readToolCall": {"args": {}}}}),
                json!({"type": "result", "subtype": "success", "session_id": "c"}),
            ],
        ),
        (
            "droid",
            vec![
                json!({"type": "session_start", "id": "d", "title": "Sail", "owner": "me"}),
                json!({"type": "message", "id": "1", "timestamp": at,
                    "message": {"role": "user", "content": []}}),
            ],
        ),
        (
            "chat",
            vec![
                json!({"id": "1", "type": "user", "timestamp": at, "content": "hello"}),
                json!({"id": "2", "type": "operator", "timestamp": at, "content": "hi"}),
            ],
        ),
        ("training", vec![json!({"role": "user", "parts": [{"text": "hi"}]})]),
        ("project", vec![json!({"sessionId": "a", "projectHash": "b", "x": 1})]),
        ("job", vec![json!({"kind": "job", "source": "user", "timestamp": at, "id": "0"})]),
        (
            "payment",
            vec![json!({"id": "e", "type": "charge.succeeded", "data": {}, "timestamp": at,
                "parentId": null})],
        ),
        ("sms", vec![json!({"messageID": "m", "id": "1", "type": "sms", "body": "x"})]),
        (
            "visit",
            vec![
                json!({"type": "session", "id": "1", "timestamp": at, "cwd": "/x"}),
                json!({"type": "click", "id": "2", "timestamp": at}),
            ],
        ),
        ("error", vec![json!({"type": "error", "timestamp": at, "message": "m", "runId": "z"})]),
    ] {
        let file = format!("{name}.jsonl");
        std::fs::write(bench.path(&file), jsonl(&lines)).unwrap();
        let said = bench.call(&["import", &file]);
        assert_eq!(said.status, 65, "{name}: {}", said.err);
        assert!(said.err.contains("unknown format"), "{name}: {}", said.err);
        assert!(!bench.path("runs").exists(), "{name}");
    }
    let said = bench.call(&["import", "cursor.jsonl"]);
    assert!(said.err.contains("a session of Cursor"), "{}", said.err);
}

/// A session with a line of text between two events.
fn mixed(bench: &Bench) {
    let line = |uuid: &str, at: &str, content: Value| {
        json!({"type": "user", "uuid": uuid, "sessionId": "mixed", "parentUuid": null,
            "timestamp": at, "message": {"role": "user", "content": content}})
    };
    let lines = [
        line("a", "2026-01-01T10:00:00Z", json!("Sail")),
        line("b", "2026-01-01T10:00:09Z", json!("Row")),
    ];
    let [first, second] = lines.each_ref().map(Value::to_string);
    std::fs::write(bench.path("mixed.jsonl"), format!("{first}\nnpm notice\n{second}\n")).unwrap();
}

/// If this fails, every import of a file adds the same rejected lines again, or an import makes the
/// clock of its run go back.
#[test]
fn a_rejected_line_is_recorded_once() {
    let bench = Bench::new();
    mixed(&bench);
    let run = bench.path("runs/claude-code-mixed");
    let contents = || {
        let read = |name: &str| std::fs::read_to_string(run.join(name)).unwrap();
        (read("events.jsonl"), read("logs/rejected.jsonl"))
    };
    bench.call(&["import", "mixed.jsonl"]);
    let once = contents();
    bench.call(&["import", "mixed.jsonl"]);
    assert_eq!(contents(), once);
    bench.ok(&["validate", "claude-code-mixed", "--strict"]);
    // A longer file adds what is new.
    let longer = std::fs::read_to_string(bench.path("mixed.jsonl")).unwrap() + "npm again\n";
    std::fs::write(bench.path("mixed.jsonl"), longer).unwrap();
    bench.call(&["import", "mixed.jsonl"]);
    let told: Vec<Value> = json_lines(&run.join("events.jsonl"))
        .into_iter()
        .filter(|line| line["type"] == "stream.rejected")
        .map(|line| line["data"]["lines"].clone())
        .collect();
    assert_eq!(told, [json!(1), json!(1)]);
    assert_eq!(json_lines(&run.join("logs/rejected.jsonl")).len(), 2);
}

/// If this fails, two calls become one because their agent numbers the calls of each answer from 1.
#[test]
fn an_id_that_is_used_again_names_another_call() {
    let bench = Bench::new();
    let call = |id: &str, message: &str, tool: &str| {
        json!({"type": "assistant", "uuid": format!("u{message}"), "sessionId": "again",
            "message": {"id": message, "role": "assistant", "model": "m",
                "content": [{"type": "tool_use", "id": id, "name": tool, "input": {}}],
                "usage": {"input_tokens": 1, "output_tokens": 1}}})
    };
    let result = |id: &str, line: &str, text: &str| {
        json!({"type": "user", "uuid": line, "sessionId": "again", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}})
    };
    let lines = [
        call("c1", "m1", "Read"),
        result("c1", "r1", "the first result"),
        call("c1", "m2", "Grep"),
        result("c1", "r2", "the second result"),
    ];
    std::fs::write(bench.path("again.jsonl"), jsonl(&lines)).unwrap();
    let step = |number: u64, tool: &str, text: &str| {
        json!({"step_id": number, "source": "agent",
            "tool_calls": [{"tool_call_id": "c1", "function_name": tool, "arguments": {}}],
            "observation": {"results": [{"source_call_id": "c1", "content": text}]}})
    };
    let trajectory = json!({"schema_version": "ATIF-v1.7", "session_id": "again",
        "agent": {"name": "sailor"},
        "steps": [step(1, "Read", "the first result"), step(2, "Grep", "the second result")]});
    let order = ["schema_version", "session_id", "agent", "steps"];
    let trajectory = crate::support::document(&trajectory, &order);
    std::fs::write(bench.path("again.json"), trajectory).unwrap();
    for (file, run) in [("again.jsonl", "claude-code-again"), ("again.json", "atif-again")] {
        bench.ok(&["import", file]);
        bench.ok(&["import", file]);
        let text = bench.ok(&["transcript", run, "--format", "text", "--detail", "full"]);
        for part in ["Read", "the first result", "Grep", "the second result"] {
            assert!(text.contains(part), "{run}: {part}\n{text}");
        }
        let calls = json_lines(&bench.path(&format!("runs/{run}/logs/tools.jsonl")));
        let ended = calls.iter().filter(|call| call["status"] == "completed");
        assert_eq!(ended.count(), 2, "{run}: {calls:?}");
    }
}

/// If this fails, a model asked for fewer calls than it did, because results stand between them.
#[test]
fn calls_belong_to_the_response_that_they_name() {
    let bench = Bench::new();
    let mut lines = Vec::new();
    for number in 1..=3 {
        lines.push(json!({"type": "assistant", "uuid": format!("a{number}"), "sessionId": "three",
            "message": {"id": "m1", "role": "assistant", "model": "claude-opus-4-5",
                "content": [{"type": "tool_use", "id": format!("t{number}"), "name": "Read", "input": {}}],
                "usage": {"input_tokens": 1, "output_tokens": 9}}}));
        lines.push(json!({"type": "user", "uuid": format!("r{number}"), "sessionId": "three",
            "message": {"role": "user", "content":
                [{"type": "tool_result", "tool_use_id": format!("t{number}"), "content": "x"}]}}));
    }
    std::fs::write(bench.path("three.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "three.jsonl"]);
    let stats = bench.json(&["stats", "--by", "model"]);
    let groups = stats["rows"].as_array().unwrap();
    assert_eq!(groups.len(), 1, "{stats}");
    assert_eq!(groups[0]["calls"], 3, "{stats}");
    // The lines have no times.
    let calls = json_lines(&bench.path("runs/claude-code-three/logs/tools.jsonl"));
    assert!(calls.iter().all(|call| call["duration_ms"].is_null()), "{calls:?}");
}

/// If this fails, tokens of a session are negative, or the cost that it reports is an estimate in
/// one view and none in another.
#[test]
fn a_stream_with_a_sub_agent_adds_up() {
    let bench = Bench::new();
    let answer = |id: &str, model: &str, input: u64, parent: Option<&str>| {
        json!({"type": "assistant", "session_id": "sub", "parent_tool_use_id": parent,
            "message": {"id": id, "role": "assistant", "model": model, "content": [],
                "usage": {"input_tokens": input, "output_tokens": 1}}})
    };
    let lines = [
        json!({"type": "system", "subtype": "init", "session_id": "sub", "uuid": "i"}),
        answer("z1", "claude-opus-4-5", 3, None),
        answer("z2", "claude-haiku-4-5", 30, Some("t1")),
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": "sub",
            "usage": {"input_tokens": 3, "output_tokens": 99}, "total_cost_usd": 0.5}),
    ];
    std::fs::write(bench.path("sub.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "sub.jsonl"]);
    let (list, stats) = (bench.json(&["list"]), bench.json(&["stats", "--by", "model"]));
    for total in [&list["total"], &stats["total"]] {
        assert_eq!(total["input_tokens"], 33, "{total}");
        assert_eq!(total["output_tokens"], 100, "{total}");
        assert_eq!(total["cost_usd"], 0.5, "{total}");
        assert_ne!(total["cost_estimated"], true, "{total}");
    }
    for row in stats["rows"].as_array().unwrap() {
        assert!(row["input_tokens"].as_i64().is_none_or(|tokens| tokens >= 0), "{row}");
    }
}

/// If this fails, a byte order mark changes the name of a run, or a file with several trajectories
/// becomes one run.
#[test]
fn sessions_keep_their_names() {
    let bench = Bench::new();
    let trajectory = |id: &str| {
        let order = ["schema_version", "session_id", "agent", "steps"];
        let steps = json!([{"step_id": 1, "source": "user", "message": id}]);
        let value = json!({"schema_version": "ATIF-v1.7", "session_id": id,
            "agent": {"name": "sailor"}, "steps": steps});
        crate::support::document(&value, &order).replace('\n', "")
    };
    let two = format!("{}\n{}\n", trajectory("one"), trajectory("two"));
    std::fs::write(bench.path("two.jsonl"), two).unwrap();
    std::fs::write(bench.path("mark.json"), format!("\u{feff}{}", trajectory("three"))).unwrap();
    bench.ok(&["import", "two.jsonl", "mark.json"]);
    let list = bench.json(&["list"]);
    let runs = list["runs"].as_array().unwrap();
    let mut names: Vec<&str> = runs.iter().map(|run| run["run_id"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["atif-one", "atif-three", "atif-two"]);
}

/// If this fails, the time of an import is taken for that of the work, the title of a sub-agent for
/// that of the session, or a command of the user is lost.
#[test]
fn a_session_with_a_sub_agent_in_one_stream() {
    let bench = Bench::new();
    let lines = [
        json!({"id": "ses_a", "projectID": "p", "directory": "/w", "title": "parent",
            "time": {"created": 1_767_261_600_000_u64}}),
        json!({"id": "msg_a", "sessionID": "ses_a", "role": "user",
            "time": {"created": 1_767_261_600_000_u64}}),
        json!({"id": "prt_a", "sessionID": "ses_a", "messageID": "msg_a", "type": "subtask",
            "prompt": "Review the sails", "description": "review", "command": "review"}),
        json!({"id": "ses_c", "parentID": "ses_a", "projectID": "p", "directory": "/w",
            "title": "child", "time": {"created": 1_767_261_601_000_u64}}),
    ];
    std::fs::write(bench.path("a.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "a.jsonl"]);
    let list = bench.json(&["list"]);
    let run = &list["runs"][0];
    assert_eq!(
        (&run["metadata"]["title"], &run["counts"]["prompts"]),
        (&json!("parent"), &json!(1)),
        "{run}"
    );
    let text = bench.ok(&["transcript", "--format", "text"]);
    assert!(text.contains("Review the sails"), "{text}");
}

/// If this fails, a conversation that is kept in a file for each event becomes a run for each event.
#[test]
fn a_folder_of_events_is_one_session() {
    let bench = Bench::new();
    let folder = bench.path("sailing/events");
    std::fs::create_dir_all(&folder).unwrap();
    let event = |number: u64, action: &str, more: Value| {
        let mut event = json!({"id": number, "timestamp": format!("2026-01-01T10:00:{number:02}"),
            "source": "agent", "action": action, "message": "m", "args": {}});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event
    };
    for (number, more) in [
        (2, json!({"source": "user", "args": {"content": "Sail"}})),
        (9, json!({"args": {"command": "row"}})),
        (10, json!({"args": {"command": "moor"}})),
    ] {
        let action = if number == 2 { "message" } else { "run" };
        let text = serde_json::to_string_pretty(&event(number, action, more)).unwrap();
        std::fs::write(folder.join(format!("{number}.json")), text).unwrap();
    }
    bench.ok(&["import", "sailing"]);
    let text =
        bench.ok(&["transcript", "openhands-sailing", "--format", "text", "--detail", "full"]);
    let places: Vec<usize> =
        ["Sail", "row", "moor"].iter().map(|part| text.find(part).expect(part)).collect();
    assert!(places.is_sorted(), "{text}");
    let list = bench.json(&["list"]);
    assert_eq!(list["runs"].as_array().unwrap().len(), 1, "{list}");
}

/// If this fails, half of a surrogate pair (an emoji that a client cut in two) loses a document, or a
/// file whose last line has one is taken for a file that is not complete.
#[test]
fn broken_characters() {
    let broken = r"\ud83d";
    let document = json!({"schema_version": "ATIF-v1.4", "session_id": "s",
        "agent": {"name": "helper", "version": "1", "model_name": "m"},
        "steps": [{"step_id": 1, "source": "user", "message": "Fix it XX"},
            {"step_id": 2, "source": "agent", "message": "done",
                "metrics": {"prompt_tokens": 70, "completion_tokens": 5}}]});
    let pretty = serde_json::to_string_pretty(&document).unwrap();
    for text in [document.to_string(), pretty.clone(), format!("{document}\n")] {
        let bench = Bench::new();
        std::fs::write(bench.path("trajectory.json"), text.replace("XX", broken)).unwrap();
        bench.ok(&["import", "trajectory.json"]);
        let list = bench.json(&["list"]);
        let counts = &list["runs"][0]["counts"];
        assert_eq!((&counts["prompts"], &counts["input_tokens"]), (&json!(1), &json!(70)));
        assert!(bench.ok(&["show", "latest"]).contains("Fix it \u{fffd}"));
        assert_eq!(bench.call(&["validate", "latest", "--strict"]).status, 0);
    }
    // A line of a log is rejected, and kept; the others are taken.
    let session = fixture("agent-session.jsonl");
    let session = std::str::from_utf8(&session).unwrap().trim_end();
    let bench = Bench::new();
    let line = format!(r#"{{"type":"user","sessionId":"z","uuid":"last","text":"{broken}"}}"#);
    std::fs::write(bench.path("session.jsonl"), format!("{session}\n{line}")).unwrap();
    let said = bench.call(&["import", "session.jsonl"]);
    assert_eq!(said.status, 65, "{}", said.err);
    assert!(
        said.err.contains("1 line rejected") && !said.err.contains("not complete"),
        "{}",
        said.err
    );
}
