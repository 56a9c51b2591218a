//! Rules that are one step behind what other tests are about: what follows from a status, from pairing,
//! and from two of a kind.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// An event. The envelope's members are in `data` under their names with `^`.
fn event(kind: &str, data: &Value) -> Value {
    let actor = if kind == "message.user" { "user" } else { "agent" };
    let mut event = json!({"type": kind, "actor": actor, "data": {}});
    for (name, value) in data.as_object().unwrap() {
        match name.strip_prefix('^') {
            Some(name) => event[name] = value.clone(),
            None => event["data"][name] = value.clone(),
        }
    }
    event
}

/// A run with these events.
fn run_of(events: &[(&str, Value)]) -> Bench {
    let bench = Bench::with_run();
    append(&bench, events);
    bench
}

fn append(bench: &Bench, events: &[(&str, Value)]) {
    let lines: Vec<Value> = events.iter().map(|(kind, data)| event(kind, data)).collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], jsonl(&lines).as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
}

fn call(id: &str, tool: &str) -> (&'static str, Value) {
    let args = json!({"file_path": "a.rs", "old_string": "x", "new_string": "y"});
    ("tool.started", json!({"^correlation_id": id, "tool_name": tool, "args": args}))
}

fn end(kind: &'static str, id: &str, tool: &str) -> (&'static str, Value) {
    (kind, json!({"^correlation_id": id, "tool_name": tool, "error": "no", "reason": "denied"}))
}

fn done(id: &str, tool: &str) -> (&'static str, Value) {
    (
        "tool.completed",
        json!({"^correlation_id": id, "tool_name": tool, "result": "ok", "duration_ms": 5}),
    )
}

fn says(text: &str) -> (&'static str, Value) {
    ("message.user", json!({"text": text}))
}

fn used(id: &str, model: &str) -> (&'static str, Value) {
    let tokens = json!({"input_tokens": 10, "output_tokens": 2, "cache_read_tokens": 3,
        "cache_creation_tokens": 4, "message_id": id, "model": model});
    ("llm.usage", tokens)
}

/// If this fails, a number of `stats` or a column of a table is always 0 or empty.
#[test]
fn every_number_is_counted_once() {
    let test =
        json!({"^correlation_id": "t", "tool_name": "Bash", "args": {"command": "cargo test"}});
    let read = json!({"^correlation_id": "d", "tool_name": "Read", "args": {"file_path": "a.rs"}});
    let events = [
        says("go"),
        ("tool.started", read),
        done("d", "Read"),
        call("b", "Edit"),
        end("tool.blocked", "b", "Edit"),
        used("m0", "claude-opus-4-5"),
        call("f", "Edit"),
        end("tool.failed", "f", "Edit"),
        used("m1", "m-1"),
        call("g", "Edit"),
        done("g", "Edit"),
        used("m2", "claude-opus-4-5"),
        ("tool.started", test),
        done("t", "Bash"),
        ("run.completed", json!({})),
    ];
    let bench = run_of(&events);
    let is_nothing = |value: &Value| {
        value.is_null() || *value == json!(0) || *value == json!(false) || *value == json!("")
    };
    let mut empty: Vec<String> = Vec::new();
    for (by, without) in [
        ("run", &["copied_calls", "copied_tokens", "copied_cost_usd"][..]),
        ("model", &["copied_calls", "copied_tokens", "copied_cost_usd"]),
        (
            "tool",
            &[
                "copied_calls",
                "cost_usd",
                "input_tokens",
                "output_tokens",
                "cache_read_tokens",
                "cache_creation_tokens",
            ],
        ),
        (
            "file",
            &[
                "cost_usd",
                "input_tokens",
                "output_tokens",
                "cache_read_tokens",
                "cache_creation_tokens",
                "calls",
                "failures",
                "duration_ms",
                "retries",
            ],
        ),
    ] {
        let total = bench.json(&["stats", "--by", by])["total"].clone();
        let members = total.as_object().unwrap().iter();
        let members =
            members.filter(|(name, value)| is_nothing(value) && !without.contains(&name.as_str()));
        empty.extend(members.map(|(name, _)| format!("{by} {name}")));
    }
    assert_eq!(empty, [""; 0]);
}

