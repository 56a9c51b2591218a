//! The ten questions of `docs/queries`, asked of the program and of engines.

use std::io::Write as _;
use std::process::Command;

use serde_json::json;

use crate::export_tables::{event, nasty_run, record, run_of};
use crate::import_copied::{lines, write};
use crate::processes::in_two_forms;
use crate::stats::edited;
use crate::support::{Bench, fixture, root, said};

fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// If this fails, an engine answers a question in another way than the program: one of them is
/// wrong. RUNLOG_TEST_PYTHON names a Python with the package `duckdb`. PostgreSQL and Spark are
/// asked too where they are installed.
#[test]
fn engines_agree_with_the_program() {
    let Some(python) = std::env::var_os("RUNLOG_TEST_PYTHON") else {
        return skipped("set RUNLOG_TEST_PYTHON to a Python that has the package duckdb");
    };
    let probe = Command::new(&python).args(["-c", "import duckdb"]).output().unwrap();
    if !probe.status.success() {
        return skipped("the Python that RUNLOG_TEST_PYTHON names has no package duckdb");
    }
    let bench = Bench::new();
    edited(&bench, "tested", true);
    edited(&bench, "untested", false);
    run_of(&bench, "long", "2026-03-01", 40);
    nasty_run(&bench);
    hard_run(&bench);
    untimed_runs(&bench);
    totals_of_models(&bench);
    in_two_forms(&bench);
    calls_by_two_actors(&bench);
    agents_in_turn(&bench);
    write(&bench, "session.jsonl", std::str::from_utf8(&fixture("agent-session.jsonl")).unwrap());
    write(&bench, "first.jsonl", &lines("first", 0..4, true));
    write(&bench, "resumed.jsonl", &lines("resumed", 0..6, true));
    for session in ["session.jsonl", "first.jsonl", "resumed.jsonl", "rollout.jsonl"] {
        bench.ok(&["import", session]);
    }
    let mut engines = Command::new(&python);
    engines.arg("-B").arg(root().join("tests/engines.py")).arg(env!("CARGO_BIN_EXE_runlog"));
    engines.arg(bench.path("runs")).arg(bench.path("work"));
    let done = said(&engines.output().unwrap());
    let _ = std::io::stderr().write_all(done.out.as_bytes());
    assert_eq!(done.status, 0, "{}{}", done.out, done.err);
    assert_eq!(done.out.lines().last(), Some("all equal"));
}

/// Two runs of sources without times, which were read at the same time and use the same ids. Their
/// calls are different ones.
fn untimed_runs(bench: &Bench) {
    for run in ["untimed-1", "untimed-2"] {
        let imported = |mut data: serde_json::Value| {
            data["_runlog"] = json!({"dialect": "codex", "time_origin": "time_of_reading"});
            data
        };
        let usage =
            json!({"model": "m", "message_id": "msg_1", "input_tokens": 5, "output_tokens": 1});
        let events = [
            ("run.created", None, json!({})),
            ("tool.started", Some("item_1"), imported(json!({"tool_name": "bash"}))),
            ("tool.completed", Some("item_1"), imported(json!({"tool_name": "bash"}))),
            ("llm.usage", None, imported(usage)),
        ];
        let events = events.into_iter().enumerate();
        let events: Vec<_> =
            events.map(|(at, (kind, id, data))| event(kind, "2026-03-03", at, id, &data)).collect();
        record(bench, run, &events);
    }
}

