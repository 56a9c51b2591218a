//! `summarize --session`: conditions, the conversation, rounds, versions, failures, the digest.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Bench, Said};

/// A model that keeps its input and answers with a fixed text.
const KEEPS: &str = "cat > asked.txt; echo calls >> calls.txt; echo the summary";

fn summarize(bench: &Bench, more: &[&str]) -> Said {
    bench.call(&[&["summarize", "r", "--session"], more].concat())
}

/// The exit status with a model that always answers.
fn status(bench: &Bench, more: &[&str]) -> i32 {
    summarize(bench, &[&["--llm-cmd", KEEPS], more].concat()).status
}

/// The events of all versions.
fn versions(bench: &Bench) -> Vec<Value> {
    let mut lines = bench.lines();
    lines.retain(|line| line["type"] == "session.summarized");
    lines
}

fn prompt(bench: &Bench, more: &[&str]) -> String {
    bench.ok(&[&["summarize", "r", "--session", "--print-prompt"], more].concat())
}

/// The conversation in a prompt, one turn per line.
fn conversation(prompt: &str) -> Vec<&str> {
    let lines = prompt.lines().skip_while(|line| *line != "<conversation>").skip(1);
    lines.take_while(|line| *line != "</conversation>").collect()
}

/// Emits messages `m1`, `m2`, … by an assistant.
fn say(bench: &Bench, from: usize, to: usize) {
    for number in from..=to {
        let (id, text) = (format!("m{number}"), format!("text=said {number}"));
        bench.emit(&["message.assistant", "--event-id", &id, "--actor", "assistant", "-f", &text]);
    }
}

fn call(bench: &Bench, id: &str, text: &str) {
    let data = json!({"tool_name": "get_weather", "args": {"city": text}}).to_string();
    let start = format!("{id}-start");
    bench.emit(&[
        "tool.started",
        "--event-id",
        &start,
        "--correlation-id",
        id,
        "--actor",
        "assistant",
        "--data",
        &data,
    ]);
}

fn returns(bench: &Bench, id: &str, text: &str) {
    let data = json!({"tool_name": "get_weather", "result": text}).to_string();
    let end = format!("{id}-end");
    bench.emit(&["tool.completed", "--event-id", &end, "--correlation-id", id, "--data", &data]);
}

/// If this fails, a summary is made too early, too late, or of nothing.
#[test]
fn thresholds_of_events_are_strict() {
    let bench = Bench::with_run();
    say(&bench, 1, 5);
    assert_eq!(status(&bench, &["--if-events", "5"]), 1);
    say(&bench, 6, 10);
    assert_eq!(status(&bench, &["--if-events", "5"]), 0);
    assert_eq!(status(&bench, &[]), 1, "nothing is new");
    // Only events after the boundary count.
    say(&bench, 11, 12);
    let said = summarize(&bench, &["--llm-cmd", KEEPS, "--if-events", "2"]);
    assert_eq!(
        (said.status, said.err.as_str()),
        (1, "runlog: r: not due: 2 events; needed: more than 2 events\n")
    );
    assert_eq!(said.out, "");
    assert_eq!(status(&bench, &["--if-events", "1"]), 0);
    let versions = versions(&bench);
    assert_eq!(versions[0]["data"]["last_event_id"], "m10");
    assert_eq!(versions[1]["data"]["last_event_id"], "m12");
}

