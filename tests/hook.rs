//! `hook`: what agents' hooks report is recorded once, and nothing gets in the agent's way.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::imports::source_lines;
use crate::support::{Bench, jsonl};

/// Gives payloads to the hook, one after the other.
fn hook(bench: &Bench, payloads: &[Value]) {
    for payload in payloads {
        let said = bench.feed(&["hook"], payload.to_string().as_bytes());
        assert_eq!((said.status, &*said.out, &*said.err), (0, "", ""), "{payload}");
    }
}

/// A session of Claude Code as its file has it: a prompt, a call that works, a call that fails.
fn claude_session(prompt_ids: bool) -> String {
    let line = |second: u32, kind: &str, more: Value| {
        let mut line = json!({"type": kind, "sessionId": "s-1", "uuid": format!("u{second}"),
            "timestamp": format!("2026-05-01T10:00:{second:02}.000Z"), "cwd": "/home/ada/app"});
        if prompt_ids && kind == "user" {
            line["promptId"] = json!("p-1");
        }
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        line
    };
    let call = |id: &str, command: &str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}});
    let answer = |id: &str, content: Value| {
        json!({"message": {"role": "assistant", "id": id, "model": "m-1", "content": [content],
            "usage": {"input_tokens": 10, "output_tokens": 5}}})
    };
    let result = |id: &str, text: &str, failed: bool| {
        json!({"message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]}})
    };
    jsonl(&[
        line(1, "user", json!({"message": {"role": "user", "content": "Fix the tests"}})),
        line(2, "assistant", answer("m1", json!({"type": "text", "text": "I look."}))),
        line(3, "assistant", answer("m1", call("toolu_1", "ls"))),
        line(4, "user", result("toolu_1", "a.py", false)),
        line(5, "assistant", answer("m2", call("toolu_2", "pytest"))),
        line(6, "user", result("toolu_2", "1 failed", true)),
        line(7, "assistant", answer("m3", json!({"type": "text", "text": "One test fails."}))),
    ])
}

/// What the hooks of that session report.
fn claude_payloads(bench: &Bench, prompt_ids: bool) -> Vec<Value> {
    let base = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s-1", "hook_event_name": event, "cwd": "/home/ada/app",
            "transcript_path": bench.path("s-1.jsonl").display().to_string()});
        if prompt_ids {
            payload["prompt_id"] = json!("p-1");
        }
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    let call = |id: &str, command: &str, more: Value| {
        let mut call =
            json!({"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": id});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    vec![
        base("SessionStart", json!({"source": "startup", "model": "m-1"})),
        base("UserPromptSubmit", json!({"prompt": "Fix the tests"})),
        base("PreToolUse", call("toolu_1", "ls", json!({}))),
        base(
            "PostToolUse",
            call("toolu_1", "ls", json!({"tool_response": {"stdout": "a.py"}, "duration_ms": 12})),
        ),
        base("PreToolUse", call("toolu_2", "pytest", json!({}))),
        base("PostToolUseFailure", call("toolu_2", "pytest", json!({"error": "1 failed"}))),
        base("Notification", json!({"message": "waiting"})),
        base("Stop", json!({"last_assistant_message": "One test fails."})),
        base("SessionEnd", json!({"reason": "exit"})),
    ]
}

fn counts(bench: &Bench) -> Value {
    let listed = bench.json(&["list"]);
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1, "{listed}");
    let mut run = listed["runs"][0].clone();
    for unlike in ["events", "warnings"] {
        run["counts"].as_object_mut().unwrap().remove(unlike);
    }
    json!({"counts": run["counts"], "status": run["status"], "id": run["run_id"]})
}