/// A run in which an agent and its two sub-agents alternate, also after chapters were chosen. One of
/// them has no prompt of its own.
fn agents_in_turn(bench: &Bench) {
    let of = |agent: &str, dialect: &str, data: serde_json::Value| {
        let mut data = data;
        data["_runlog"] = json!({"dialect": dialect});
        if !agent.is_empty() {
            data["agent_id"] = agent.into();
        }
        data
    };
    let asks = |text: &str| json!({"text": text});
    let used =
        |id: &str| json!({"model": "m", "message_id": id, "input_tokens": 7, "output_tokens": 2});
    let claude = "claude-code";
    let events = [
        ("run.created", json!({})),
        ("llm.usage", of("y", claude, used("m0"))),
        ("message.user", of("", claude, asks("one"))),
        ("llm.usage", of("", claude, used("m1"))),
        ("message.user", of("x", claude, asks("sub"))),
        ("llm.usage", of("x", claude, used("m2"))),
        ("llm.usage", of("", claude, used("m3"))),
        ("llm.usage", of("y", claude, used("m4"))),
        ("message.user", of("", claude, asks("two"))),
        ("llm.usage", of("x", claude, used("m5"))),
        ("llm.usage", of("[redacted]", claude, used("m6"))),
        ("llm.usage", of("x", "agex", used("m7"))),
        ("task.started", json!({"task_name": "__chapter__"})),
        ("llm.usage", of("", claude, used("m9"))),
        ("task.succeeded", json!({"task_name": "__chapter__"})),
        ("llm.usage", of("", claude, used("m10"))),
        ("llm.usage", of("x", claude, used("m11"))),
        ("message.user", of("z", "agex", asks("three"))),
        ("llm.usage", of("", "agex", used("m8"))),
        ("task.started", json!({"task_name": "__chapter__"})),
        ("task.failed", json!({"task_name": "other"})),
        ("llm.usage", of("", claude, used("m12"))),
        ("task.cancelled", json!({})),
        ("llm.usage", of("", claude, used("m13"))),
        ("run.completed", json!({})),
    ];
    let events = events.into_iter().enumerate();
    let events: Vec<_> =
        events.map(|(at, (kind, data))| event(kind, "2026-03-06", at, None, &data)).collect();
    record(bench, "in-turn", &events);
    // An agent without a task of its own.
    let events = [
        ("run.created", json!({})),
        ("llm.usage", of("", claude, used("n0"))),
        ("message.user", of("x", claude, asks("sub"))),
        ("llm.usage", of("", claude, used("n1"))),
        ("llm.usage", of("x", claude, used("n2"))),
        ("llm.usage", of("y", claude, used("n3"))),
        ("run.completed", json!({})),
    ];
    let events = events.into_iter().enumerate();
    let events: Vec<_> =
        events.map(|(at, (kind, data))| event(kind, "2026-03-06", at, None, &data)).collect();
    record(bench, "only-subs", &events);
}

/// A run with calls without ids, which the agent starts and the tool ends.
fn calls_by_two_actors(bench: &Bench) {
    let call = |name: &str| json!({"name": name, "runId": "R"});
    let events = [
        ("run.created", json!({})),
        ("tool_call", call("a")),
        ("tool_call", call("a")),
        ("tool_result", call("a")),
        ("tool_call", call("b")),
        ("tool_result", call("a")),
        ("tool_result", call("c")),
        ("run.completed", json!({})),
    ];
    let events = events.into_iter().enumerate();
    let events: Vec<_> = events
        .map(|(at, (kind, data))| {
            let mut one = event(kind, "2026-03-05", at, None, &data);
            one["actor"] = if kind == "tool_call" { "agent" } else { "tool" }.into();
            one
        })
        .collect();
    record(bench, "two-actors", &events);
}