/// If this fails, the size of the messages does not count, or counts at the wrong rate.
#[test]
fn thresholds_of_tokens() {
    for (length, expected) in [(800, 0), (40, 1)] {
        let bench = Bench::with_run();
        let text = format!("text={}", "x".repeat(length));
        bench.emit(&["message.user", "-f", &text]);
        assert_eq!(status(&bench, &["--if-tokens", "100"]), expected, "{length}");
        assert_eq!(
            status(&bench, &["--if-tokens", "100", "--token-cmd", "echo 101", "--force"]),
            0
        );
    }
    let bench = Bench::with_run();
    say(&bench, 1, 1);
    let counted = ["--if-tokens", "100", "--token-cmd"];
    assert_eq!(status(&bench, &[&counted[..], &["echo 100"]].concat()), 1);
    assert_eq!(status(&bench, &[&counted[..], &["echo many"]].concat()), 69);
    assert_eq!(status(&bench, &[&counted[..], &["wc -c >&2; echo 101"]].concat()), 0);
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", &format!("text={}", "字".repeat(100))]);
    assert_eq!(status(&bench, &["--if-tokens", "60"]), 1);
    assert_eq!(status(&bench, &["--if-tokens", "70", "--chars-per-token", "1.5"]), 1);
    assert_eq!(status(&bench, &["--if-tokens", "60", "--chars-per-token", "1.5"]), 0);
    bench.emit(&["message.user", "-f", &format!("text={}", "字".repeat(100))]);
    assert_eq!(status(&bench, &["--if-tokens", "99", "--token-estimate", "scripts"]), 0);
}

/// If this fails, an active session is summarized, or an idle one is not.
#[test]
fn the_time_since_the_newest_event() {
    for (minutes, expected) in [(120, 0), (30, 1)] {
        let bench = Bench::with_run();
        let time = (chrono::Utc::now() - chrono::Duration::minutes(minutes)).to_rfc3339();
        bench.emit(&["note", "-f", "text=x", "--timestamp", &time]);
        assert_eq!(status(&bench, &["--if-idle", "1h"]), expected, "{minutes}");
    }
}

/// If this fails, the threshold does not follow the model's context window.
#[test]
fn the_context_window_of_the_model() {
    let bench = Bench::with_run();
    say(&bench, 1, 1);
    for (more, threshold) in [
        (vec!["--if-context", "0.5"], 4096),
        (vec!["--if-context", "--model", "no-such-model"], 4096),
        (vec!["--if-context", "0.5", "--context-window", "100"], 2000),
        (vec!["--if-context", "0.9", "--context-window", "131072"], 117_964),
        (vec!["--if-context", "1.0", "--model", "gpt-4o"], 128_000),
    ] {
        let said =
            summarize(&bench, &[&["--llm-cmd", KEEPS, "--format", "json"], &more[..]].concat());
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(said.status, 1);
        let check = json!({"check": "context", "value": 4, "threshold": threshold, "unit": "tokens", "met": false});
        assert_eq!(report["checks"], json!([check]), "{more:?}");
    }
    for ratio in ["0", "-0.1", "1.1", "x"] {
        assert_eq!(status(&bench, &[&format!("--if-context={ratio}")]), 2, "{ratio}");
    }
}

/// If this fails, conditions are combined in the wrong way.
#[test]
fn all_conditions_or_any() {
    let bench = Bench::with_run();
    assert_eq!(status(&bench, &[]), 1, "a run without a conversation");
    assert_eq!(status(&bench, &["--force"]), 1, "there is nothing to force");
    say(&bench, 1, 3);
    let both = ["--if-events", "2", "--if-tokens", "100"];
    assert_eq!(status(&bench, &both), 1);
    assert_eq!(status(&bench, &["--any"]), 1);
    assert_eq!(status(&bench, &[&both[..], &["--any"]].concat()), 0);
    // Forced without new events, the newest version is made again of the same events.
    assert_eq!(status(&bench, &["--force"]), 0);
    let versions = versions(&bench);
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[1]["data"]["last_event_id"], "m3");
    assert_eq!(versions[1]["data"]["first_sequence"], 1);
}

/// If this fails, recent events are summarized, or a call without its result.
#[test]
fn recent_events_and_open_calls_wait() {
    let bench = Bench::with_run();
    say(&bench, 1, 2);
    assert_eq!(status(&bench, &["--skip-recent", "5"]), 1);
    assert!(versions(&bench).is_empty());
    say(&bench, 3, 6);
    assert_eq!(conversation(&prompt(&bench, &["--skip-recent", "2"])).len(), 4);
    call(&bench, "c1", "Oslo");
    assert_eq!(conversation(&prompt(&bench, &[])).len(), 6);
    returns(&bench, "c1", "rain");
    assert_eq!(conversation(&prompt(&bench, &[])).len(), 8);
    assert_eq!(conversation(&prompt(&bench, &["--skip-recent", "1"])).len(), 6);
}

