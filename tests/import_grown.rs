//! Sessions that grow between two imports, and call ids that come again: two imports give what one
//! gives.

#![expect(clippy::needless_pass_by_value, reason = "`json!` makes the values at the calls")]

use std::fs;

use serde_json::{Value, json};

use crate::support::imports::{events, source_lines, without_place};
use crate::support::{Bench, jsonl};

fn write(bench: &Bench, path: &str, text: impl ToString) {
    let path = bench.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text.to_string()).unwrap();
}

/// The status of the only run, and its numbers with those names.
fn run(bench: &Bench, names: &[&str]) -> (String, Vec<f64>) {
    let list = bench.json(&["list"]);
    let runs = list["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{list}");
    let number = |name: &&str| runs[0]["counts"][name].as_f64().unwrap_or_default();
    (runs[0]["status"].as_str().unwrap().to_owned(), names.iter().map(number).collect())
}

fn import(bench: &Bench, path: &str) {
    bench.ok(&["import", path]);
}

const TOKENS: &[&str] =
    &["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "cost_usd"];
const CALLS: &[&str] = &["tool_calls", "tool_failures", "errors"];

/// A message of OpenCode, which tells the tokens of its last step and the cost of all, and its steps.
fn steps_of_opencode(bench: &Bench, steps: &[[u64; 5]]) {
    let times = json!({"created": 1_770_000_000_000_u64});
    let session = json!({"id": "ses_1", "version": "1.3", "projectID": "p", "directory": "/p", "time": times});
    write(bench, "st/session/p/ses_1.json", session);
    let message = |id: &str, role: &str| json!({"id": id, "sessionID": "ses_1", "role": role, "modelID": "m", "time": times});
    write(bench, "st/message/ses_1/m1.json", message("m1", "user"));
    let part = |id: &str, message: &str, kind: &str| json!({"id": id, "sessionID": "ses_1", "messageID": message, "type": kind, "text": "do it"});
    write(bench, "st/part/m1/p1.json", part("p1", "m1", "text"));
    let tokens = |[input, output, read, written, _]: [u64; 5]| {
        json!({"input": input, "output": output, "reasoning": 0,
            "cache": {"read": read, "write": written}})
    };
    let cost = |step: &[u64; 5]| step[4] as f64;
    let mut answer = message("m2", "assistant");
    for (number, step) in steps.iter().enumerate() {
        let id = format!("q{number}");
        let mut finish = part(&id, "m2", "step-finish");
        finish["tokens"] = tokens(*step);
        finish["cost"] = cost(step).into();
        write(bench, &format!("st/part/m2/{id}.json"), finish);
        answer["tokens"] = tokens(*step);
    }
    answer["cost"] = steps.iter().map(cost).sum::<f64>().into();
    write(bench, "st/message/ses_1/m2.json", answer);
}

/// If this fails, a message that gets another step between two imports has wrong tokens or costs.
#[test]
fn steps_of_a_message_count_once() {
    let steps = [[100, 20, 30, 7, 1], [200, 10, 0, 0, 2], [400, 40, 10, 0, 4], [100, 20, 30, 7, 1]];
    let sum = |many: usize| {
        let sums = (0..5).map(|at| steps[..many].iter().map(|step| step[at] as f64).sum());
        ("imported".to_owned(), sums.collect::<Vec<f64>>())
    };
    let grown = Bench::new();
    for many in 1..=steps.len() {
        steps_of_opencode(&grown, &steps[..many]);
        for _ in 0..2 {
            import(&grown, "st");
            assert_eq!(run(&grown, TOKENS), sum(many), "{many} steps");
        }
        let whole = Bench::new();
        steps_of_opencode(&whole, &steps[..many]);
        import(&whole, "st");
        assert_eq!(run(&whole, TOKENS), sum(many), "{many} steps at once");
    }
}

/// If this fails, a call whose id an earlier one had hides that one's failure.
#[test]
fn call_ids_that_come_again() {
    let two = ("imported".to_owned(), vec![2.0, 1.0, 1.0]);
    let bench = Bench::new();
    steps_of_opencode(&bench, &[]);
    for (id, status) in [("p2", "error"), ("p3", "completed")] {
        let state =
            json!({"status": status, "input": {"command": id}, "error": "no", "output": "ok"});
        let part = json!({"id": id, "sessionID": "ses_1", "messageID": "m2", "type": "tool",
            "callID": "call_0", "tool": "bash", "state": state});
        write(&bench, &format!("st/part/m2/{id}.json"), part);
        import(&bench, "st");
    }
    assert_eq!(run(&bench, CALLS), two);

    let call = |command: &str| {
        json!({"type": "tool_call", "runId": "R", "id": "R/call_0", "name": "bash",
            "input": {"command": command}})
    };
    let result = |output: Value| {
        json!({"type": "tool_result", "runId": "R", "id": "R/call_0", "name": "bash",
            "output": output})
    };
    // The third start is the second one, told again.
    let lines =
        [call("rm"), result(json!({"error": "no"})), call("ls"), result(json!("ok")), call("ls")];
    for cut in [2, 3, 4, 5] {
        let bench = Bench::new();
        for part in [&lines[..cut], &lines] {
            write(&bench, "g.jsonl", jsonl(part));
            import(&bench, "g.jsonl");
        }
        assert_eq!(run(&bench, CALLS), two, "cut at {cut}");
    }

    // Two providers number their calls alike, at the same time.
    let of = |run: &str, mut line: Value| {
        line["runId"] = run.into();
        line["id"] = "1".into();
        line
    };
    let lines = [
        of("r1", call("rm")),
        of("r2", call("ls")),
        of("r1", result(json!({"error": "no"}))),
        of("r2", result(json!("ok"))),
    ];
    let bench = Bench::new();
    write(&bench, "g.jsonl", jsonl(&lines));
    import(&bench, "g.jsonl");
    assert_eq!(run(&bench, CALLS), two);

    let bench = Bench::new();
    let event = |number: u32, kind: &str, more: Value| {
        let mut event = json!({"id": format!("e{number}"), "kind": kind, "source": "agent",
            "timestamp": format!("2026-06-16T05:39:1{number}"), "tool_name": "terminal",
            "tool_call_id": "c0"});
        event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        write(&bench, &format!("v1/events/event-0000{number}-e{number}.json"), event);
    };
    for (start, command, failed) in [(1, "rm", true), (3, "ls", false)] {
        event(start, "ActionEvent", json!({"action": {"command": command}}));
        let observation = json!({"content": [{"type": "text", "text": "x"}], "is_error": failed});
        let of_action = json!({"action_id": format!("e{start}"), "observation": observation});
        event(start + 1, "ObservationEvent", of_action);
        import(&bench, "v1");
    }
    assert_eq!(run(&bench, CALLS), two);
}

/// If this fails, tokens that the state of a conversation tells before its events do count twice.
#[test]
fn a_state_before_its_events() {
    let bench = Bench::new();
    let stats = |input: u64, output: u64| {
        json!({"usage_to_metrics": {"default": {"model_name": "m", "accumulated_cost": 0.5,
            "accumulated_token_usage": {"prompt_tokens": input, "completion_tokens": output}}}})
    };
    let folder = "0d6b7a6e6cf14a428b8e5a1f5a0c1111";
    let state = |used: Value| {
        let state = json!({"id": "0d6b7a6e-6cf1-4a42-8b8e-5a1f5a0c1111",
            "agent": {"kind": "Agent"}, "workspace": {"working_dir": "/p"},
            "execution_status": "running", "stats": used});
        write(&bench, &format!("{folder}/base_state.json"), state);
    };
    let event = |number: u32, used: Value| {
        let event = json!({"id": format!("s{number}"), "source": "environment", "key": "stats",
            "timestamp": format!("2026-06-16T05:39:2{number}"), "value": used,
            "kind": "ConversationStateUpdateEvent"});
        write(&bench, &format!("{folder}/events/event-0000{number}-s{number}.json"), event);
    };
    let prompt = json!({"id": "u", "source": "user", "kind": "MessageEvent",
        "timestamp": "2026-06-16T05:39:19",
        "llm_message": {"content": [{"type": "text", "text": "x"}]}});
    write(&bench, &format!("{folder}/events/event-00000-u.json"), prompt);
    state(stats(100, 10));
    import(&bench, folder);
    event(1, stats(100, 10));
    event(2, stats(300, 30));
    state(stats(300, 30));
    import(&bench, folder);
    assert_eq!(run(&bench, &["input_tokens", "output_tokens"]).1, [300.0, 30.0]);
    // The state may be ahead of the events, which follow.
    let tokens = ["input_tokens", "output_tokens", "cost_usd"];
    state(stats(450, 40));
    import(&bench, folder);
    assert_eq!(run(&bench, &tokens).1, [450.0, 40.0, 0.5]);
    event(3, stats(450, 40));
    for _ in 0..2 {
        import(&bench, folder);
        assert_eq!(run(&bench, &tokens).1, [450.0, 40.0, 0.5]);
    }
    // The folder is found from inside, too.
    let inside = Bench::new();
    let mut command = inside.command();
    command.current_dir(bench.path(folder)).args(["import", ".", "--runs-dir"]);
    command.arg(inside.path("runs"));
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let runs = fs::read_dir(inside.path("runs")).unwrap();
    let names: Vec<_> = runs.map(|run| run.unwrap().file_name()).collect();
    assert_eq!(names, [format!("openhands-{folder}").as_str()]);
}

/// If this fails, calls and tokens that only the list of all messages tells are lost.
#[test]
fn a_message_that_is_completed_in_the_list() {
    let bench = Bench::new();
    let message = |kind: &str| json!({"id": kind, "timestamp": "2026-01-16T18:34:01.000Z", "type": kind, "content": "x"});
    let mut grown = message("gemini");
    grown["content"] = "xyz and more".into();
    grown["tokens"] = json!({"input": 100, "output": 10, "cached": 40, "total": 110});
    let response = json!({"functionResponse": {"id": "c1", "response": {"error": "no"}}});
    grown["toolCalls"] =
        json!([{"id": "c1", "name": "sh", "args": {}, "status": "error", "result": [response]}]);
    let lines = [
        json!({"sessionId": "gs", "projectHash": "0b", "startTime": "2026-01-16T18:34:00.000Z",
            "kind": "main"}),
        message("user"),
        message("gemini"),
        json!({"$set": {"messages": [message("user"), grown]}}),
    ];
    for cut in [3, 4] {
        write(&bench, "s.jsonl", jsonl(&lines[..cut]));
        import(&bench, "s.jsonl");
    }
    assert_eq!(run(&bench, CALLS), ("imported".to_owned(), vec![1.0, 1.0, 1.0]));
    assert_eq!(run(&bench, &TOKENS[..3]).1, [60.0, 10.0, 40.0]);
    assert_eq!(run(&bench, &["prompts"]).1, [1.0]);
    let text = bench.ok(&["transcript", "gemini-gs", "--format", "text"]);
    assert!(text.contains("xyz and more"), "{text}");
}

/// If this fails, a session that says that it failed passes, or one that was closed after its end is
/// red.
#[test]
fn how_sessions_say_that_they_ended() {
    let stream = [
        json!({"type": "step_start", "timestamp": 1_730_000_002_000_u64, "sessionID": "s",
            "part": {"id": "p", "sessionID": "s", "messageID": "m", "type": "step-start"}}),
        json!({"type": "error", "timestamp": 1_730_000_002_600_u64, "sessionID": "s",
            "error": {"name": "APIError", "data": {"message": "quota"}}}),
    ];
    let conversation = [
        json!({"id": "u", "timestamp": "2026-06-16T05:39:19", "source": "user",
            "kind": "MessageEvent", "llm_message": {"content": "x"}}),
        json!({"id": "c", "timestamp": "2026-06-16T05:39:20", "source": "environment",
            "detail": "quota", "kind": "ConversationErrorEvent"}),
    ];
    let task = |class: &str, namespace: &str| {
        json!({"type": class, "timestamp": "2026-04-26T10:00:00Z", "full_namespace": namespace,
            "task_name": "t", "message": "x"})
    };
    let state = |number: u32, state: &str| {
        json!({"id": number, "timestamp": "2025-01-01T10:00:04", "source": "environment",
            "observation": "agent_state_changed", "content": "", "extras": {"agent_state": state}})
    };
    let inner = [
        task("TaskStartEvent", "m"),
        task("TaskStartEvent", "m/sub"),
        task("FailEvent", "m/sub"),
        task("SuccessEvent", "m"),
    ];
    let outer = [task("TaskStartEvent", "m"), task("FailEvent", "m")];
    let closed = [state(0, "finished"), state(1, "stopped")];
    let broken = [state(0, "error"), state(1, "stopped")];
    let stopped = [state(0, "running"), state(1, "stopped")];
    let of_run = |kind: &str, run: &str, parent: Option<&str>| json!({"type": kind, "runId": run, "parentId": parent, "content": "x", "error": "quota"});
    let harness = [of_run("user", "R", None), of_run("error", "R", None)];
    let closed_harness = [of_run("error", "R", None), of_run("harness_end", "R", None)];
    let retried = [of_run("error", "R", None), of_run("user", "R", None)];
    let answered = [of_run("error", "R", None), of_run("text", "R", None)];
    let of_inner_run = [of_run("user", "R", None), of_run("error", "I", Some("R"))];
    let cases: [(&[Value], &str); 12] = [
        (&answered, "imported"),
        (&harness, "failed"),
        (&closed_harness, "failed"),
        (&retried, "imported"),
        (&of_inner_run, "imported"),
        (&stream, "failed"),
        (&conversation, "failed"),
        (&outer, "failed"),
        (&inner, "completed"),
        (&closed, "completed"),
        (&broken, "failed"),
        (&stopped, "cancelled"),
    ];
    for (lines, status) in cases {
        let bench = Bench::new();
        write(&bench, "log.jsonl", jsonl(lines));
        import(&bench, "log.jsonl");
        assert_eq!(run(&bench, &[]).0, status, "{}", lines[1]);
        let exit = if status == "completed" { 0 } else { 5 };
        let said = bench.call(&["validate", "--all", "--expect-status", "completed"]);
        assert_eq!(said.status, exit, "{status} {} {}", said.out, said.err);
    }
}

/// If this fails, a call of the gateway without an id is two calls: its start is by the agent and its
/// end by the tool.
#[test]
fn a_start_and_an_end_by_two_actors() {
    let bench = Bench::with_run();
    for (start, end) in [("tool_call", "tool_result"), ("repl_input", "repl_output")] {
        bench.ok(&["emit", "--run", "r", start, "--data", r#"{"name":"bash"}"#]);
        bench.ok(&["emit", "--run", "r", end, "--data", r#"{"name":"bash","output":"ok"}"#]);
    }
    // Other types have one actor for both.
    bench.ok(&[
        "emit",
        "--run",
        "r",
        "tool.started",
        "--data",
        r#"{"tool_name":"x"}"#,
        "--actor",
        "agent",
    ]);
    bench.ok(&["emit", "--run", "r", "tool.completed", "--data", r#"{"tool_name":"x"}"#]);
    bench.ok(&["summarize", "r"]);
    assert_eq!(run(&bench, &["tool_calls"]).1, [4.0]);
}

/// If this fails, a call that was imported while the model wrote its arguments never gets them.
#[test]
fn a_call_whose_arguments_are_not_written_yet() {
    let bench = Bench::new();
    steps_of_opencode(&bench, &[]);
    let states = [
        (json!({"status": "pending", "input": {}}), 0.0),
        (json!({"status": "running", "input": {"command": "make"}}), 1.0),
        (json!({"status": "completed", "input": {"command": "make"}, "output": "ok"}), 1.0),
    ];
    for (state, calls) in states {
        let part = json!({"id": "p2", "sessionID": "ses_1", "messageID": "m2", "type": "tool",
            "callID": "c1", "tool": "bash", "state": state});
        write(&bench, "st/part/m2/p2.json", part);
        import(&bench, "st");
        assert_eq!(run(&bench, CALLS).1, [calls, 0.0, 0.0], "{state}");
    }
    let text = bench.ok(&["transcript", "opencode-ses_1", "--format", "text"]);
    assert!(text.contains("bash: make"), "{text}");
}

/// A directory that keeps runs, and has none.
fn with_runs() -> Bench {
    let bench = Bench::new();
    fs::create_dir(bench.path("runs")).unwrap();
    bench
}

/// Imports all sessions of a home directory. Returns what it printed.
fn import_all(bench: &Bench) -> String {
    let mut command = bench.command();
    let said = command.env("HOME", bench.path("home")).args(["import", "--all"]).output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
    String::from_utf8(said.stdout).unwrap()
}

/// Does so, and returns the imported events of a run with their parents, and its source lines.
fn all_of_home(bench: &Bench, run: &str) -> (Vec<(Value, Value)>, String) {
    import_all(bench);
    let is_end = |event: &Value| event["type"].as_str().unwrap().starts_with("run.");
    let events = events(bench, run).into_iter().filter(|event| !is_end(event));
    let facts = events.map(|mut event| {
        event["data"] = without_place(&event);
        let envelope = ["event_id", "type", "timestamp", "correlation_id", "parent_event_id"];
        (envelope.iter().map(|name| event[name].clone()).collect(), event["data"].take())
    });
    (facts.collect(), source_lines(bench, run))
}

/// If this fails, a file that grew is not recorded like one that was whole from the beginning: events,
/// parents or source lines are missing or come twice, or a secret of an earlier line is on disk.
#[test]
fn a_file_that_grew_is_recorded_like_a_whole_one() {
    let secret = ["AKIA", "Z7Q4M2K9X1B6T3VA"].concat();
    let claude = |at: usize, kind: &str, content: Value| {
        json!({"type": kind, "uuid": format!("u{at}"), "parentUuid": at.checked_sub(1).map(|at| format!("u{at}")),
            "sessionId": "s", "cwd": "/p", "timestamp": format!("2026-03-01T10:00:{at:02}Z"),
            "message": {"id": format!("m{at}"), "role": kind, "content": content}})
    };
    // A prompt that stands only in these lines is read with the next message.
    let queued = |operation: &str, content: Option<String>| {
        json!({"type": "queue-operation", "operation": operation, "sessionId": "s", "content": content,
            "timestamp": "2026-03-01T10:00:01Z"})
    };
    let call = json!([{"type": "tool_use", "id": "t1", "name": "Bash",
        "input": {"command": format!("AWS_KEY={secret} make")}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "t1", "content": "made"}]);
    let of_claude = [
        claude(0, "user", "make it".into()),
        claude(1, "assistant", call),
        queued("enqueue", Some(format!("then use {secret} in it"))),
        queued("dequeue", None),
        claude(2, "user", result),
        claude(3, "user", "make it".into()),
        claude(4, "assistant", json!([{"type": "text", "text": "Done."}])),
        json!({"type": "summary", "summary": "Makes it", "leafUuid": "u4"}),
    ];
    let codex = |at: usize, kind: &str, payload: Value| json!({"timestamp": format!("2026-03-01T10:00:{at:02}Z"), "type": kind, "payload": payload});
    let arguments = json!({"cmd": format!("AWS_KEY={secret} make")}).to_string();
    let said = |role: &str, text: &str| json!({"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]});
    let of_codex = [
        codex(0, "session_meta", json!({"id": "s", "cwd": "/p", "cli_version": "0.99.0"})),
        codex(1, "response_item", said("user", "make it")),
        codex(
            2,
            "response_item",
            json!({"type": "function_call", "name": "exec_command",
            "arguments": arguments, "call_id": "c1"}),
        ),
        codex(
            3,
            "response_item",
            json!({"type": "function_call_output", "call_id": "c1", "output": "made"}),
        ),
        codex(4, "response_item", said("user", "make it")),
        codex(5, "response_item", said("assistant", "Done.")),
    ];
    let places = [
        ("home/.claude/projects/p/s.jsonl", "claude-code-s", jsonl(&of_claude)),
        ("home/.codex/sessions/2026/03/01/rollout-s.jsonl", "codex-s", jsonl(&of_codex)),
    ];
    for (path, run, text) in places {
        let whole = with_runs();
        write(&whole, path, &text);
        let whole = all_of_home(&whole, run);
        assert!(!whole.1.contains(&secret) && !format!("{:?}", whole.0).contains(&secret));
        let first = text.find('\n').unwrap() + 1;
        for cut in (first..text.len()).step_by(97).chain([text.len() - 1]) {
            let bench = with_runs();
            write(&bench, path, &text[..cut]);
            all_of_home(&bench, run);
            write(&bench, path, &text);
            assert_eq!(all_of_home(&bench, run), whole, "{path} was cut at {cut}");
        }
    }
}

/// If this fails, what an import remembers hides something new: a message in a file of its own, lines of a log that was
/// cut, or a file that readers of the run need.
#[test]
fn what_is_remembered_hides_nothing() {
    const NOTHING: &str = "1 session, nothing new\n";
    let bench = with_runs();
    let place = "home/.local/share/opencode";
    fs::create_dir_all(bench.path(place)).unwrap();
    steps_of_opencode(&bench, &[[100, 10, 0, 0, 1]]);
    fs::rename(bench.path("st"), bench.path(&format!("{place}/storage"))).unwrap();
    import_all(&bench);
    assert_eq!(run(&bench, TOKENS).1[0], 100.0);
    let part = json!({"id": "q9", "sessionID": "ses_1", "messageID": "m2", "type": "step-finish", "cost": 1,
        "tokens": {"input": 50, "output": 5, "reasoning": 0, "cache": {"read": 0, "write": 0}}});
    write(&bench, &format!("{place}/storage/part/m2/q9.json"), part);
    import_all(&bench);
    assert_eq!(run(&bench, TOKENS).1[0], 150.0);

    let bench = with_runs();
    let line = |at: usize| {
        json!({"type": "user", "uuid": format!("u{at}"), "sessionId": "s", "cwd": "/p",
        "timestamp": format!("2026-03-01T10:00:{at:02}Z"), "message": {"role": "user", "content": format!("step {at}")}})
    };
    let place = "home/.claude/projects/p/s.jsonl";
    write(&bench, place, jsonl(&(0..20).map(line).collect::<Vec<_>>()));
    let whole = all_of_home(&bench, "claude-code-s").0;
    assert_eq!(import_all(&bench), NOTHING);
    let log = bench.path("runs/claude-code-s/events.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let cut = text.match_indices('\n').nth(9).unwrap().0 + 1;
    fs::write(&log, &text[..cut]).unwrap();
    // Longer than before.
    let note = "x".repeat(text.len());
    bench.ok(&[
        "emit",
        "note",
        "--run",
        "claude-code-s",
        "-f",
        &format!("text={note}"),
        "--inline-limit",
        "1000000",
    ]);
    let events = all_of_home(&bench, "claude-code-s").0;
    assert!(whole.iter().all(|event| events.contains(event)));
    for file in ["run.json", "transcript.md"] {
        fs::write(bench.path(&format!("runs/claude-code-s/{file}")), "").unwrap();
        assert_ne!(import_all(&bench), NOTHING, "{file}");
        assert_eq!(import_all(&bench), NOTHING);
    }
    // A line without a time ends the run when the lines before it did.
    let mut lines = fs::read_to_string(bench.path(place)).unwrap();
    lines += &(json!({"type": "summary", "summary": "Twenty steps", "leafUuid": "u19"})
        .to_string()
        + "\n");
    write(&bench, place, lines);
    import_all(&bench);
    let end = events_of(&bench).pop().unwrap();
    assert_eq!(end["timestamp"], "2026-03-01T10:00:19.000Z", "{end}");
}

/// If this fails, a folder with a line that cannot be read passes when it is imported again.
#[test]
fn a_rejected_line_is_reported_each_time() {
    let bench = with_runs();
    let line = json!({"type": "user", "uuid": "u1", "sessionId": "s", "cwd": "/p",
        "timestamp": "2026-03-01T10:00:00Z", "message": {"role": "user", "content": "go"}});
    let import = || {
        let mut command = bench.command();
        command.env("HOME", bench.path("home")).args(["import", "folder"]).status().unwrap().code()
    };
    write(&bench, "folder/s.jsonl", format!("{line}\n"));
    assert_eq!(import(), Some(0));
    write(&bench, "folder/s.jsonl", format!("{line}\n{{\"broken\n{line}\n"));
    for _ in 0..2 {
        assert_eq!(import(), Some(65));
    }
}

fn events_of(bench: &Bench) -> Vec<Value> {
    events(bench, "claude-code-s")
}

/// If this fails, a call counts twice whose start a hook recorded, and whose end comes when its file grows.
#[test]
fn a_call_that_a_hook_began_and_a_file_that_grew() {
    let bench = with_runs();
    let at = |second: u32| format!("2026-01-01T00:00:{second:02}.000Z");
    let line = |id: u32, kind: &str, data: Value| {
        json!({"type": kind, "id": id.to_string(), "timestamp": at(id), "data": data,
            "parentId": if id == 1 { Value::Null } else { (id - 1).to_string().into() }})
    };
    let lines = [
        line(
            1,
            "session.start",
            json!({"sessionId": "cop", "version": 1, "producer": "copilot-agent",
            "copilotVersion": "1.0.77", "startTime": at(1), "context": {"cwd": "/x"}}),
        ),
        line(
            2,
            "tool.execution_start",
            json!({"toolCallId": "call-1", "toolName": "bash",
            "arguments": {"command": "ls"}}),
        ),
        line(
            3,
            "tool.execution_complete",
            json!({"toolCallId": "call-1", "success": true,
            "result": {"content": "ok"}}),
        ),
    ];
    let payload = json!({"sessionId": "cop", "timestamp": 1_767_225_602_000_u64, "cwd": "/x", "toolName": "bash",
        "toolArgs": "{\"command\":\"ls\"}"});
    let hook = ["hook", "--agent", "copilot", "--event", "preToolUse"];
    bench.feed(&hook, payload.to_string().as_bytes());
    let place = "home/.copilot/session-state/cop/events.jsonl";
    for shown in 2..=3 {
        write(&bench, place, jsonl(&lines[..shown]));
        import_all(&bench);
    }
    assert_eq!(run(&bench, CALLS).1[0], 1.0);
}
