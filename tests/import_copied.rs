//! Sessions that repeat the history of others: every total counts it once.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// The lines of a session: a prompt, a call with its result, an answer, for each minute.
pub(crate) fn lines(session: &str, minutes: std::ops::Range<u32>, request: bool) -> String {
    let mut lines = String::new();
    for minute in minutes {
        let at = |second: u32| format!("2026-03-01T09:{minute:02}:{second:02}.000Z");
        let base = |kind: &str, second: u32, message: Value| {
            json!({"type": kind, "sessionId": session, "uuid": format!("{session}-{minute}-{second}"),
                   "timestamp": at(second), "cwd": "/tmp/p", "version": "2.0.0", "message": message})
        };
        let prompt = base("user", 1, json!({"role": "user", "content": format!("step {minute}")}));
        let mut answer = base(
            "assistant",
            2,
            json!({
            "role": "assistant", "id": format!("msg_{minute}"), "model": "m-1",
            "content": [{"type": "tool_use", "id": format!("call_{minute}"), "name": "Bash", "input": {"command": "ls"}}],
            "usage": {"input_tokens": 10, "output_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 1}}),
        );
        if request {
            answer["requestId"] = format!("req_{minute}").into();
        }
        let result = base(
            "user",
            3,
            json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("call_{minute}"), "content": "no", "is_error": true}]}),
        );
        for line in [prompt, answer, result] {
            lines.push_str(&format!("{line}\n"));
        }
    }
    lines
}

pub(crate) fn write(bench: &Bench, name: &str, text: &str) {
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path(name), text).unwrap();
}

/// If this fails, what a run repeats is left out although no other run of the list has it.
#[test]
fn copied_work_counts_where_the_original_is_not_listed() {
    let bench = Bench::new();
    write(&bench, "a.jsonl", &lines("a", 0..4, true));
    write(&bench, "b.jsonl", &lines("b", 0..6, true));
    write(&bench, "c.jsonl", &lines("c", 0..7, true));
    bench.ok(&["import", "a.jsonl", "b.jsonl", "c.jsonl"]);
    fs::remove_dir_all(bench.path("runs/claude-code-a")).unwrap();
    // What all three had is now counted in b, and not in c.
    let total = &bench.json(&["list"])["total"];
    assert_eq!((&total["prompts"], &total["input_tokens"]), (&json!(7), &json!(70)), "{total}");
}

/// If this fails, sessions whose ids are alike count as copies of one another.
#[test]
fn equal_ids_at_other_times_are_no_copies() {
    let bench = Bench::new();
    write(&bench, "a.jsonl", &lines("a", 0..4, false));
    let other = lines("b", 0..4, false).replace("2026-03-01T09", "2026-03-01T10");
    write(&bench, "b.jsonl", &other);
    bench.ok(&["import", "a.jsonl", "b.jsonl"]);
    let total = &bench.json(&["list"])["total"];
    assert_eq!((&total["tool_calls"], &total["input_tokens"]), (&json!(8), &json!(80)), "{total}");
    assert_eq!(total["copied"]["prompts"], 0);
    // At the same times, they are.
    write(&bench, "c.jsonl", &lines("c", 0..4, false));
    bench.ok(&["import", "c.jsonl"]);
    assert_eq!(bench.json(&["list"])["total"]["input_tokens"], 80);
}

/// The lines of a thread of Codex: at each time a payload, of the type of the line.
fn rollout(lines: &[(&str, &str, Value)]) -> String {
    let line = |(time, kind, payload): &(&str, &str, Value)| json!({"timestamp": format!("2026-03-01T{time}.000Z"), "type": kind, "payload": payload});
    jsonl(&lines.iter().map(line).collect::<Vec<_>>())
}

fn meta(id: &str, from: Option<&str>) -> Value {
    json!({"id": id, "cwd": "/sea", "forked_from_id": from})
}

fn asked(text: &str) -> Value {
    json!({"type": "user_message", "message": text})
}