/// If this fails, a session that hooks recorded counts calls, prompts or tokens twice after the
/// import of its file, or lacks some.
#[test]
fn hooks_and_import_agree_with_the_import_alone() {
    for prompt_ids in [true, false] {
        let (live, alone) = (Bench::new(), Bench::new());
        for bench in [&live, &alone] {
            fs::create_dir_all(bench.path("runs")).unwrap();
            fs::write(bench.path("s-1.jsonl"), claude_session(prompt_ids)).unwrap();
        }
        hook(&live, &claude_payloads(&live, prompt_ids));
        alone.ok(&["import", "s-1.jsonl"]);
        assert_eq!(counts(&live), counts(&alone));
        let events = |bench: &Bench| {
            fs::read_to_string(bench.path("runs/claude-code-s-1/events.jsonl")).unwrap()
        };
        let before = events(&live);
        live.ok(&["import", "s-1.jsonl"]);
        assert_eq!(events(&live), before, "an import after the hooks adds nothing");
        let ids: Vec<String> = before
            .lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap()["event_id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        for id in ["toolu_1/start", "toolu_1/end", "toolu_2/start", "toolu_2/end"] {
            assert_eq!(ids.iter().filter(|known| *known == id).count(), 1, "{id}: {ids:?}");
            assert!(events(&alone).contains(&format!("\"event_id\":\"{id}\"")), "{id}");
        }
        // Each line of the source is kept, also those whose event a hook recorded before.
        assert_eq!(source_lines(&live, "claude-code-s-1"), claude_session(prompt_ids));
        let story = live.ok(&["transcript", "--format", "text"]);
        assert!(story.contains("One test fails.") && story.contains("pytest"), "{story}");
        live.ok(&["validate", "--all"]);
    }
}

/// If this fails, the calls of agents whose hooks give no ids are counted twice after an import.
#[test]
fn calls_without_ids_agree_with_the_import() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let base = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "gem-1", "hook_event_name": event, "cwd": "/w",
            "transcript_path": "", "timestamp": "2026-05-01T10:00:00Z"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        payload
    };
    let call = |more: Value| {
        let mut call = json!({"tool_name": "run_shell_command", "tool_input": {"dir": "x", "command": "make"}});
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        call
    };
    let output = json!({"tool_response": {"llmContent": "done"}});
    hook(
        &bench,
        &[
            base("BeforeAgent", json!({"prompt": "Make it"})),
            base("BeforeTool", call(json!({}))),
            base("AfterTool", call(output.clone())),
            base("BeforeTool", call(json!({}))),
            base("AfterTool", call(output)),
        ],
    );
    let made = |id: &str| {
        json!({"id": id, "name": "run_shell_command", "args": {"command": "make", "dir": "x"}, "status": "success",
            "timestamp": "2026-05-01T10:00:04.000Z", "result": [{"functionResponse":
                {"name": "run_shell_command", "response": {"output": "done"}}}]})
    };
    let document = json!({"sessionId": "gem-1", "projectHash": "ab", "messages": [
        {"id": "u1", "timestamp": "2026-05-01T10:00:01.000Z", "type": "user", "content": "Make it"},
        {"id": "g1", "timestamp": "2026-05-01T10:00:02.000Z", "type": "gemini", "model": "m",
            "content": "Done.", "tokens": {"input": 100, "output": 10, "cached": 0, "thoughts": 0, "tool": 0, "total": 110},
            "toolCalls": [made("c1"), made("c2")]}]});
    fs::write(bench.path("gem.json"), document.to_string()).unwrap();
    bench.ok(&["import", "gem.json"]);
    let counts = &counts(&bench)["counts"];
    assert_eq!([&counts["tool_calls"], &counts["prompts"]], [2, 1], "{counts}");
    assert_eq!(counts["input_tokens"], 100);
}

/// If this fails, an agent is blocked, or its model reads what the hook prints.
#[test]
fn nothing_gets_in_the_way() {
    let bench = Bench::new();
    let payload =
        |more: &str| format!("{{\"session_id\":\"s\",\"hook_event_name\":\"PreToolUse\"{more}}}");
    let huge = payload(&format!(
        ",\"tool_name\":\"t\",\"tool_use_id\":\"1\",\"tool_input\":\"{}\"",
        "x".repeat(8 << 20)
    ));
    for input in [
        "",
        "{",
        "[]",
        "\u{0}",
        "{}",
        "{\"session_id\":\"\"}",
        "{\"session_id\":\"../../x\"}",
        &payload(""),
        &huge,
    ] {
        let said = bench.feed(&["hook"], input.as_bytes());
        assert_eq!((said.status, &*said.out), (0, ""), "{}", said.err);
        assert!(said.err.lines().count() <= 1, "{}", said.err);
    }
    for words in
        [&["hook", "--nothing"][..], &["hook", "--agent", "nobody"], &["--quiet", "hook", "extra"]]
    {
        let said = bench.feed(words, b"{}");
        assert_eq!((said.status, &*said.out), (0, ""), "{words:?}");
    }
    // Other commands fail as ever.
    bench.fails(2, &["show", "--nothing", "hook"]);
    // Broken settings, and a place that cannot be written.
    fs::write(bench.path("runlog.toml"), "runs_dir = 5\n[").unwrap();
    let said = bench.feed(&["hook"], payload("").as_bytes());
    assert_eq!((said.status, &*said.out), (0, ""));
    fs::remove_file(bench.path("runlog.toml")).unwrap();
    let said = bench.feed(&["--runs-dir", "/proc/none", "hook"], payload("").as_bytes());
    assert_eq!((said.status, &*said.out), (0, ""));
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
}