/// If this fails, a model reads the conversation in another form than documented.
#[test]
fn the_conversation_as_text() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "--actor", "user", "-f", "text=Wie {x}?"]);
    call(&bench, "c1", "Beijing");
    returns(&bench, "c1", "sunny");
    bench.emit(&[
        "tool.started",
        "--actor",
        "assistant",
        "-f",
        "tool_name=get_current_time",
        "--correlation-id",
        "c2",
    ]);
    let data = r#"{"tool_name":"get_current_time","error":"no clock","exit_code":3}"#;
    bench.emit(&["tool.failed", "--correlation-id", "c2", "--data", data]);
    let expected = [
        "user: Wie {x}?",
        r#"assistant: [Called tool: get_weather with args: {"city":"Beijing"}]"#,
        "tool: [get_weather returned: sunny]",
        "assistant: [Called tool: get_current_time]",
        "tool: [get_current_time failed: no clock (exit status 3)]",
    ];
    let said = prompt(&bench, &[]);
    assert_eq!(conversation(&said), expected);
    let short = prompt(&bench, &["--tool-args", "none", "--tool-results", "none"]);
    let short = conversation(&short);
    assert_eq!(
        short[1..3],
        ["assistant: [Called tool: get_weather]", "tool: [get_weather returned]"]
    );
    assert_eq!(short[4], expected[4], "a failure is never hidden");
    let cut = prompt(&bench, &["--tool-args", "3"]);
    assert!(cut.contains("15 characters of event 3 left out"), "{cut}");
    bench.emit(&["user", "-f", "content=x"]);
    let line = "{\"type\":\"message.assistant\",\"actor\":\"\",\"data\":{\"text\":\"who\"}}\n";
    if bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes()).status == 0 {
        assert!(prompt(&bench, &[]).contains("\nunknown: who\n"));
    }
}

/// If this fails, a large result that was moved out of the log is missing from the conversation, or
/// a secret is sent to a model.
#[test]
fn moved_values_and_secrets() {
    let bench = Bench::with_run();
    let long = format!("BEGIN{}END", "y".repeat(40_000));
    call(&bench, "c", "x");
    std::fs::write(bench.path("d.json"), json!({"tool_name": "t", "result": long}).to_string())
        .unwrap();
    bench.emit(&["tool.completed", "--correlation-id", "c", "--data", "@d.json"]);
    assert!(prompt(&bench, &["--context-window", "100k"]).contains(&long));
    let small = prompt(&bench, &[]);
    assert!(small.contains("characters of event 3 left out") && small.contains("BEGIN"));
    assert!(small.chars().count() / 4 <= 5735, "{}", small.len());
}

/// If this fails, a mistake in a prompt is found after a model was paid, or consumes events.
#[test]
fn bad_prompts_consume_nothing() {
    let bench = Bench::with_run();
    say(&bench, 1, 1);
    for (text, more, said) in [
        ("no place", vec![], "must have {conversation_text}"),
        ("{conversation_text}", vec!["--max-words", "9"], "must have {max_summary_words}"),
        ("{conversation_text} {topic}", vec![], "unknown placeholder {topic}"),
    ] {
        std::fs::write(bench.path("p.txt"), text).unwrap();
        let args = [&["--llm-cmd", KEEPS, "--prompt-file", "p.txt"], &more[..]].concat();
        let found = summarize(&bench, &args);
        assert_eq!(found.status, 65);
        assert!(found.err.contains(said), "{}", found.err);
    }
    std::fs::write(bench.path("p.txt"), "{conversation_text}").unwrap();
    std::fs::write(bench.path("s.txt"), "{conversation_text}").unwrap();
    let both = ["--prompt-file", "p.txt", "--system-prompt-file", "s.txt"];
    assert_eq!(status(&bench, &both), 65);
    assert_eq!(bench.lines().len(), 2);
    assert!(!bench.path("calls.txt").exists());
    std::fs::write(bench.path("s.txt"), "At most {max_summary_words} words.").unwrap();
    let said = prompt(&bench, &[&both[..], &["--max-words", "9"]].concat());
    assert_eq!(said, "At most 9 words.\n\n<conversation>\nassistant: said 1\n</conversation>");
}