fn used(total: u32, last: u32) -> Value {
    let counts = |input: u32| json!({"input_tokens": input, "output_tokens": input / 10});
    json!({"type": "token_count",
        "info": {"total_token_usage": counts(total), "last_token_usage": counts(last)}})
}

/// A prompt, a call that fails, and the tokens, all at one time.
fn history(time: &str) -> Vec<(&str, &str, Value)> {
    let called =
        json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"});
    let ended = json!({"type": "function_call_output", "call_id": "c1", "output": "Exit code: 1\nOutput:\n"});
    vec![
        (time, "event_msg", asked("first")),
        (time, "response_item", called),
        (time, "response_item", ended),
        (time, "event_msg", used(1000, 1000)),
    ]
}

/// Imports these files in that order, and returns the totals of `list` and of `stats`.
fn totals(files: &[(&str, String)], order: &[usize]) -> (Vec<u64>, Vec<u64>) {
    let bench = Bench::new();
    for at in order {
        let (name, text) = &files[*at];
        write(&bench, &format!("{name}.jsonl"), text);
        bench.ok(&["import", &format!("{name}.jsonl")]);
    }
    assert_eq!(bench.call(&["validate", "--all", "--strict"]).status, 0);
    let stats = bench.json(&["stats", "--by", "agent"]);
    let figures = |of: &Value, names: &[&str]| {
        names.iter().map(|name| of[name].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let of_list = ["prompts", "tool_calls", "tool_failures", "input_tokens", "output_tokens"];
    let of_stats = ["model_calls", "calls", "failures", "input_tokens", "output_tokens"];
    let found =
        (figures(&bench.json(&["list"])["total"], &of_list), figures(&stats["total"], &of_stats));
    // The same files in one import.
    let together = Bench::new();
    let names: Vec<String> = order.iter().map(|at| format!("{}.jsonl", files[*at].0)).collect();
    for at in order {
        write(&together, &format!("{}.jsonl", files[*at].0), &files[*at].1);
    }
    let names = names.iter().map(String::as_str);
    together.ok(&["import"].into_iter().chain(names).collect::<Vec<_>>());
    assert_eq!(figures(&together.json(&["list"])["total"], &of_list), found.0, "{order:?}");
    found
}

/// If this fails, a copy or a new recording of a run makes `list` and `stats` disagree, or count
/// its work twice or never.
#[test]
fn runs_that_are_recorded_again() {
    let thread = |id: &'static str, from: Option<&str>| {
        let begun = if from.is_some() { "10:01:00" } else { "10:00:00" };
        let mut lines = vec![(begun, "session_meta", meta(id, from))];
        if from.is_some() {
            lines.push((begun, "session_meta", meta("a", None)));
        }
        lines.extend(history(begun));
        if from.is_some() {
            lines.push(("10:05:00", "event_msg", asked("go on")));
            lines.push(("10:05:05", "event_msg", used(1300, 300)));
        }
        rollout(&lines)
    };
    let total = |bench: &Bench| {
        let stats = bench.json(&["stats", "--by", "agent"]);
        let (list, stats) = (&bench.json(&["list"])["total"], &stats["total"]);
        let pair = |list_name: &str, stats_name: &str| {
            assert_eq!(list[list_name], stats[stats_name], "{list_name}");
            list[list_name].as_u64().unwrap()
        };
        (pair("tool_calls", "calls"), pair("input_tokens", "input_tokens"))
    };
    let bench = Bench::new();
    write(&bench, "a.jsonl", &thread("a", None));
    write(&bench, "b.jsonl", &thread("b", Some("a")));
    bench.ok(&["import", "a.jsonl"]);
    // A renamed run is imported again; a directory is copied.
    fs::rename(bench.path("runs/codex-a"), bench.path("runs/old")).unwrap();
    bench.ok(&["import", "a.jsonl"]);
    assert_eq!(total(&bench), (1, 1000));
    fs::remove_dir_all(bench.path("runs/old")).unwrap();
    assert_eq!(total(&bench), (1, 1000));
    // A copied directory of a run that shares its history.
    bench.ok(&["import", "b.jsonl"]);
    for (run, copy) in [("codex-a", "zz"), ("codex-b", "aa")] {
        fs::create_dir(bench.path(&format!("runs/{copy}"))).unwrap();
        for file in ["events.jsonl", "run.json"] {
            let from = bench.path(&format!("runs/{run}/{file}"));
            fs::copy(from, bench.path(&format!("runs/{copy}/{file}"))).unwrap();
        }
        assert_eq!(total(&bench), (1, 1300), "{copy}");
    }
    // One that has less.
    let more = r#"{"input_tokens":5,"output_tokens":1}"#;
    bench.ok(&["emit", "llm.usage", "--run", "codex-b", "--data", more]);
    assert_eq!(total(&bench), (1, 1305));
}

/// If this fails, the work that a forked session of Codex repeats counts twice, because a fork has
/// times of its own for the history that it copies; or the work of two forks counts once.
#[test]
fn a_fork_of_codex_counts_its_history_once() {
    let first = [
        vec![("10:00:00", "session_meta", meta("a", None))],
        history("10:00:01"),
        // It goes on after the fork, as the fork does.
        vec![("10:05:00", "event_msg", asked("go on")), ("10:05:05", "event_msg", used(1300, 300))],
    ];
    let fork = |id: &'static str, times: [&'static str; 3]| {
        [
            vec![
                (times[0], "session_meta", meta(id, Some("a"))),
                (times[0], "session_meta", meta("a", None)),
            ],
            history(times[0]),
            vec![(times[1], "event_msg", asked("go on")), (times[2], "event_msg", used(1300, 300))],
        ]
    };
    let second = fork("b", ["10:01:00", "10:01:01", "10:01:05"]);
    let third = fork("c", ["10:02:00", "10:02:01", "10:02:05"]);
    let files = [("a", first.concat()), ("b", second.concat()), ("c", third.concat())];
    let files = files.map(|(name, lines)| (name, rollout(&lines)));
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let (list, stats) = totals(&files, &order);
        assert_eq!(list, [4, 1, 1, 1900, 190], "{order:?}");
        assert_eq!(stats, [4, 1, 1, 1900, 190], "{order:?}");
    }
    // A fork of a fork.
    let fourth = [
        vec![
            ("10:03:00", "session_meta", meta("d", Some("b"))),
            ("10:03:00", "session_meta", meta("b", Some("a"))),
            ("10:03:00", "session_meta", meta("a", None)),
        ],
        history("10:03:00"),
        vec![("10:03:09", "event_msg", asked("last")), ("10:03:10", "event_msg", used(1050, 50))],
    ];
    let files = [files[0].clone(), files[1].clone(), ("d", rollout(&fourth.concat()))];
    assert_eq!(totals(&files, &[0, 1, 2]).1, [4, 1, 1, 1650, 165]);
}