fn waiting(bench: &Bench, deadline: &str) -> std::process::Child {
    let mut command = bench.command();
    command.args(["hook", "--deadline", deadline]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// If this fails, a hook whose input does not end keeps its agent waiting, or a signal makes it
/// fail.
#[test]
fn a_deadline_and_signals() {
    let bench = Bench::new();
    let begin = Instant::now();
    let mut child = waiting(&bench, "300ms");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(30));
    let mut child = waiting(&bench, "20s");
    std::thread::sleep(Duration::from_millis(300));
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let payload = r#"{"session_id":"s","hook_event_name":"SessionStart","transcript_path":""}"#;
    child.stdin.take().unwrap().write_all(payload.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// If this fails, hooks that run at the same time lose events of each other.
#[test]
fn hooks_at_the_same_time() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let bench = &bench;
            scope.spawn(move || {
                for number in 0..20 {
                    let id = format!("t{worker}-{number}");
                    hook(
                        bench,
                        &[json!({"session_id": "s", "hook_event_name": "PreToolUse", "transcript_path": "",
                            "tool_name": "Bash", "tool_input": {}, "tool_use_id": id}),
                            // Without an id, prompts with the same text get numbers.
                            json!({"session_id": "s", "hook_event_name": "UserPromptSubmit",
                            "transcript_path": "", "prompt": "continue"})],
                    );
                }
            });
        }
    });
    let log = fs::read_to_string(bench.path("runs/claude-code-s/events.jsonl")).unwrap();
    assert_eq!(log.lines().filter(|line| line.contains("tool.started")).count(), 160);
    assert_eq!(log.lines().filter(|line| line.contains("message.user")).count(), 160);
    assert_eq!(log.lines().filter(|line| line.contains("run.created")).count(), 1);
}

/// If this fails, events of an agent are taken for those of another, or lost.
#[test]
fn agents_are_told_apart() {
    for (payload, run, kind) in [
        (
            json!({"session_id": "a", "hook_event_name": "PreCompact", "transcript_path": "/x"}),
            "claude-code-a",
            "claude-code.hook/PreCompact",
        ),
        (
            json!({"session_id": "a", "hook_event_name": "Stop", "turn_id": "1", "transcript_path": null}),
            "codex-a",
            "codex.hook/Stop",
        ),
        (
            json!({"session_id": "a", "hook_event_name": "BeforeTool", "tool_name": "ls", "timestamp": "2026-05-01T10:00:00Z"}),
            "gemini-a",
            "tool.started",
        ),
        (
            json!({"sessionId": "a", "timestamp": 1_770_000_000_000_u64, "toolName": "bash", "toolArgs": "{}",
            "toolResult": {"resultType": "failure", "textResultForLlm": "no"}}),
            "copilot-a",
            "tool.failed",
        ),
        (
            json!({"conversation_id": "a", "generation_id": "g", "hook_event_name": "postToolUse", "tool_name": "Shell",
            "tool_use_id": "c", "tool_output": "{\"exitCode\":0}", "duration": 12.5, "cursor_version": "2"}),
            "cursor-a",
            "tool.completed",
        ),
    ] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        hook(&bench, &[payload]);
        let log = fs::read_to_string(bench.path(&format!("runs/{run}/events.jsonl"))).unwrap();
        assert!(log.contains(&format!("\"type\":\"{kind}\"")), "{run}: {log}");
    }
}