/// If this fails, a denied call is called failed somewhere, or what follows from it is.
#[test]
fn denied_is_not_failed() {
    let bench = run_of(&[
        says("go"),
        call("a", "Edit"),
        end("tool.blocked", "a", "Edit"),
        call("b", "Edit"),
        done("b", "Edit"),
        call("c", "Edit"),
        end("tool.blocked", "c", "Edit"),
    ]);
    let numbers = |total: &Value| {
        ["calls", "failures", "blocked", "retries"].map(|name| total[name].as_u64().unwrap())
    };
    assert_eq!(numbers(&bench.json(&["stats", "--by", "tool"])["total"]), [3, 0, 2, 0]);
    let files = bench.json(&["stats", "--by", "file"]);
    assert_eq!((&files["total"]["changes"], &files["total"]["added"]), (&json!(1), &json!(1)));
    let transcript = bench.json(&["transcript", "r", "-o", "-"]);
    let changes = transcript["files"].as_array().unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    assert_eq!(bench.json(&["list"])["runs"][0]["counts"]["tool_failures"], 0);
    // Over two runs, too.
    let copy = bench.path("runs/s");
    fs::create_dir(&copy).unwrap();
    let log = bench.log().replace(r#""run_id":"r""#, r#""run_id":"s""#);
    fs::write(copy.join("events.jsonl"), log).unwrap();
    assert_eq!(numbers(&bench.json(&["stats", "--by", "tool"])["total"]), [6, 0, 4, 0]);
}

/// If this fails, of two open calls of one tool, or two open tasks of one name, the wrong one ends.
#[test]
fn two_of_a_kind() {
    let start = ("tool.started", json!({"tool_name": "bash", "args": {"command": "ls"}}));
    let failed = ("tool.failed", json!({"tool_name": "bash", "error": "no"}));
    let bench = run_of(&[says("go"), start.clone(), start, failed]);
    let calls = bench.json(&["stats", "--by", "tool"]);
    assert_eq!((&calls["total"]["calls"], &calls["total"]["failures"]), (&json!(2), &json!(1)));

    let task = ("task.started", json!({"task_name": "t", "message": "m"}));
    let bench =
        run_of(&[task.clone(), task, ("task.succeeded", json!({"task_name": "t", "result": "x"}))]);
    let tasks = bench.json(&["chapter", "index", "r"])["tasks"].clone();
    assert_eq!(
        (&tasks[0]["outcome"], &tasks[1]["outcome"]),
        (&json!("ended"), &json!("succeeded")),
        "{tasks}"
    );

    // Of one agent two models, of one message two reports.
    let mut newer = used("m1", "m-1");
    newer.1["output_tokens"] = 9.into();
    let bench = run_of(&[says("go"), used("m1", "m-1"), newer, used("m2", "m-2")]);
    let models = bench.json(&["stats", "--by", "model"]);
    let output = |at: usize| models["rows"][at]["output_tokens"].as_u64().unwrap();
    assert_eq!([output(0), output(1)], [9, 2], "{models}");
    let counts = &bench.json(&["list"])["runs"][0]["counts"];
    assert_eq!((&counts["input_tokens"], &counts["output_tokens"]), (&json!(20), &json!(11)));
    // The top of the chart is the last report.
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    assert!(page.contains("the top is 17 tokens"), "{page}");
}

/// If this fails, an event is taken for a part of its neighbour.
#[test]
fn neighbours_at_a_boundary() {
    // An error, then an open call.
    let bench = run_of(&[
        ("error", json!({"message": "oh"})),
        call("a", "Edit"),
        ("run.completed", json!({})),
    ]);
    let counts = &bench.json(&["list"])["runs"][0]["counts"];
    assert_eq!((&counts["tool_calls"], &counts["tool_failures"]), (&json!(1), &json!(0)));
    // Usage, then a prompt, then a call: the call is of the next model call.
    let bench = run_of(&[
        says("one"),
        used("m1", "m-1"),
        says("two"),
        call("a", "Edit"),
        used("m2", "m-2"),
        done("a", "Edit"),
    ]);
    bench.ok(&["export", "--to", "csv", "-o", "tables"]);
    let calls = fs::read_to_string(bench.path("tables/calls.csv")).unwrap();
    assert!(calls.contains(",m-2,"), "{calls}");
    // An interruption, then a call: the task went on.
    let interrupted = ("user.interrupted", json!({}));
    let tasks = |events: &[(&str, Value)]| {
        let bench = run_of(events);
        bench.ok(&["chapter", "index", "r"])
    };
    let stopped = tasks(&[says("go"), interrupted.clone(), ("run.completed", json!({}))]);
    let went_on =
        tasks(&[says("go"), interrupted, call("a", "Edit"), ("run.completed", json!({}))]);
    assert!(
        stopped.contains("interrupted") && !went_on.contains("interrupted"),
        "{stopped}{went_on}"
    );
    // A run that ended and was resumed is in progress.
    let bench = run_of(&[says("go"), ("run.completed", json!({})), ("session_resumed", json!({}))]);
    let tasks = bench.ok(&["chapter", "index", "r"]);
    assert!(tasks.contains("in progress"), "{tasks}");
}

/// If this fails, what a record says depends on how far back the start of its call is, or on whether the
/// log was written at once.
#[test]
fn the_distance_of_a_start() {
    for distance in [0, 100 << 10, 5 << 20] {
        let bench = run_of(&[says("go"), call("a", "Edit")]);
        let note = json!({"text": "x".repeat(8000)});
        let notes: Vec<_> = (0..distance / 8000).map(|_| ("note", note.clone())).collect();
        append(&bench, &notes);
        append(&bench, &[("tool.completed", json!({"^correlation_id": "a", "tool_name": "Edit"}))]);
        append(&bench, &[("run.completed", json!({}))]);
        let records = fs::read_to_string(bench.path("runs/r/logs/tools.jsonl")).unwrap();
        let last: Value = serde_json::from_str(records.lines().last().unwrap()).unwrap();
        let is_near = distance < 4 << 20;
        assert_eq!(
            last["started_at"].is_string() && last["duration_ms"].is_u64(),
            is_near,
            "{last}"
        );
        assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 0);
        // Written again from the whole log.
        let state = fs::read_to_string(bench.path("runs/r/run.json")).unwrap();
        fs::remove_dir_all(bench.path("runs/r/logs")).unwrap();
        fs::remove_file(bench.path("runs/r/run.json")).unwrap();
        bench.ok(&["validate", "r", "--fix", "--expect-status", "completed"]);
        let again = fs::read_to_string(bench.path("runs/r/logs/tools.jsonl")).unwrap();
        assert_eq!(
            (again, fs::read_to_string(bench.path("runs/r/run.json")).unwrap()),
            (records, state)
        );
    }
}