/// If this fails, the work of a sub-agent of Codex whose file is imported with that of its parent is
/// the parent's, or calls of two sub-agents are taken for one.
#[test]
fn sub_agents_of_codex_in_files_of_their_own() {
    let agent = |id: &str| {
        json!({"id": id, "session_id": "a", "forked_from_id": "a", "cwd": "/sea",
            "source": {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}})
    };
    let of_agent = |id: &str, begins: &'static str, works: &'static str| {
        let lines = [
            vec![(begins, "session_meta", agent(id)), (begins, "session_meta", meta("a", None))],
            history(begins),
            vec![(works, "event_msg", used(1500, 500))],
        ];
        rollout(&lines.concat())
    };
    let parent = rollout(
        &[vec![("10:00:00", "session_meta", meta("a", None))], history("10:00:01")].concat(),
    );
    let files = [
        ("logs/1.jsonl", parent),
        ("logs/2.jsonl", of_agent("k1", "10:01:00", "10:01:09")),
        ("logs/3.jsonl", of_agent("k2", "10:01:30", "10:01:39")),
    ];
    for together in [true, false] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("logs")).unwrap();
        for (name, text) in &files {
            write(&bench, name, text);
            if !together {
                bench.ok(&["import", name]);
            }
        }
        if together {
            bench.ok(&["import", "logs"]);
        }
        let all = bench.json(&["list"]);
        let counts = &all["runs"][0]["counts"];
        assert_eq!(all["runs"].as_array().unwrap().len(), 1);
        assert_eq!(
            (&counts["prompts"], &counts["tool_calls"]),
            (&json!(1), &json!(1)),
            "{together}"
        );
        assert_eq!(counts["input_tokens"], 2000, "{together}");
    }
}

