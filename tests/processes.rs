//! Outputs of several processes of one session, recorded in one run: each numbers its calls from the
//! start again, and tells the tokens of the whole session.

use std::fs;

use serde_json::{Value, json};

use crate::one_work::totals;
use crate::support::{Bench, jsonl};

const THREAD: &str = "0199a213-81c0-7800-8aa1-bbab2a035a53";

fn command(id: &str, command: &str, code: Option<u8>, output: &str) -> Value {
    let kind = if code.is_some() { "item.completed" } else { "item.started" };
    let status = match code {
        None => "in_progress",
        Some(0) => "completed",
        Some(_) => "failed",
    };
    json!({"type": kind, "item": {"id": id, "type": "command_execution", "command": command,
        "aggregated_output": output, "exit_code": code, "status": status}})
}

/// The output of a process of `codex exec --json`, with the tokens of the thread so far.
fn output(items: &[Value], tokens: [u64; 3]) -> Vec<Value> {
    let [input, cached, output] = tokens;
    let usage =
        json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": output});
    let begin =
        [json!({"type": "thread.started", "thread_id": THREAD}), json!({"type": "turn.started"})];
    let end = json!({"type": "turn.completed", "usage": usage});
    begin.into_iter().chain(items.to_vec()).chain([end]).collect()
}

/// The tests fail.
fn first() -> Vec<Value> {
    let items = [
        command("item_0", "make test", None, ""),
        command("item_0", "make test", Some(2), "1 failed"),
    ];
    output(&items, [1000, 400, 100])
}

/// The same command, which succeeds now, and another one.
fn second() -> Vec<Value> {
    let items = [
        command("item_0", "make test", None, ""),
        command("item_0", "make test", Some(0), "ok"),
        command("item_1", "git status", Some(0), "clean"),
    ];
    output(&items, [2500, 1400, 180])
}

