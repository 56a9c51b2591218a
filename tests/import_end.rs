//! How runs of imported sessions end, also after an import that was killed.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::Bench;
use crate::support::imports::{ASKED, BADLY, MORE, WELL, ended, events, imported, log_of, session};

/// The directory of the only run.
fn only_run(bench: &Bench) -> PathBuf {
    fs::read_dir(bench.path("runs")).unwrap().next().unwrap().unwrap().path()
}

/// If this fails, a run does not end as its source says, or a session that failed passes the gate.
#[test]
fn a_source_that_says_how_it_ended_ends_the_run() {
    let end = |lines: &[&str]| ended(&Bench::new(), lines);
    let told = |status: &str, last: &str, exit| (status.to_owned(), last.to_owned(), exit);
    assert_eq!(end(&[ASKED, WELL]), told("completed", "run.completed", 0));
    assert_eq!(end(&[ASKED, BADLY]), told("failed", "run.failed", 5));
    // What follows shows that the session goes on.
    assert_eq!(end(&[ASKED, WELL, MORE]), told("imported", "run.imported", 0));
    assert_eq!(end(&[ASKED, BADLY, MORE, WELL]), told("completed", "run.completed", 0));
    let aos = [
        r#"{"type":"session_start","timestamp":"2026-01-01T10:00:00Z","session_id":"a","agentId":"main"}"#,
        r#"{"type":"session_end","timestamp":"2026-01-01T10:00:05Z","session_id":"a","agentId":"main"}"#,
    ];
    assert_eq!(end(&aos), told("completed", "session_end", 0));
    let codex = [
        r#"{"type":"thread.started","thread_id":"t"}"#,
        r#"{"type":"turn.failed","error":{"message":"no credit"}}"#,
    ];
    assert_eq!(end(&codex), told("failed", "run.failed", 5));
    let paused = [
        aos[0],
        r#"{"type":"session_paused","timestamp":"2026-01-01T10:00:05Z","session_id":"a","reason":"budget"}"#,
    ];
    assert_eq!(end(&paused), told("incomplete", "run.incomplete", 5));
    for (reason, status, exit) in [
        ("error", "failed", 5),
        ("aborted", "cancelled", 5),
        ("max_iterations", "incomplete", 5),
        ("done", "imported", 0),
    ] {
        let asked = r#"{"type":"user","runId":"R","content":"go"}"#;
        let ends = format!(r#"{{"type":"harness_end","runId":"R","reason":"{reason}"}}"#);
        assert_eq!(end(&[asked, &ends]), told(status, &format!("run.{status}"), exit), "{reason}");
    }
}

/// If this fails, a longer copy of a session that had ended damages the run, or the run keeps an
/// end that the session has overtaken: a session that failed later passes the gate.
#[test]
fn a_session_that_goes_on_after_its_end() {
    let end = |bench: &Bench, lines: &[&str]| {
        let (status, last, exit) = ended(bench, lines);
        assert_eq!(last, format!("run.{status}"));
        (status, exit)
    };
    let told = |status: &str, exit| (status.to_owned(), exit);
    let bench = Bench::new();
    assert_eq!(end(&bench, &[ASKED, WELL]), told("completed", 0));
    let log = || fs::read_to_string(only_run(&bench).join("events.jsonl")).unwrap();
    let once = log();
    assert_eq!(end(&bench, &[ASKED, WELL]), told("completed", 0));
    assert_eq!(log(), once);
    assert_eq!(end(&bench, &[ASKED, WELL, MORE]), told("imported", 0));
    assert_eq!(end(&bench, &[ASKED, WELL, MORE, BADLY]), told("failed", 5));
    let whole = log();
    // Shorter copies say less.
    for shorter in [&[ASKED][..], &[ASKED, WELL], &[ASKED, WELL, MORE]] {
        assert_eq!(end(&bench, shorter), told("failed", 5));
    }
    assert_eq!(log(), whole);
    let better = WELL.replace("r1", "r3");
    let again = MORE.replace("u2", "u3");
    let all = [ASKED, WELL, MORE, BADLY, &again, &better];
    assert_eq!(end(&bench, &all), told("completed", 0));
    let facts: Value =
        serde_json::from_slice(&fs::read(only_run(&bench).join("run.json")).unwrap()).unwrap();
    assert_eq!(facts["error"], Value::Null, "the run has the error of an earlier end");
    // In one import, the same.
    assert_eq!(end(&Bench::new(), &all), told("completed", 0));
}

/// If this fails, an import that was killed before the new end of a session that went on leaves
/// the old end: a session that failed passes the gate.
#[test]
fn a_new_end_is_added_after_a_killed_import() {
    for (more, status, exit) in [(&[MORE, BADLY][..], "failed", 5), (&[MORE], "imported", 0)] {
        for is_fixed in [false, true] {
            let bench = Bench::new();
            assert_eq!(ended(&bench, &[ASKED, WELL]).0, "completed");
            let lines = [&[ASKED, WELL], more].concat();
            let done = ended(&bench, &lines);
            assert_eq!(done, (status.to_owned(), format!("run.{status}"), exit));
            let log = only_run(&bench).join("events.jsonl");
            let whole = fs::read_to_string(&log).unwrap();
            let cut = whole.trim_end().rfind('\n').unwrap() + 1;
            fs::write(&log, &whole[..cut]).unwrap();
            fs::remove_file(log.with_file_name("run.json")).unwrap();
            if is_fixed {
                bench.call(&["validate", "--all", "--fix"]);
            }
            assert_eq!(ended(&bench, &lines), done, "fixed before: {is_fixed}");
            assert_eq!(ended(&bench, &lines), done);
            assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), whole.lines().count());
        }
    }
}