/// If this fails, a later one of two fields that say the same takes precedence.
#[test]
fn the_first_field_counts() {
    let usage = json!({"input_tokens": 1, "inputTokens": 2, "tokensIn": 3, "output_tokens": 4,
        "outputTokens": 5, "cache_read_tokens": 6, "cacheReadTokens": 7, "cache_creation_tokens": 8,
        "cacheCreationTokens": 9, "cost_usd": 0.5, "cost": 0.7, "message_id": "m", "request_id": "q"});
    let other = json!({"request_id": "m", "inputTokens": 20, "tokensIn": 30, "tokensOut": 40,
        "outputTokens": 50, "cost": 0.25});
    let tool = json!({"tool_name": "a", "tool": "b", "name": "c", "args_summary": "d", "args": {"e": 1},
        "^correlation_id": "f", "call_id": "g"});
    let result = json!({"tool_name": "a", "result": "h", "output": "i", "stdout": "j",
        "^correlation_id": "f", "call_id": "g"});
    let bench = run_of(&[
        ("llm.usage", usage),
        ("llm.usage", other),
        ("tool.started", tool),
        ("tool.completed", result),
    ]);
    let counts = bench.json(&["list"])["runs"][0]["counts"].clone();
    let names = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];
    // The second report is of the same call: it takes the place of the first.
    assert_eq!(
        names.map(|name| counts[name].as_u64()),
        [Some(20), Some(50), None, None],
        "{counts}"
    );
    assert_eq!(counts["cost_usd"], 0.25);
    let records = fs::read_to_string(bench.path("runs/r/logs/tools.jsonl")).unwrap();
    for said in [
        r#""call_id":"f""#,
        r#""tool_name":"a""#,
        r#""args_summary":"d""#,
        r#""result_summary":"h""#,
    ] {
        assert!(records.contains(said), "{said}: {records}");
    }
}

/// If this fails, an answer that came in pieces is no answer, or a thought with the id of an answer is
/// taken for a part of it.
#[test]
fn streams_alone() {
    let text = |text: &str| ("text", json!({"runId": "R", "id": "1", "content": text}));
    let thought = ("reasoning", json!({"runId": "R", "id": "1", "content": "hm "}));
    let user = ("user", json!({"runId": "R", "content": "go", "^actor": "user"}));
    let bench = run_of(&[user, thought, text("All "), text("well."), ("run.completed", json!({}))]);
    assert!(!bench.codes().contains(&"RL412".to_owned()), "{:?}", bench.codes());
    let transcript = bench.ok(&["transcript", "r", "-o", "-", "--format", "text"]);
    assert!(transcript.contains("All well.") && !transcript.contains("hm All"), "{transcript}");
}