/// If this fails, a round parts a call from its result, or conversation that did not fit is lost.
#[test]
fn rounds_are_complete() {
    let bench = Bench::with_run();
    std::fs::write(bench.path("p.txt"), "{conversation_text}").unwrap();
    let text = "w".repeat(380);
    bench.emit(&["message.user", "--event-id", "u", "-f", &format!("text={text}")]);
    call(&bench, "c1", &text);
    call(&bench, "c2", &text);
    returns(&bench, "c1", &text);
    returns(&bench, "c2", &text);
    let last = format!("text={text}");
    bench.emit(&["message.assistant", "--event-id", "a", "-f", &last]);
    // About 100 tokens per turn, and 0.7 of the window for the prompt.
    for (window, turns) in [("790", 5), ("850", 5), ("1000", 6)] {
        let said = prompt(&bench, &["--prompt-file", "p.txt", "--context-window", window]);
        assert_eq!(conversation(&said).len(), turns, "{window}");
    }
    let model = "cat >> asked.txt; echo calls >> calls.txt; echo summary $(wc -l < calls.txt)";
    let args = ["--llm-cmd", model, "--prompt-file", "p.txt", "--context-window", "800"];
    assert_eq!(summarize(&bench, &args).status, 0);
    let versions = versions(&bench);
    let data = |at: usize| &versions[at]["data"];
    assert_eq!(versions.len(), 2);
    assert_eq!(
        (&data(0)["last_event_id"], &data(0)["text"]),
        (&json!("c2-end"), &json!("summary 1"))
    );
    assert_eq!((&data(1)["last_event_id"], &data(1)["first_sequence"]), (&json!("a"), &json!(7)));
    assert_eq!(data(1)["previous_event_id"], versions[0]["event_id"]);
    let asked = std::fs::read_to_string(bench.path("asked.txt")).unwrap();
    assert!(asked.contains("<previous_summary>\nsummary 1\n</previous_summary>"), "{asked}");
    assert_eq!(asked.matches("user: ww").count(), 1);
}

/// If this fails, a version does not say what it covers, or a later one does not continue it.
#[test]
fn versions_are_kept() {
    let bench = Bench::with_run();
    say(&bench, 1, 2);
    let args = ["--llm-cmd", KEEPS, "--model", "gpt-4o", "--max-words", "50"];
    let said = summarize(&bench, &args);
    assert_eq!((said.status, said.out.as_str()), (0, "the summary\n"), "{}", said.err);
    let asked = std::fs::read_to_string(bench.path("asked.txt")).unwrap();
    let hash = runlog::internals::hash::line_hash(asked.as_bytes());
    let data = &versions(&bench)[0]["data"];
    let tokens = (asked.chars().count() / 4) as u64;
    assert_eq!(
        *data,
        json!({
            "text": "the summary", "filter_key": "", "first_sequence": 1, "last_event_id": "m2",
            "last_sequence": 3, "previous_event_id": null, "source": "llm", "command": KEEPS,
            "model": "gpt-4o", "prompt_hash": hash, "input_tokens": tokens, "output_tokens": 2,
            "words": 2
        })
    );
    assert!(asked.contains("Use at most 50 words."), "{asked}");
    say(&bench, 3, 3);
    assert_eq!(summarize(&bench, &["--llm-cmd", "cat > /dev/null; echo second"]).status, 0);
    let show = |more: &[&str]| summarize(&bench, &[&["--show"], more].concat());
    assert_eq!(show(&[]).out, "second\n");
    assert_eq!(show(&["--version", "1"]).out, "the summary\n");
    assert_eq!(show(&["--version", "3"]).status, 66);
    let document: Value = serde_json::from_str(&show(&["--format", "json"]).out).unwrap();
    assert_eq!((&document["version"], &document["data"]["text"]), (&json!(2), &json!("second")));
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    assert_eq!(bench.codes(), ["RL408", "RL503"]);
}