/// If this fails, the end of an earlier part, or of an older copy, replaces a later one: a session
/// that failed passes the gate.
#[test]
fn an_earlier_part_does_not_end_the_run() {
    let at = |line: &str, time: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["timestamp"] = format!("2026-03-01T{time}:00Z").into();
        line.to_string()
    };
    let first = [at(ASKED, "09:00"), at(WELL, "09:02")];
    let second = [at(MORE, "09:30"), at(BADLY, "09:40")];
    fn lines(part: &[String]) -> Vec<&str> {
        part.iter().map(String::as_str).collect()
    }
    let bench = Bench::new();
    assert_eq!(ended(&bench, &lines(&second)).0, "failed");
    let after = ended(&bench, &lines(&first));
    assert_eq!((after.0.as_str(), after.2), ("failed", 5));
    assert_eq!(ended(&bench, &lines(&second)).0, "failed");
    // An older copy with a line of its own.
    let bench = Bench::new();
    assert_eq!(ended(&bench, &lines(&[first.clone(), second].concat())).0, "failed");
    let title =
        r#"{"type":"ai-title","sessionId":"s","aiTitle":"Go","timestamp":"2026-03-01T09:01:00Z"}"#;
    let older = [first[0].clone(), title.to_owned(), first[1].clone()];
    assert_eq!(ended(&bench, &lines(&older)).0, "failed");
}

/// If this fails, an import takes back the end that a user recorded.
#[test]
fn an_end_by_hand_stays() {
    let bench = Bench::new();
    assert_eq!(ended(&bench, &[ASKED]).0, "imported");
    let run = only_run(&bench).file_name().unwrap().to_string_lossy().into_owned();
    bench.ok(&["emit", "run.cancelled", "--run", &run]);
    assert_eq!(ended(&bench, &[ASKED, MORE]).0, "cancelled");
    // The source says otherwise. A better end changes nothing, a worse one counts.
    assert_eq!(ended(&bench, &[ASKED, MORE, WELL]).0, "cancelled");
    assert_eq!(
        ended(&bench, &[ASKED, MORE, WELL, BADLY]),
        ("failed".to_owned(), "run.failed".to_owned(), 5)
    );
}

/// If this fails, an import that was killed is not completed by the next one: the run has no
/// beginning, no end, or other events.
#[test]
fn an_import_that_was_killed_is_completed() {
    let bench = Bench::new();
    session(&bench, "session.jsonl");
    bench.ok(&["import", "session.jsonl"]);
    let run = bench.json(&["list"]);
    let run = run["runs"][0]["run_id"].as_str().unwrap().to_owned();
    let (directory, log) = (bench.path(&format!("runs/{run}")), format!("runs/{run}/events.jsonl"));
    let whole = fs::read(bench.path(&log)).unwrap();
    let source = directory.join("source.jsonl.zst");
    let lines = fs::read(&source).unwrap();
    let (all, from_source) = (events(&bench, &run).len(), imported(&bench, &run));
    let ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    for has_state in [false, true] {
        // Before the first line, in it, and after each line.
        for end in [0, 100].into_iter().chain(ends.clone()) {
            fs::remove_dir_all(&directory).unwrap();
            fs::create_dir(&directory).unwrap();
            fs::write(bench.path(&log), &whole[..end]).unwrap();
            // A source line is on disk before its events.
            fs::write(&source, &lines).unwrap();
            if has_state && end > 100 {
                bench.call(&["validate", &run, "--fix"]);
            }
            bench.ok(&["import", "session.jsonl"]);
            let log = events(&bench, &run);
            let types: Vec<&Value> = log.iter().map(|event| &event["type"]).collect();
            // A torn line leaves an event of its own.
            let (from, more) = if end == 100 { (1, 1) } else { (0, 0) };
            assert_eq!(types[from], "run.created", "cut at {end}: {types:?}");
            assert_eq!(*types.last().unwrap(), "run.imported", "cut at {end}: {types:?}");
            assert_eq!(types.len(), all + more, "cut at {end}: {types:?}");
            assert_eq!(imported(&bench, &run), from_source, "cut at {end}");
            let verdict = bench.call(&["validate", &run, "--expect-status", "imported"]);
            assert_eq!(verdict.status, 0, "cut at {end}: {}", verdict.out);
        }
    }
}