/// If this fails, a payload that cannot be recorded is lost, its secret is kept, or `validate` finds
/// that `logs/rejected.jsonl` differs from what the log says about it.
#[test]
fn trouble_is_kept_in_the_run() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let begun =
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"t","tool_use_id":"1"}"#;
    let torn = r#"{"session_id":"s","prompt":"ghp_0123456789abcdefghijABCDEFGHIJ012345","#;
    let words = ["hook", "--agent", "claude-code"];
    // A run that does not exist is not created for it.
    let said = bench.feed(&words, torn.as_bytes());
    assert_eq!((said.status, &*said.out, said.err.lines().count()), (0, "", 1), "{}", said.err);
    assert!(!bench.path("runs/claude-code-s").exists());
    bench.feed(&words, begun.as_bytes());
    let said = bench.feed(&words, torn.as_bytes());
    assert_eq!((said.status, &*said.out, said.err.lines().count()), (0, "", 1), "{}", said.err);
    let path = bench.path("runs/claude-code-s/logs/rejected.jsonl");
    let records = crate::support::json_lines(&path);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["source"], "claude-code.hook");
    assert!(records[0]["reason"].as_str().unwrap().contains("not JSON"), "{}", records[0]);
    assert!(!records[0].to_string().contains("ghp_0123"), "{}", records[0]);
    let log = fs::read_to_string(bench.path("runs/claude-code-s/events.jsonl")).unwrap();
    assert_eq!(log.matches("\"type\":\"stream.rejected\"").count(), 1, "{log}");
    let report = bench.call(&["validate", "claude-code-s", "--format", "json"]).out;
    assert!(!report.contains("RL014"), "{report}");
}

/// If this fails, a run whose log is locked for long keeps the agent waiting or makes it fail.
#[test]
fn a_held_lock_does_not_keep_the_agent_waiting() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let call = |id: &str| {
        json!({"session_id": "s", "hook_event_name": "PreToolUse", "transcript_path": "",
            "tool_name": "Bash", "tool_input": {}, "tool_use_id": id})
    };
    hook(&bench, &[call("t1")]);
    let log = bench.path("runs/claude-code-s/events.jsonl");
    let before = fs::read(&log).unwrap();
    let held = fs::File::open(&log).unwrap();
    held.lock().unwrap();
    let begin = Instant::now();
    let said = bench.feed(&["hook", "--deadline", "1s"], call("t2").to_string().as_bytes());
    let told = (said.status, said.out.as_str(), said.err.lines().count());
    assert_eq!(told, (0, "", 1), "{}", said.err);
    assert!(said.err.contains("runlog: warning: the hook "), "{}", said.err);
    assert!(begin.elapsed() < Duration::from_secs(30));
    assert_eq!(fs::read(&log).unwrap(), before);
    held.unlock().unwrap();
    hook(&bench, &[call("t3")]);
    bench.ok(&["validate", "--all"]);
}

/// If this fails, a hook fails in a directory that was removed, or without a home directory.
#[test]
fn a_directory_that_is_gone() {
    let bench = Bench::new();
    let payload = r#"{"session_id":"s","hook_event_name":"SessionStart","transcript_path":""}"#;
    let script = "mkdir gone && cd gone && rmdir ../gone && printf %s \"$1\" | \"$2\" hook";
    for home in [None, Some(bench.path("home"))] {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script, "sh", payload, env!("CARGO_BIN_EXE_runlog")]);
        shell.current_dir(bench.path("")).env_clear().env("PATH", "/usr/bin:/bin");
        shell.envs(home.iter().map(|home| ("HOME", home)));
        let said = crate::support::said(&shell.output().unwrap());
        assert_eq!((said.status, said.out.as_str()), (0, ""), "{}", said.err);
        assert!(said.err.lines().count() <= 1, "{}", said.err);
        let log = bench.path("home/.local/share/runlog/runs/claude-code-s/events.jsonl");
        assert_eq!(log.exists(), home.is_some(), "{}", said.err);
    }
}