/// If this fails, a branch is summarized with events of others, or the wrong summary is shown.
#[test]
fn branches() {
    let bench = Bench::with_run();
    for branch in ["app/tool", "app/tool/search", "app/toolbox"] {
        bench.emit(&["note", "--branch", branch, "-f", &format!("text=in {branch}.")]);
    }
    let said = prompt(&bench, &["--branch", "app/tool"]);
    assert_eq!(conversation(&said), ["user: in app/tool.", "user: in app/tool/search."]);
    assert_eq!(summarize(&bench, &["--show", "--branch", "app/tool"]).status, 1);
    assert_eq!(summarize(&bench, &["--llm-cmd", "echo whole"]).status, 0);
    let other = summarize(&bench, &["--show", "--branch", "app/tool"]);
    assert_eq!(other.out, "whole\n");
    assert!(other.err.contains("this is that of the whole run"), "{}", other.err);
    assert_eq!(summarize(&bench, &["--llm-cmd", "echo part", "--branch", "app/tool"]).status, 0);
    assert_eq!(summarize(&bench, &["--show", "--branch", "app/tool"]).out, "part\n");
    assert_eq!(summarize(&bench, &["--show"]).out, "whole\n");
}

/// If this fails, a model that gives no summary consumes events, or is not asked again when a
/// smaller input may help.
#[test]
fn failing_models_consume_nothing() {
    let bench = Bench::with_run();
    say(&bench, 1, 6);
    for (model, calls, said) in [
        ("echo c >> n; exit 3", 1, "status 3"),
        ("echo c >> n; kill -9 $$", 1, "killed by signal 9"),
        ("echo c >> n; cat > /dev/null", 2, "an empty answer"),
        (
            "echo c >> n; echo 'maximum context length is 9' >&2; exit 1",
            2,
            "maximum context length",
        ),
        ("echo c >> n; sleep 30", 1, "no answer within 300ms"),
        ("no-such-model-command", 0, "was not found"),
    ] {
        let _ = std::fs::remove_file(bench.path("n"));
        let found = summarize(&bench, &["--llm-cmd", model, "--llm-timeout", "300ms"]);
        assert_eq!(found.status, 69, "{model}: {}", found.err);
        assert!(found.err.contains(said), "{model}: {}", found.err);
        let asked = std::fs::read_to_string(bench.path("n")).unwrap_or_default();
        assert_eq!(asked.lines().count(), calls, "{model}");
    }
    assert!(versions(&bench).is_empty());
    // The recorded failures are no conversation.
    assert_eq!(conversation(&prompt(&bench, &[])).len(), 6);
    // The second attempt has half of the input; the rest follows.
    let picky = "cat > in; [ $(wc -c < in) -lt 800 ] && echo fine $(grep -c said in) || exit 0";
    assert_eq!(summarize(&bench, &["--llm-cmd", picky]).status, 0);
    let last = versions(&bench).pop().unwrap();
    assert_eq!(last["data"]["last_event_id"], "m6");
}