/// A run whose sessions report totals and their parts of models: newer ones in place of older ones, of
/// a model without calls, before a later call, without a cost, and parts that do not fit the calls.
fn totals_of_models(bench: &Bench) {
    let usage = |session: &str, model: Option<&str>, scope: &str, input: u64| {
        let mut data = json!({"_runlog": {"dialect": "claude-code"}, "input_tokens": input, "output_tokens": 1,
            "cache_read_tokens": 2});
        if let Some(model) = model {
            data["model"] = model.into();
        }
        if !scope.is_empty() {
            data["scope"] = scope.into();
        }
        if !scope.is_empty() && !session.starts_with("free") {
            data["cost_usd"] = (input as f64 / 1e3).into();
        }
        (session.to_owned(), data)
    };
    let (main, side) = (Some("claude-opus-4-5"), Some("claude-haiku-4-5"));
    let events = [
        usage("plain", main, "", 100),
        usage("plain", None, "total", 150),
        usage("plain", main, "model", 110),
        usage("plain", side, "model", 40),
        usage("plain", main, "", 70),
        usage("plain", None, "total", 245),
        usage("plain", main, "model", 200),
        usage("plain", side, "model", 45),
        usage("plain", main, "", 9),
        usage("plain", main, "calls", 8),
        usage("newer", main, "", 5),
        usage("newer", None, "total", 6),
        usage("newer", main, "model", 6),
        usage("newer", None, "total", 50),
        usage("unfit", main, "", 30),
        usage("unfit", None, "total", 75),
        usage("unfit", side, "model", 45),
        usage("nameless", None, "", 21),
        usage("nameless", None, "total", 22),
        usage("nameless", side, "model", 22),
        usage("free", main, "", 60),
        usage("free", None, "total", 80),
        usage("free", main, "model", 60),
        usage("free", side, "model", 20),
        usage("free-more", main, "", 60),
        usage("free-more", None, "total", 100),
        usage("free-more", main, "model", 100),
    ];
    let mut all = vec![event("run.created", "2026-03-04", 0, None, &json!({}))];
    for (at, (session, data)) in events.iter().enumerate() {
        let mut one = event("llm.usage", "2026-03-04", at + 1, None, data);
        one["session_id"] = session.as_str().into();
        all.push(one);
    }
    // A total that says which calls it has: those of another process are earlier, and come after it.
    let told = [
        (40, None, json!({"message_id": "told-1", "input_tokens": 30, "output_tokens": 1})),
        (41, None, json!({"message_id": "told-2", "input_tokens": 20, "output_tokens": 2})),
        (
            45,
            None,
            json!({"scope": "total", "input_tokens": 50, "output_tokens": 3,
            "cost_usd": 0.5, "last_message_id": "told-2"}),
        ),
        (46, main, json!({"scope": "model", "input_tokens": 50, "output_tokens": 3})),
        (42, None, json!({"message_id": "told-3", "input_tokens": 7, "output_tokens": 4})),
        (
            43,
            None,
            json!({"message_id": "told-4", "agent_id": "side", "input_tokens": 5,
            "output_tokens": 1}),
        ),
        (
            44,
            None,
            json!({"message_id": "told-5", "agent_id": "other", "input_tokens": 6,
            "output_tokens": 2, "not_in_total": true}),
        ),
    ];
    for (second, model, mut data) in told {
        data["_runlog"] = json!({"dialect": "claude-code"});
        data["model"] = model.or(main).filter(|_| data["scope"] != "total").into();
        let mut one = event("llm.usage", "2026-03-04", second, None, &data);
        one["session_id"] = "told".into();
        all.push(one);
    }
    all.push(event("run.completed", "2026-03-04", 60, None, &json!({})));
    record(bench, "totals", &all);
}