/// If this fails, an import that was killed before the end that its source tells leaves a failed
/// session `imported`, which a gate lets pass; or the end is there twice.
#[test]
fn the_end_of_a_source_is_added_after_a_killed_import() {
    for (lines, status, exit) in [([ASKED, BADLY], "failed", 5), ([ASKED, WELL], "completed", 0)] {
        for has_old_state in [false, true] {
            let bench = Bench::new();
            assert_eq!(ended(&bench, &lines[..1]).0, "imported");
            let run = only_run(&bench);
            let (log, state) = (run.join("events.jsonl"), run.join("run.json"));
            let old_state = fs::read(&state).unwrap();
            let done = ended(&bench, &lines);
            assert_eq!(done, (status.to_owned(), format!("run.{status}"), exit));
            let whole = fs::read_to_string(&log).unwrap();
            let cut = whole.trim_end().rfind('\n').unwrap() + 1;
            fs::write(&log, &whole[..cut]).unwrap();
            if has_old_state {
                fs::write(&state, &old_state).unwrap();
            } else {
                fs::remove_file(&state).unwrap();
            }
            assert_eq!(ended(&bench, &lines), done, "old state: {has_old_state}");
            let completed = fs::read_to_string(&log).unwrap();
            assert_eq!(completed.lines().count(), whole.lines().count());
            assert_eq!(ended(&bench, &lines), done);
            assert_eq!(fs::read_to_string(&log).unwrap(), completed);
        }
    }
}

/// If this fails, a session that its user stopped has failed, or one whose agent says that it could
/// not do the task has completed.
#[test]
fn ends_that_are_neither_success_nor_failure() {
    let at = |second: u32| format!("2026-10-02T09:00:{second:02}.000Z");
    let copilot = |second: u32, kind: &str, data: Value| {
        json!({"type": kind, "data": data, "id": format!("c{second}"), "timestamp": at(second),
            "parentId": null})
    };
    let done = |outcome: &str, success: bool| {
        let complete = json!({"summary": "no server", "success": success, "outcome": outcome,
            "reason": "needs a server"});
        vec![
            copilot(
                0,
                "session.start",
                json!({"sessionId": "s", "version": 1,
                "producer": "copilot-agent", "copilotVersion": "1.0.60", "startTime": at(0)}),
            ),
            copilot(1, "user.message", json!({"content": "deploy it", "attachments": []})),
            copilot(2, "session.task_complete", complete),
            copilot(3, "session.shutdown", json!({"shutdownType": "routine"})),
        ]
    };
    let stopped = vec![
        json!({"type": "system", "subtype": "init", "session_id": "s", "uuid": "i", "cwd": "/p"}),
        json!({"type": "user", "session_id": "s", "uuid": "u", "parent_tool_use_id": null,
            "message": {"role": "user", "content": [
                {"type": "text", "text": "[Request interrupted by user for tool use]"}]}}),
        json!({"type": "result", "subtype": "error_during_execution", "is_error": true,
            "session_id": "s", "uuid": "r", "terminal_reason": "aborted_tools",
            "errors": ["[diagnostic] result_type=user"], "usage": {"input_tokens": 1}}),
    ];
    for (name, lines, status, error) in [
        ("blocked", done("blocked", false), "incomplete", json!("needs a server")),
        ("done", done("completed", true), "completed", Value::Null),
        ("stopped", stopped, "cancelled", json!("the user interrupted the agent")),
    ] {
        let bench = Bench::new();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(bench.path("s.jsonl"), text).unwrap();
        bench.ok(&["import", "s.jsonl", "--run", "r"]);
        let list = bench.json(&["list"]);
        let run = &list["runs"][0];
        assert_eq!(run["status"], status, "{name}");
        assert_eq!(run["counts"]["errors"], 0, "{name}");
        let transcript = bench.ok(&["transcript", "--format", "text"]);
        let told = error.as_str().unwrap_or_default();
        assert!(transcript.contains(told), "{name}: {transcript}");
    }
}