/// If this fails, a killed or a second process records a version twice, or pays twice.
#[test]
fn two_processes_make_one_version() {
    let bench = Bench::with_run();
    say(&bench, 1, 2);
    let slow = "cat > /dev/null; echo c >> n; touch began; sleep 1; echo done";
    let start = || {
        let mut command = bench.command();
        command.args(["summarize", "r", "--session", "--llm-cmd", slow]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let mut killed = start();
    let begun = Instant::now();
    while !bench.path("began").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(10));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert!(versions(&bench).is_empty());
    std::fs::remove_file(bench.path("n")).unwrap();
    let mut both = [start(), start()];
    let mut ends: Vec<i32> =
        both.iter_mut().map(|one| one.wait().unwrap().code().unwrap()).collect();
    ends.sort_unstable();
    assert_eq!(ends, [0, 1]);
    assert_eq!(versions(&bench).len(), 1);
    assert_eq!(std::fs::read_to_string(bench.path("n")).unwrap(), "c\n");
}

/// If this fails, a hook has no effect, or its failure loses a summary or is not respected.
#[test]
fn hooks() {
    let bench = Bench::with_run();
    say(&bench, 1, 1);
    let upper = "tr a-z A-Z";
    assert!(prompt(&bench, &["--pre-hook", upper]).contains("ASSISTANT: SAID 1"));
    let abort = ["--llm-cmd", KEEPS, "--pre-hook", "exit 9", "--hook-abort"];
    let said = summarize(&bench, &abort);
    assert!(said.status == 69 && said.err.contains("--pre-hook: "), "{}", said.err);
    assert!(versions(&bench).is_empty());
    let args = ["--llm-cmd", KEEPS, "--pre-hook", "exit 9", "--post-hook", upper];
    let said = summarize(&bench, &args);
    assert_eq!((said.status, said.out.as_str()), (0, "THE SUMMARY\n"));
    assert!(said.err.contains("--pre-hook was skipped: the command exited with status 9"));
}

/// If this fails, a digest lacks a fact of the run, has one that no event states, or differs from
/// one call to the next.
#[test]
fn a_digest_without_a_model() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "--event-id", "u1", "-f", "text=Make the cache faster"]);
    let run = |id: &str, kind: &str, data: Value, more: &[&str]| {
        let data = data.to_string();
        bench.emit(&[&[kind, "--event-id", id, "--data", &data], more].concat());
    };
    let bash = json!({"tool_name": "bash", "args": {"command": "cargo test"}});
    run("t1", "tool.started", bash.clone(), &["--correlation-id", "c1"]);
    let failed = json!({"tool_name": "bash", "error": "2 tests failed", "exit_code": 101});
    run("t2", "tool.failed", failed, &["--correlation-id", "c1"]);
    run("f1", "file.written", json!({"path": "src/cache.rs"}), &[]);
    run("t3", "tool.started", bash, &["--correlation-id", "c2"]);
    let passed = json!({"tool_name": "bash", "result": "ok", "exit_code": 0});
    run("t4", "tool.completed", passed, &["--correlation-id", "c2"]);
    run("g1", "gate_result", json!({"gate_id": "review", "result": "approved"}), &[]);
    let text = "p99 fell from 120 ms to 45 ms. Next: measure on ARM.";
    run("a1", "message.assistant", json!({"text": text}), &[]);
    run(
        "t5",
        "tool.started",
        json!({"tool_name": "read", "args": {"path": "b.txt"}}),
        &["--correlation-id", "c3"],
    );
    let args = ["--extractive", "--force"];
    let said = summarize(&bench, &args);
    let expected = "\
## Tasks
- 1. Make the cache faster: in progress [u1]

## Last answer
- p99 fell from 120 ms to 45 ms. Next: measure on ARM. [a1]

## Next step
- Next: measure on ARM. [a1]

## Open calls
- read {\"path\":\"b.txt\"} [t5]

## Errors
- bash cargo test: exit status 101: 2 tests failed (the same call succeeded later) [t1, t2, t4]

## Decisions
- gate_result review: approved [g1]

## Commands
- `cargo test`: exit status 0: ok (2 runs, 1 failed) [t3, t4]

## Files
- src/cache.rs: written [f1]

## Numbers and paths
- p99 fell from 120 ms to 45 ms. [a1]
";
    assert_eq!(said.out, expected, "{}", said.err);
    assert_eq!(summarize(&bench, &args).out, expected);
    let stored = versions(&bench);
    assert_eq!((&stored[0]["data"]["source"], stored.len()), (&json!("extractive"), 2));
    for most in ["1", "12", "40"] {
        let short = summarize(&bench, &[&args[..], &["--max-words", most]].concat()).out;
        let words = short.split_whitespace().count();
        assert!((1..=most.parse().unwrap()).contains(&words), "{most}: {short}");
    }
}