/// A run that SQL finds hard: calls without ids inside each other, two forms of one id, patches,
/// results with parts, a pull request, a total beside calls, and an error after an open call.
fn hard_run(bench: &Bench) {
    let day = "2026-03-02";
    let patch = "*** Begin Patch\n*** Add File: new.txt\n+a\n*** Update File: old.txt\n\
                 *** Move to: moved.txt\n@@\n-a\n+b\n*** Delete File: gone.txt\n*** End Patch";
    let unified =
        "--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\n--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+q\n";
    let bash =
        |command: serde_json::Value| json!({"tool_name": "bash", "args": {"command": command}});
    let opened = "Opened https://example.com/a/b/pull/17.\nDone";
    let parts =
        json!([{"type": "text", "text": "done"}, {"type": "image", "data": "aGVsbG8gd29ybGQh"}]);
    let changes =
        json!({"a/b.rs": {"type": "add", "content": "x"}, "c": {"update": {"move_path": "d"}}});
    let call = |kind: &str, data: serde_json::Value| (kind.to_owned(), None, data);
    let events = [
        call("run.created", json!({"metadata": {"agent": "helper", "cwd": "/home/ada/app"}})),
        call("tool.completed", json!({"tool_name": "bash"})),
        call("message.user", json!({"text": "Fix it"})),
        call("tool.started", bash(json!("gh pr create --fill"))),
        call("tool.started", bash(json!(["bash", "-lc", "cargo test --locked"]))),
        call("tool.failed", json!({"tool_name": "bash", "error": "bad", "exit_code": 101})),
        call("tool.completed", json!({"tool_name": "bash", "result": opened})),
        call("tool.started", json!({"tool_name": "apply_patch", "input": patch})),
        call("tool.completed", json!({"tool_name": "apply_patch"})),
        call("tool.started", json!({"tool_name": "patch", "args": {"patch": unified}})),
        call("tool.completed", json!({"tool_name": "patch", "result": parts})),
        call("tool.started", json!({"tool_name": "patch", "args": {"changes": changes}})),
        call("tool.completed", json!({"tool_name": "patch", "result": ["a", "b"]})),
        ("tool.started".to_owned(), Some("R/tc1"), bash(json!("FOO=1 uv run pytest -q | tail"))),
        (
            "tool.completed".to_owned(),
            Some("tc1"),
            json!({"tool_name": "bash", "result": ["a", 3]}),
        ),
        call("message.user", json!({"text": "Again"})),
        call("tool.started", json!({"tool_name": "grep", "runId": "x1", "args": {"pattern": "a"}})),
        call(
            "llm.usage",
            json!({"model": "anthropic/claude-opus-4.5", "input_tokens": 1200,
            "output_tokens": 33, "cache_read_tokens": 7}),
        ),
        call(
            "llm.usage",
            json!({"scope": "total", "model": "claude-opus-4-5",
            "input_tokens": 5000, "output_tokens": 100}),
        ),
        call("tool.started", bash(json!("pytest -q"))),
        call("tool.blocked", json!({"tool_name": "bash", "reason": "denied"})),
        call("file_changed", json!({"operation": "modified", "path": "src/e.rs"})),
        call("task.file", json!({"added": ["n.txt"], "modified": [], "removed": ["o.txt"]})),
        call("file.read", json!({"path": "src/e.rs"})),
        call("tool.started", bash(json!(format!("pytest {}", "x".repeat(20_000))))),
        call("tool.completed", json!({"tool_name": "bash", "result": "long ".repeat(9000)})),
        call(
            "tool.started",
            bash(json!(["bash", "-lc", format!("pytest {}", "x".repeat(20_000))])),
        ),
        call("tool.completed", json!({"tool_name": "bash", "result": "ok"})),
        call("domain_access", json!({"path": "src/e.rs"})),
        call(
            "tool.started",
            json!({"tool_name": "patch",
            "args": {"changes": [{"path": "/a/l.txt", "kind": "update"}, {"path": "m", "kind": "add"},
                {"path": "/a/n.txt", "old_text": "x", "new_text": "y"}, {"path": "o", "new_text": "z"}]}}),
        ),
        call(
            "tool.started",
            json!({"tool_name": "patch", "args": {"changes": [{"path": "p", "new_text": "z"}]}}),
        ),
        call("tool.completed", json!({"tool_name": "patch", "result": "ok"})),
        // One agent reports costs in messages, another one in usage too.
        call("response", json!({"agentId": "a1", "text": "done", "cost": 0.25})),
        call(
            "llm.usage",
            json!({"agentId": "a1", "model": "gpt-5", "input_tokens": 900, "output_tokens": 90}),
        ),
        call("response", json!({"agentId": "a2", "text": "done", "cost": 0.5})),
        call(
            "llm.usage",
            json!({"agentId": "a2", "model": "gpt-5", "input_tokens": 800, "output_tokens": 80,
            "cost_usd": 0.125}),
        ),
        call("error.raised", json!({"message": "broken", "runId": "x1"})),
        call("run.failed", json!({"reason": "broken"})),
    ];
    let events = events.iter().enumerate();
    let events: Vec<_> =
        events.map(|(at, (kind, id, data))| event(kind, day, at, *id, data)).collect();
    record(bench, "hard", &events);
}