/// The failed run of a session of Codex, and the beginning of it that looks like a success.
fn failed_session() -> (String, String) {
    let lines = [
        json!({"type": "thread.started", "thread_id": "t"}),
        json!({"type": "turn.started"}),
        json!({"type": "turn.completed", "usage": {"input_tokens": 1, "output_tokens": 1}}),
        json!({"type": "turn.started"}),
        json!({"type": "turn.failed", "error": {"message": "boom"}}),
    ];
    (jsonl(&lines), jsonl(&lines[..3]))
}

/// If this fails, an older copy of a session in the same folder makes a failed run green, or each
/// copy counts again.
#[test]
fn several_files_of_one_session() {
    let (whole, part) = failed_session();
    for names in [["a", "b"], ["b", "a"]] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("s")).unwrap();
        write(&bench, &format!("s/{}.jsonl", names[0]), &whole);
        write(&bench, &format!("s/{}.jsonl", names[1]), &part);
        let told = bench.json(&["import", "s"]);
        assert_eq!(told["runs"].as_array().unwrap().len(), 1, "{told}");
        let reason = told["skipped"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("repeats the beginning of"), "{told}");
        assert_eq!(bench.call(&["validate", "codex-t", "--expect-status", "completed"]).status, 5);
    }
    // Copies that differ are recorded one after the other.
    let copy = lines("s", 0..3, false);
    let without = copy.lines().enumerate().filter(|(at, _)| *at != 1);
    let without: String = without.map(|(_, line)| format!("{line}\n")).collect();
    let counts = |files: &[&str]| {
        let bench = Bench::new();
        for (at, text) in files.iter().enumerate() {
            fs::create_dir_all(bench.path(&format!("s/{at}"))).unwrap();
            write(&bench, &format!("s/{at}/s.jsonl"), text);
        }
        bench.ok(&["import", "s"]);
        bench.json(&["list"])["total"].clone()
    };
    let once = counts(&[&copy]);
    assert_eq!(counts(&[&copy, &copy]), once);
    assert_eq!(counts(&[&copy, &without]), once);
    assert_eq!(counts(&[&without, &copy]), once);
}

/// If this fails, a file with nothing of a session makes a run that passes the gate, or a run under
/// the name of the file beside that of the session.
#[test]
fn no_run_without_a_session() {
    let bench = Bench::new();
    write(&bench, "text.jsonl", "some text\nmore text\n");
    bench.fails(65, &["import", "--from", "claude-code", "text.jsonl"]);
    let all = format!(
        "{}\n{}",
        json!({"type": "file-history-snapshot", "messageId": "m", "snapshot": {"timestamp": "2026-03-01T09:00:00Z"}}),
        lines("s", 0..2, false)
    );
    let first = all.lines().next().unwrap().len() + 1;
    for cut in [first / 2, first, first + 10] {
        write(&bench, "part.jsonl", &all[..cut]);
        bench.fails(65, &["import", "part.jsonl"]);
    }
    assert_eq!(fs::read_dir(bench.path("runs")).unwrap().count(), 0);
    write(&bench, "part.jsonl", &all);
    bench.ok(&["import", "part.jsonl"]);
    let runs: Vec<_> = fs::read_dir(bench.path("runs")).unwrap().collect();
    assert_eq!(runs.len(), 1);
}