/// If this fails, a model in the environment makes a digest impossible.
#[test]
fn a_digest_ignores_the_model_of_the_environment() {
    let bench = Bench::with_run();
    say(&bench, 1, 1);
    let mut command = bench.command();
    command.args(["summarize", "r", "--session", "--extractive"]);
    let output = command.env("RUNLOG_LLM_CMD", "echo model").output().unwrap();
    assert!(output.status.success());
    assert_eq!(versions(&bench)[0]["data"]["source"], "extractive");
}

/// If this fails, options that make no sense together are accepted.
#[test]
fn usage() {
    let bench = Bench::with_run();
    assert!(bench.fails(2, &["summarize", "r", "--session"]).contains("--llm-cmd or --extractive"));
    assert_eq!(bench.call(&["summarize", "r", "--if-events", "3"]).status, 2);
    assert_eq!(bench.call(&["summarize", "--all", "--session", "--extractive"]).status, 2);
    assert_eq!(bench.call(&["summarize", "nobody", "--session", "--extractive"]).status, 66);
}

/// If this fails, a digest repeats what the client or the harness wrote, as if it had been decided.
#[test]
fn a_digest_leaves_out_what_the_client_wrote() {
    let bench = Bench::new();
    bench.emit(&["run.created"]);
    bench.emit(&["message.user", "-f", "text=Fix /tmp/a.rs"]);
    bench.emit(&["message.system", "-f", "text=We decided to use /etc/client.conf, 42 lines"]);
    bench.emit(&["message.assistant", "-f", "text=We decided to use /tmp/b.rs, 17 lines"]);
    bench.emit(&["run.completed"]);
    let digest = bench.ok(&["summarize", "r", "--session", "--extractive"]);
    assert!(digest.contains("/tmp/b.rs") && !digest.contains("client.conf"), "{digest}");
}