/// Calls, failures, input, cached and output tokens of a run, and its calls without arguments.
fn numbers(bench: &Bench, run: &str) -> [u64; 6] {
    let list = bench.json(&["list"]);
    let run = list["runs"].as_array().unwrap().iter().find(|one| one["run_id"] == run).unwrap();
    let names =
        ["tool_calls", "tool_failures", "input_tokens", "cache_read_tokens", "output_tokens"];
    let [calls, failures, input, cached, output] =
        names.map(|name| run["counts"][name].as_u64().unwrap());
    let run = run["run_id"].as_str().unwrap();
    let log = fs::read_to_string(bench.path(&format!("runs/{run}/events.jsonl"))).unwrap();
    let starts = log.matches(r#""args":{"command":"#).count() as u64;
    [calls, failures, input, cached, output, calls - starts]
}

const BOTH: [u64; 6] = [3, 1, 1100, 1400, 180, 0];

/// If this fails, the second process's result replaces the first one's failure, a call is lost, or
/// the tokens of the first turn count twice.
#[test]
fn two_processes_in_one_run_by_emit() {
    let (first, second) = (first(), second());
    let all = [first.clone(), second.clone()].concat();
    let cut = &first[..4];
    let orders: [&[&[Value]]; 6] = [
        &[&first, &second, &first, &second],
        &[&second, &first],
        &[&all],
        &[cut, &second, &first],
        &[&second[..3], &second, &first],
        &[&first, &second[..3], &second],
    ];
    let bench = Bench::new();
    for (number, order) in orders.iter().enumerate() {
        let run = format!("run{number}");
        for part in *order {
            let emit = ["emit", "--stdin", "--from", "codex", "--create", "--run", run.as_str()];
            let said = bench.feed(&emit, jsonl(part).as_bytes());
            assert_eq!(said.status, 0, "{}", said.err);
        }
        assert_eq!(numbers(&bench, &run), BOTH, "order {number}");
    }
}

/// If this fails, processes whose lines do not have the same places, or two threads whose items have
/// the same ids, share calls; or the same output again adds something.
#[test]
fn processes_that_do_not_resemble_each_other() {
    let of = |thread: &str, mut lines: Vec<Value>| {
        lines[0]["thread_id"] = thread.into();
        lines
    };
    let thought = json!({"type": "item.completed",
        "item": {"id": "item_0", "type": "reasoning", "text": "Think."}});
    let later = [
        thought,
        command("item_1", "make test", None, ""),
        command("item_1", "make test", Some(0), "ok"),
        command("item_2", "git status", Some(0), "clean"),
    ];
    let (first, later) = (first(), output(&later, [2500, 1400, 180]));
    let other = of("0199a213-0000-7800-8aa1-bbab2a035a53", first.clone());
    let all = [first.clone(), other.clone(), later.clone()].concat();
    let streams = [first, later, other, all];
    // The other thread has one call, which failed, too.
    let expected = [4, 2, 1700, 1800, 280, 0];
    for order in [[0, 1, 2, 3], [2, 1, 0, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
        let bench = Bench::new();
        let emit = |at: usize| {
            let emit = ["emit", "--stdin", "--from", "codex", "--create", "--run", "r"];
            let said = bench.feed(&emit, jsonl(&streams[at]).as_bytes());
            assert_eq!(said.status, 0, "{}", said.err);
        };
        order.into_iter().for_each(&emit);
        assert_eq!(numbers(&bench, "r"), expected, "{order:?}");
        let log = fs::read(bench.path("runs/r/events.jsonl")).unwrap();
        order.into_iter().rev().for_each(&emit);
        assert_eq!(fs::read(bench.path("runs/r/events.jsonl")).unwrap(), log, "{order:?}");
    }
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    for lines in &streams[..3] {
        fs::write(bench.path("lines"), jsonl(lines)).unwrap();
        bench.ok(&["exec", "--run", "r", "--from", "codex", "--", "cat", "lines"]);
    }
    assert_eq!(numbers(&bench, "r"), [4 + 3, 2, 1700, 1800, 280, 3]);
}

/// If this fails, a second process whose output begins like the first one's loses these lines.
#[test]
fn two_processes_in_one_run_by_exec() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    for (name, lines) in [("first", first()), ("second", first()), ("third", second())] {
        fs::write(bench.path(name), jsonl(&lines)).unwrap();
        bench.ok(&["exec", "--run", "r", "--from", "codex", "--", "cat", name]);
    }
    // Each `cat` is a call, too. The second process tells no more tokens than the first.
    assert_eq!(numbers(&bench, "r"), [3 + 4, 2, 1100, 1400, 180, 3]);
    let again = bench
        .feed(&["emit", "--run", "r", "--stdin", "--from", "codex"], jsonl(&second()).as_bytes());
    assert_eq!(again.status, 0, "{}", again.err);
    assert_eq!(numbers(&bench, "r"), [3 + 4, 2, 1100, 1400, 180, 3]);
}

/// The session file of the thread: the same with a prompt, and with the tokens of each model call.
fn session_file(turns: usize) -> String {
    let line = |second: usize, kind: &str, payload: Value| json!({"timestamp": format!("2026-03-01T10:00:{second:02}.000Z"), "type": kind, "payload": payload});
    let mut lines = vec![line(0, "session_meta", json!({"id": THREAD, "cwd": "/w"}))];
    let totals = [[600, 200, 60], [1000, 400, 100], [1700, 900, 140], [2500, 1400, 180]];
    for turn in 0..turns {
        let at = 10 * turn;
        let prompt = json!({"type": "user_message", "message": format!("go {turn}")});
        lines.push(line(at + 1, "event_msg", prompt));
        let id = format!("call_{turn}");
        let arguments = json!({"command": ["make", "test"]}).to_string();
        let call = json!({"type": "function_call", "name": "shell", "arguments": arguments, "call_id": id});
        lines.push(line(at + 2, "response_item", call));
        let output = json!({"output": "x", "metadata": {"exit_code": 2 - 2 * turn}}).to_string();
        let output = json!({"type": "function_call_output", "call_id": id, "output": output});
        lines.push(line(at + 3, "response_item", output));
        for [input, cached, output] in &totals[2 * turn..2 * turn + 2] {
            let total = json!({"input_tokens": input, "cached_input_tokens": cached,
                "output_tokens": output, "total_tokens": input + output});
            let count = json!({"type": "token_count", "info": {"total_token_usage": total}});
            lines.push(line(at + 4, "event_msg", count));
        }
    }
    jsonl(&lines)
}

/// Two processes whose outputs `exec` records in runs of their own, and the session file.
pub(crate) fn in_two_forms(bench: &Bench) {
    let short = [command("item_0", "make test", Some(0), "ok")];
    for (run, lines) in [("live-1", first()), ("live-2", output(&short, [2500, 1400, 180]))] {
        fs::write(bench.path(run), jsonl(&lines)).unwrap();
        bench.ok(&["exec", "--run", run, "--run-new", "--from", "codex", "--", "cat", run]);
    }
    fs::write(bench.path("rollout.jsonl"), session_file(2)).unwrap();
}

/// If this fails, a session counts twice because the output of its processes and its file have no ids
/// in common; or a run with other work is left out.
#[test]
fn the_output_and_the_file_of_a_session() {
    // Two commands of the agent, and the two that `exec` ran.
    let all = [4, 1, 2, 1, 1100, 180];
    let bench = Bench::new();
    in_two_forms(&bench);
    // The file does not have the second turn yet.
    fs::write(bench.path("rollout.jsonl"), session_file(1)).unwrap();
    bench.ok(&["import", "rollout.jsonl"]);
    assert_eq!(totals(&bench)[4..], all[4..]);
    fs::write(bench.path("rollout.jsonl"), session_file(2)).unwrap();
    for _ in 0..2 {
        bench.ok(&["import", "rollout.jsonl"]);
        assert_eq!(totals(&bench), all);
    }
    assert_eq!(bench.call(&["validate", "--all", "--strict"]).status, 0);

    // The output is recorded after the file was imported.
    let bench = Bench::new();
    in_two_forms(&bench);
    fs::rename(bench.path("runs"), bench.path("later")).unwrap();
    bench.ok(&["import", "rollout.jsonl"]);
    for run in ["live-2", "live-1"] {
        fs::rename(bench.path(&format!("later/{run}")), bench.path(&format!("runs/{run}")))
            .unwrap();
    }
    assert_eq!(totals(&bench), all);
    bench.ok(&["exec", "--run", "live-1", "--", "true"]);
    assert_eq!(totals(&bench)[0], 5);

    // In one run, calls without common ids count twice, and a warning says so.
    for order in [["live-1", "rollout.jsonl"], ["rollout.jsonl", "live-1"]] {
        let bench = Bench::new();
        in_two_forms(&bench);
        let last = order.map(|file| {
            let run = ["import", file, "--run", "one", "--from", "codex"];
            bench.call(&run)
        });
        assert!(last[1].err.contains("their calls count twice"), "{}", last[1].err);
    }
}