/// If this fails, the answer of a session that only hooks record is lost, or its run has no end.
#[test]
fn a_session_of_hooks_alone_has_its_answer() {
    let bench = Bench::new();
    for (event, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "Sail"})),
        ("Stop", json!({"last_assistant_message": "Sailed home"})),
        ("SessionEnd", json!({"reason": "exit"})),
    ] {
        let mut payload = json!({"session_id": "h", "hook_event_name": event, "cwd": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let said = bench.feed(&["hook", "--agent", "codex"], payload.to_string().as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
    }
    let text = bench.ok(&["transcript", "--format", "text"]);
    assert!(text.contains("Sailed home") && !text.contains("gave no answer"), "{text}");
    bench.ok(&["validate", "codex-h"]);
}

/// If this fails, a transcript lists what hooks received, or no transcript has it.
#[test]
fn payloads_are_in_the_full_transcript_only() {
    let bench = Bench::new();
    hook(&bench, &claude_payloads(&bench, false));
    let text = |more: &[&str]| bench.ok(&[&["transcript", "--format", "text"], more].concat());
    let normal = text(&[]);
    assert!(normal.contains("Bash: ls") && !normal.contains("hook_event_name"), "{normal}");
    let full = text(&["--detail", "full"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(full.contains("hook_event_name: Notification"), "{full}");
    assert!(full.contains("message: waiting"), "{full}");
}

/// If this fails, a session that failed, as only its hooks report, passes and shows no error.
#[test]
fn failures_that_only_hooks_report() {
    let record = |agent: &str, payloads: &[(&str, Value)]| {
        let bench = Bench::new();
        for (event, more) in payloads {
            let mut payload = json!({"hook_event_name": event, "sessionId": "h", "session_id": "h",
                "conversation_id": "h", "cwd": "/w", "model": "m-1"});
            payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let words = ["hook", "--agent", agent, "--event", event];
            assert_eq!(bench.feed(&words, payload.to_string().as_bytes()).status, 0);
        }
        bench
    };
    let failed = |bench: &Bench, run: &str, text: &str| {
        assert!(bench.ok(&["show", run]).contains(text));
        let list = bench.json(&["list"]);
        assert!(list["runs"][0]["counts"]["errors"].as_u64().unwrap() > 0, "{list}");
        let expected = ["validate", run, "--expect-status", "completed,imported"];
        bench.call(&expected).status
    };
    let cursor = record(
        "cursor",
        &[
            ("beforeSubmitPrompt", json!({"prompt": "Sail"})),
            ("afterAgentResponse", json!({"text": "Sailing"})),
            ("stop", json!({"status": "error"})),
            ("sessionEnd", json!({"reason": "error", "error_message": "overloaded"})),
        ],
    );
    assert_eq!(failed(&cursor, "cursor-h", "overloaded"), 5);
    assert!(cursor.ok(&["show", "cursor-h"]).contains("Sailing"));
    assert!(cursor.ok(&["list"]).contains("m-1"));
    let codex = record(
        "codex",
        &[
            ("UserPromptSubmit", json!({"prompt": "Sail"})),
            ("StopFailure", json!({"error": "rate_limit", "error_details": "429 of the sea"})),
        ],
    );
    assert_eq!(failed(&codex, "codex-h", "429 of the sea"), 5);
}

/// If this fails, a call of which a hook saw only one state counts twice after the import of the
/// session's file.
#[test]
fn a_missed_hook_makes_no_second_call() {
    let file = [
        json!({"type": "session.start", "id": "1", "timestamp": "2026-01-01T00:00:00.000Z", "parentId": null,
            "data": {"sessionId": "cop", "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.77",
                "startTime": "2026-01-01T00:00:00.000Z", "context": {"cwd": "/x"}}}),
        json!({"type": "tool.execution_start", "id": "3", "timestamp": "2026-01-01T00:00:02.000Z", "parentId": "1",
            "data": {"toolCallId": "call-1", "toolName": "bash", "arguments": {"command": "ls"}}}),
        json!({"type": "tool.execution_complete", "id": "4", "timestamp": "2026-01-01T00:00:03.000Z", "parentId": "3",
            "data": {"toolCallId": "call-1", "success": true, "result": {"content": "ok"}}}),
    ];
    let whole: String = file.iter().map(|line| format!("{line}\n")).collect();
    let begun: String = file[..2].iter().map(|line| format!("{line}\n")).collect();
    let orders =
        ["pre,whole", "post,whole", "pre,post,whole", "begun,post,whole", "pre,begun,whole"];
    for order in orders {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        for step in order.split(',') {
            let payload = |more: &str| {
                format!(
                    r#"{{"sessionId":"cop","timestamp":1767225602000,"cwd":"/x","toolName":"bash","toolArgs":"{{\"command\":\"ls\"}}"{more}}}"#
                )
            };
            let hook = |event: &str, payload: String| {
                bench.feed(&["hook", "--agent", "copilot", "--event", event], payload.as_bytes());
            };
            let import = |text: &str| {
                fs::write(bench.path("s.jsonl"), text).unwrap();
                bench.ok(&["import", "s.jsonl"]);
            };
            match step {
                "pre" => hook("preToolUse", payload("")),
                "post" => hook(
                    "postToolUse",
                    payload(r#","toolResult":{"resultType":"success","textResultForLlm":"ok"}"#),
                ),
                "begun" => import(&begun),
                _ => import(&whole),
            }
        }
        let listed = bench.json(&["list"]);
        assert_eq!(listed["total"]["tool_calls"], 1, "{order}");
        let report = bench.ok(&["validate", "--all"]);
        assert!(!report.contains("RL202") && !report.contains("RL203"), "{order}: {report}");
    }
}

/// If this fails, a prompt of Codex with a picture is recorded by the hook and again by the import.
#[test]
fn a_prompt_of_codex_with_a_picture_is_one_prompt() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let id = "019b0000-0000-7000-8000-000000000003";
    let now = chrono::Utc::now().to_rfc3339();
    let of =
        |kind: &str, payload: Value| json!({"timestamp": now, "type": kind, "payload": payload});
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let picture = json!({"type": "input_image", "image_url": "data:image/png;base64,aGVsbG8="});
    let content =
        json!([text("look\n[twice]"), text("<image name=[Image #1]>"), picture, text("</image>")]);
    let lines = [
        of("session_meta", json!({"id": id, "cwd": "/x"})),
        of("response_item", json!({"type": "message", "role": "user", "content": content})),
    ];
    let payload = json!({"session_id": id, "transcript_path": "/nowhere", "cwd": "/x",
        "hook_event_name": "UserPromptSubmit", "prompt": "look\n[twice]"});
    bench.feed(&["hook", "--agent", "codex"], payload.to_string().as_bytes());
    fs::write(bench.path("rollout.jsonl"), jsonl(&lines)).unwrap();
    bench.ok(&["import", "rollout.jsonl"]);
    let listed = bench.json(&["list"]);
    assert_eq!(listed["total"]["prompts"], 1);
}

/// If this fails, a prompt with a picture is recorded by the hook, which gets the text only, and
/// again by the import; or another prompt is taken for it and gets lost.
#[test]
fn a_prompt_with_a_picture_is_one_prompt() {
    let bench = Bench::new();
    let now = chrono::Utc::now();
    let line = |id: &str, minutes: i64, content: Value| {
        let time = now - chrono::TimeDelta::minutes(minutes);
        json!({"type": "user", "sessionId": "s", "uuid": id, "timestamp": time.to_rfc3339(),
            "message": {"role": "user", "content": content}})
    };
    let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let lines = [
        // No hook saw this one.
        line("a", 30, json!([text("look"), picture])),
        line("b", 0, json!([text("look"), picture])),
        line("c", 0, json!("Sort these\n[3, 1, 2]")),
        line("d", 0, json!("Sort these")),
    ];
    for prompt in ["look", "Sort these"] {
        let payload = json!({"session_id": "s", "transcript_path": "/nowhere", "cwd": "/x",
            "hook_event_name": "UserPromptSubmit", "prompt": prompt});
        bench.feed(&["hook"], payload.to_string().as_bytes());
    }
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), jsonl(&lines)).unwrap();
    for _ in 0..2 {
        bench.ok(&["import", "s.jsonl"]);
        let listed = bench.json(&["list"]);
        assert_eq!(listed["total"]["prompts"], 4);
    }
}