/// The first lines of the output of each agent, and the line that ends it.
fn outputs() -> [(&'static str, Vec<String>, String); 3] {
    let text = |line: Value| line.to_string();
    let claude = [
        json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "m", "tools": []}),
        json!({"type": "assistant", "session_id": "s-1", "uuid": "u1", "message": {"id": "m1",
            "role": "assistant", "model": "m", "content": [{"type": "text", "text": "On it."}]}}),
    ];
    let claude_end = json!({"type": "result", "subtype": "success", "is_error": false,
        "session_id": "s-1", "result": "Done.", "num_turns": 1});
    let codex = [
        json!({"type": "thread.started", "thread_id": "t-1"}),
        json!({"type": "turn.started"}),
        json!({"type": "item.completed",
            "item": {"id": "i1", "type": "agent_message", "text": "On it."}}),
    ];
    let codex_end = json!({"type": "turn.completed",
        "usage": {"input_tokens": 9, "cached_input_tokens": 0, "output_tokens": 3}});
    let time = "2026-01-01T00:00:00.000Z";
    let gemini = [
        json!({"type": "init", "timestamp": time, "session_id": "g-1", "model": "m"}),
        json!({"type": "message", "timestamp": time, "role": "assistant", "content": "On it.",
            "delta": true}),
    ];
    let gemini_end = json!({"type": "result", "timestamp": time, "status": "success",
        "stats": {"total_tokens": 3, "input_tokens": 2, "output_tokens": 1}});
    let lines = |of: &[Value]| of.iter().cloned().map(text).collect::<Vec<_>>();
    [
        ("claude-code", lines(&claude), text(claude_end)),
        ("codex", lines(&codex), text(codex_end)),
        ("gemini", lines(&gemini), text(gemini_end)),
    ]
}

/// If this fails, the output of an agent that died passes, or that of one that finished does not.
#[test]
fn output_that_is_cut_off_is_incomplete() {
    for (agent, lines, end) in outputs() {
        let bench = Bench::new();
        let args = ["emit", "--stdin", "--create", "--from", agent, "--end-run", "--run"];
        let whole = [lines.clone(), vec![end]].concat();
        for (run, lines, status) in [("cut", &lines, 5), ("whole", &whole, 0)] {
            let bytes = lines.join("\n") + "\n";
            let said = bench.feed(&[&args[..], &[run]].concat(), bytes.as_bytes());
            assert_eq!(said.status, 0, "{agent}: {}", said.err);
            let said = bench.call(&["validate", run, "--expect-status", "completed,imported"]);
            assert_eq!(said.status, status, "{agent}: {}", said.out);
        }
        // The rest may come later.
        let said =
            bench.feed(&[&args[..], &["cut"]].concat(), (whole.join("\n") + "\n").as_bytes());
        assert_eq!(said.status, 0, "{agent}: {}", said.err);
        let said = bench.call(&["validate", "cut", "--expect-status", "completed"]);
        assert_eq!(said.status, 0, "{agent}: {}", said.out);
        let part = ["emit", "--stdin", "--create", "--from", agent, "--run", "part"];
        let said = bench.feed(&part, (lines.join("\n") + "\n").as_bytes());
        assert!(!said.err.contains("cut off"), "{agent}: {}", said.err);
        // The same as a file that grows.
        let file = bench.path("output.jsonl");
        let mut states = Vec::new();
        for count in [lines.len(), whole.len()] {
            fs::write(&file, whole[..count].join("\n") + "\n").unwrap();
            bench.ok(&["import", file.to_str().unwrap(), "--from", agent]);
            let list = bench.json(&["list", "--agent", agent]);
            let runs = list["runs"].as_array().unwrap().iter();
            let is_ours =
                |run: &&Value| !["cut", "whole", "part"].contains(&run["run_id"].as_str().unwrap());
            let run = runs.into_iter().find(is_ours).unwrap();
            states.push(run["status"].as_str().unwrap().to_owned());
        }
        // A file may hold only a part of the output.
        assert_eq!(states, ["imported", "completed"], "{agent}");
    }
}