/// If this fails, a summary that a model invented passes without a word, or a true one is doubted.
#[test]
fn what_a_summary_names_is_looked_up() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "--actor", "user", "-f", "text=Please keep the cache small."]);
    call(&bench, "c1", "Oslo");
    // The large value is in its own file.
    let large =
        format!("{}/srv/app/cache.rs holds 4711 entries{}", "x ".repeat(9000), " y".repeat(9000));
    returns(&bench, "c1", &large);
    let findings = |text: &str| {
        let model = format!("cat > /dev/null; printf '%s' '{text}'");
        summarize(&bench, &["--llm-cmd", &model, "--force"]);
        let said = bench.call(&["validate", "r", "--expect-status", "any", "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        let all = report["runs"][0]["findings"].as_array().unwrap().clone();
        let newest = versions(&bench).pop().unwrap()["event_id"].clone();
        let mut own = all;
        own.retain(|finding| finding["code"] == "RL605" && finding["event_id"] == newest);
        own.iter().map(|finding| finding["message"].to_string()).collect::<String>()
    };
    let kept = findings(
        "The user said \"keep the cache small\". `get_weather` was asked for Oslo; \
         /srv/app/cache.rs has 4,711 entries.",
    );
    assert_eq!(kept, "");
    let invented =
        findings("The user said \"make it as fast as possible\"; src/other.rs has 4712.");
    for claim in ["make it as fast as possible", "src/other.rs", "4712"] {
        assert!(invented.contains(claim), "{claim}: {invented}");
    }
    assert_eq!(findings("4711 in cache.rs"), "", "only the versions themselves are judged");
}

/// If this fails, a followed run has no summary after a finished task, a model that fails once ends
/// the work, or the command does not end with the run.
#[test]
fn a_followed_run_is_summarized_after_each_task() {
    let bench = Bench::with_run();
    let ask = |text: &str| {
        bench.emit(&["message.user", "--actor", "user", "-f", &format!("text={text}")]);
        bench.emit(&["response", "-f", "text=done"]);
    };
    // The first question gets no answer.
    let model = "cat > asked.txt; test -e once || { touch once; exit 3; }; echo the summary";
    let mut command = bench.command();
    command.args(["summarize", "r", "--session", "--llm-cmd", model, "--follow"]);
    let mut follower = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    ask("one");
    ask("two");
    let begun = Instant::now();
    while !bench.path("once").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    ask("three");
    while versions(&bench).is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let made = versions(&bench);
    assert_eq!(made.len(), 1, "the second task is finished");
    bench.emit(&["response", "-f", "text=more"]);
    bench.emit(&["run.completed"]);
    assert!(follower.wait().unwrap().success());
    let last = versions(&bench).pop().unwrap();
    assert_eq!(last["data"]["previous_event_id"], made[0]["event_id"]);
    bench.fails(2, &["summarize", "r", "--session", "--show", "--follow"]);
}

/// If this fails, a secret that reached the log reaches a model too.
#[test]
fn a_model_is_sent_no_secret() {
    let bench = Bench::with_run();
    let secret = format!("ghp_{}", "Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2");
    let text = format!("text=the token is {secret}");
    bench.emit(&["message.user", "--actor", "user", "--no-redact", "-f", &text]);
    assert!(bench.log().contains(&secret));
    assert_eq!(status(&bench, &[]), 0);
    let asked = std::fs::read_to_string(bench.path("asked.txt")).unwrap();
    assert!(asked.contains("the token is") && !asked.contains(&secret), "{asked}");
    // The conversation that a model sees is that of the prompt.
    assert!(!prompt(&bench, &["--force"]).contains(&secret));
}

/// If this fails, a summary of one branch hides another one, or events of the branches above are in
/// no summary.
#[test]
fn a_summary_stands_for_its_branches_only() {
    let bench = Bench::with_run();
    for branch in ["app", "app/tool", "app/other"] {
        let text = format!("text=lynx of {branch}");
        bench.emit(&["message.user", "--branch", branch, "-f", &text]);
    }
    let summarize = |scope: &[&str]| {
        let model = ["--session", "--llm-cmd", "cat >> prompts; echo it"];
        bench.call(&[&["summarize", "r"], &model[..], scope].concat())
    };
    assert_eq!(summarize(&["--branch", "app/tool"]).status, 0);
    let hidden = bench.ok(&["search", "lynx", "--run", "r", "--scope", "current-hidden"]);
    assert!(hidden.contains("1.  #3") && !hidden.contains("2.  #"), "{hidden}");
    assert_eq!(summarize(&["--allow-branch", "app/tool"]).status, 0);
    let prompts = std::fs::read_to_string(bench.path("prompts")).unwrap();
    assert!(prompts.contains("lynx of app\n"), "{prompts}");
    assert!(!prompts.contains("lynx of app/other"), "{prompts}");
    // Each scope shows its own version.
    let show = |scope: &[&str]| {
        let args = ["summarize", "r", "--session", "--show", "--format", "json"];
        bench.ok(&[&args[..], scope].concat())
    };
    assert!(show(&["--branch", "app/tool"]).contains("\"version\": 1"));
    assert!(show(&["--allow-branch", "app/tool"]).contains("\"version\": 2"));
}

/// If this fails, a reader of a digest does not learn that the user stopped the agent.
#[test]
fn who_stopped_a_task_is_told() {
    let bench = Bench::new();
    let lines = [
        r#"{"type":"run.created"}"#,
        r#"{"type":"message.user","data":{"text":"Delete the old logs"}}"#,
        r#"{"type":"message.assistant","data":{"text":"I begin."}}"#,
        r#"{"type":"user.interrupted"}"#,
        r#"{"type":"message.user","data":{"text":"List them instead"}}"#,
        r#"{"type":"user.interrupted"}"#,
        r#"{"type":"message.assistant","data":{"text":"There are three."}}"#,
    ];
    let lines = lines.join("\n") + "\n";
    let said = bench.feed(&["emit", "--stdin", "--create", "--run", "r"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let told = summarize(&bench, &["--extractive", "--force"]).out;
    assert!(told.contains("Delete the old logs: ended; interrupted by the user"), "{told}");
    assert!(told.contains("List them instead: in progress ["), "{told}");
}