/// If this fails, two imports at the same moment end a run twice.
#[test]
fn two_imports_at_once_end_a_run_once() {
    let (whole, _) = failed_session();
    let bench = Bench::new();
    write(&bench, "s.jsonl", &whole);
    for _ in 0..10 {
        let start = || {
            bench
                .command()
                .args(["import", "s.jsonl", "--format", "json"])
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        };
        let both = [start(), start(), start()];
        both.into_iter().for_each(|mut child| assert!(child.wait().unwrap().success()));
        let log = fs::read_to_string(bench.path("runs/codex-t/events.jsonl")).unwrap();
        assert_eq!(log.matches(r#""type":"run.failed""#).count(), 1, "{log}");
        fs::remove_dir_all(bench.path("runs/codex-t")).unwrap();
    }
}

/// If this fails, a session that begins with a large picture is taken for a file without a session.
#[test]
fn a_session_whose_first_line_is_long() {
    let bench = Bench::new();
    let first = json!({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}});
    let picture = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A".repeat(400_000)}});
    let prompt = json!({"type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-03-01T09:00:00Z",
        "message": {"role": "user", "content": [picture, {"type": "text", "text": "what is wrong?"}]}});
    write(&bench, "s.jsonl", &jsonl(&[first, prompt]));
    bench.ok(&["import", "s.jsonl"]);
    assert_eq!(bench.json(&["list"])["total"]["prompts"], 1);
}

/// If this fails, two copies of a session that is a folder of events count its tokens again.
#[test]
fn copies_of_a_folder_of_events() {
    let bench = Bench::new();
    let event = |at: u32| {
        json!({"id": format!("e{at}"), "timestamp": format!("2026-03-01T09:00:{at:02}"), "source": "agent",
            "kind": "MessageEvent", "llm_message": {"role": "assistant", "content": [{"type": "text", "text": "step"}]}})
    };
    for (folder, count) in [("p", 3), ("q", 6)] {
        fs::create_dir_all(bench.path(&format!("{folder}/one/events"))).unwrap();
        for at in 0..count {
            write(
                &bench,
                &format!("{folder}/one/events/event-{at:05}-e{at}.json"),
                &event(at).to_string(),
            );
        }
    }
    bench.ok(&["import", "p", "q"]);
    let both = bench.json(&["list"])["runs"][0]["counts"].clone();
    fs::remove_dir_all(bench.path("runs")).unwrap();
    fs::create_dir_all(bench.path("runs")).unwrap();
    bench.ok(&["import", "q"]);
    assert_eq!(both, bench.json(&["list"])["runs"][0]["counts"]);
}

/// If this fails, a run that was started again after its import can never end, or a run that is
/// running ends because another one was imported.
#[test]
fn runs_that_are_started_again() {
    let bench = Bench::new();
    write(&bench, "a.jsonl", &lines("a", 0..2, false));
    write(&bench, "b.jsonl", &lines("b", 0..4, false));
    bench.ok(&["import", "a.jsonl", "b.jsonl"]);
    let status = |run: &str| {
        let all = bench.json(&["list"]);
        let runs = all["runs"].as_array().unwrap().clone();
        runs.into_iter().find(|one| one["run_id"] == run).unwrap()["status"].clone()
    };
    for run in ["claude-code-a", "claude-code-b"] {
        bench.ok(&["emit", "run.started", "--run", run]);
    }
    write(&bench, "a.jsonl", &lines("a", 0..3, false));
    bench.ok(&["import", "a.jsonl"]);
    assert_eq!([status("claude-code-a"), status("claude-code-b")], ["imported", "running"]);
    bench.ok(&["import", "b.jsonl"]);
    assert_eq!(status("claude-code-b"), "imported");
}