/// If this fails, a command that printed nothing of its agent passes.
#[test]
fn a_command_without_a_line_of_its_agent_is_incomplete() {
    let other = r#"{"other":1}"#;
    let cases = [
        ("claude-code", &["true"][..]),
        ("claude-code", &["echo", "All fixed!"]),
        ("claude-code", &["echo", other]),
        ("auto", &["echo", "All fixed!"]),
    ];
    for (agent, command) in cases {
        let bench = Bench::new();
        let args = ["exec", "--run-new", "--run", "r", "--from", agent, "--"];
        bench.call(&[&args[..], command].concat());
        let said = bench.call(&["validate", "r", "--expect-status", "completed"]);
        assert_eq!(said.status, 5, "{}", said.out);
        assert!(said.out.contains("no line of "), "{}", said.out);
    }
}

/// If this fails, a session whose last prompt has no answer is completed, because a process of it had ended.
#[test]
fn a_prompt_after_the_end_of_an_output() {
    let message = json!({"id": "msg_01AAAAAAAAAAAAAAAAAAAAAA1b2c", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": 1, "output_tokens": 1}});
    let line = |kind: &str, id: u32, message: &Value| {
        json!({"type": kind, "uuid": format!("2c9d7a10-0000-4000-8000-00000000000{id}"),
            "sessionId": "s", "timestamp": format!("2026-03-01T10:0{id}:00.000Z"), "version": "2",
            "message": message})
    };
    let prompt = |id| line("user", id, &json!({"role": "user", "content": "go"}));
    let file = [prompt(1), line("assistant", 2, &message), prompt(3)];
    let printed = json!({"type": "assistant", "uuid": file[1]["uuid"], "session_id": "s",
        "message": message});
    let result = json!({"type": "result", "subtype": "success", "is_error": false, "uuid": "r",
        "session_id": "s", "result": "ok", "usage": {"input_tokens": 1, "output_tokens": 1}});
    for order in [["file", "output"], ["output", "file"]] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("file"), crate::support::jsonl(&file)).unwrap();
        let output = crate::support::jsonl(&[printed.clone(), result.clone()]);
        fs::write(bench.path("output"), output).unwrap();
        for name in order {
            bench.ok(&["import", name, "--from", "claude-code", "--runs-dir", "runs"]);
        }
        assert_eq!(bench.json(&["list"])["runs"][0]["status"], "imported", "{order:?}");
    }
}

/// If this fails, the end of one process is taken for that of the session, or a better end hides a worse
/// one. `f` is an end of the file, `o` one of an output, `c` a model call; at, what, last call.
#[test]
fn which_end_counts() {
    #[rustfmt::skip]
    let cases = [
        ("c 1, o completed 1", "completed"),
        ("c 1, o failed 1, f imported 1", "failed"),
        ("c 1, f imported 1, o failed 1", "failed"),
        ("c 1, f completed 1, o failed 1", "failed"),
        ("c 1, f failed 1, o completed 1", "failed"),
        ("c 1, o failed 1, c 2, g imported 2", "imported"),
        ("c 1, c 2, f imported 2, o completed 1", "imported"),
        ("c 1, f failed 1, c 2, o completed 2", "completed"),
        ("c 2, o completed 2, c 1, o failed 1", "failed"),
        ("c 2, o completed 2, c 1, o failed 1, f imported 2", "completed"),
        ("c 1, f failed 1, c 2, f completed 2, b failed 1", "completed"),
    ];
    for (steps, status) in cases {
        let line = |(at, step): (usize, &str)| {
            let [kind, what, last] = match step.split(' ').collect::<Vec<_>>()[..] {
                [_, call] => ["llm.usage", call, ""],
                [_, what, last] => ["run.", what, last],
                _ => unreachable!(),
            };
            let is = |letters: &str| letters.contains(&step[..1]);
            let own = json!({"dialect": "d", "source_end": !is("c"), "last_call": last,
                "of_output": is("o"), "goes_on": is("g")});
            let time = |at| format!("2026-01-01T00:{at:02}:00Z");
            let kind = if is("c") { kind.to_owned() } else { format!("{kind}{what}") };
            json!({"type": kind, "timestamp": time(at + 1),
                "data": {"_runlog": own, "message_id": what, "input_tokens": 1,
                    "last_time": time(if is("b") { 0 } else { at + 1 })}})
        };
        let bench = log_of(steps.split(", ").enumerate().map(line));
        assert_eq!(bench.state("r")["status"], status, "{steps}");
    }
}
