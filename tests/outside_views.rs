//! What a report, a stream or a view must not hide: found by readers from outside.

use serde_json::{Value, json};

use crate::support::Bench;

/// If this fails, a JUnit report is green although the verdict is not.
#[test]
fn junit_fails_with_the_verdict() {
    let bench = Bench::created(&["-F", r#"deliverables.required=["report.md"]"#]);
    let report = bench.path("runs/r/deliverables/report.md");
    std::fs::create_dir_all(report.parent().unwrap()).unwrap();
    let junit = |status: i32| {
        bench.fails(status, &["validate", "r", "--report", "junit=a.xml"]);
        std::fs::read_to_string(bench.path("a.xml")).unwrap()
    };
    bench.emit(&["run.completed"]);
    let missing = junit(3);
    assert!(missing.contains("RL803") && missing.contains("write the file"), "{missing}");
    std::fs::write(&report, "x").unwrap();
    bench.ok(&["validate", "r", "--record"]);
    std::fs::write(&report, "other").unwrap();
    let changed = junit(1);
    assert!(changed.contains("RL806") && !changed.contains(r#"failures="0""#), "{changed}");
}

/// If this fails, a made-up summary passes for that of a template.
#[test]
fn a_forged_template_summary_is_found() {
    let forged = |kind: &str, summary: &str| {
        let bench = Bench::with_run();
        bench.emit(&[
            kind,
            "--event-id",
            "forged",
            "-f",
            "agentId=a",
            "-f",
            "operation=modified",
            "-f",
            "path=p",
            "-f",
            "text=x",
        ]);
        let own = bench.lines().last().unwrap()["summary"].as_str().map(str::to_owned);
        let summary = if summary.is_empty() { own.unwrap() } else { summary.to_owned() };
        bench.emit(&[
            "summary.backfilled",
            "-f",
            "target_event_id=forged",
            "-f",
            "source=template",
            "-f",
            &format!("summary={summary}"),
        ]);
        bench.emit(&["run.completed"]);
        bench.codes().contains(&"RL601".to_owned())
    };
    assert!(forged("file_changed", "a deleted /etc/passwd"));
    assert!(forged("message.assistant", "a said nothing"));
    assert!(!forged("file_changed", ""));
}

/// If this fails, a stream that creates a run is recorded in another one.
#[test]
fn a_stream_belongs_to_the_run_that_it_creates() {
    let bench = Bench::new();
    let stream = "{\"type\":\"run.created\",\"run_id\":\"strm\",\"data\":{}}\n\
                  {\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n";
    let said = bench.feed(&["emit", "--stdin", "--run", "k"], stream.as_bytes());
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("the stream creates the run strm"), "{}", said.err);
    assert!(!bench.path("runs").exists());
    let said = bench.feed(&["emit", "--stdin"], stream.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(crate::support::json_lines(&bench.path("runs/strm/events.jsonl")).len(), 2);
}

/// If this fails, the end of a long result is shown nowhere.
#[test]
fn the_end_of_a_moved_out_value_is_shown() {
    let bench = Bench::with_run();
    let text: String = (0..4000).map(|line| format!("{line}\n")).collect();
    let text = format!("{text}LAST-WORDS");
    let feed = |event: Value| {
        let said = bench.feed(&["emit", "--stdin", "--run", "r"], format!("{event}\n").as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
    };
    feed(json!({"type": "tool.started", "correlation_id": "c",
        "data": {"tool_name": "bash", "args": {"command": "make"}}}));
    feed(json!({"type": "tool.completed", "correlation_id": "c",
        "data": {"tool_name": "bash", "result": text}}));
    feed(json!({"type": "message.assistant", "data": {"text": text}}));
    bench.emit(&["run.completed"]);
    for view in [
        &["show", "r"][..],
        &["show", "r", "--folded"],
        &["transcript", "r", "-o", "-"],
        &["transcript", "r", "-o", "-", "--format", "text", "--detail", "full"],
        &["transcript", "r", "-o", "-", "--format", "html"],
    ] {
        let shown = bench.ok(view);
        assert!(shown.matches("LAST-WORDS").count() >= 2, "{view:?}");
    }
    let shown = bench.ok(&["show", "r"]);
    let told = shown.lines().find(|line| line.contains("characters of event 3 left out"));
    let told = told.unwrap().trim().split(' ').nth(1).unwrap().replace(',', "");
    assert!(told.parse::<usize>().unwrap() > 15_000, "{told}");
}

/// If this fails, a prompt that was rendered is in no transcript.
#[test]
fn every_rendered_prompt_is_shown() {
    let bench = Bench::with_run();
    for prompt in ["FIRST", "SECOND", "THIRD"] {
        bench.emit(&["prompt.rendered", "-f", &format!("prompt={prompt}")]);
    }
    let shows_all = || {
        for format in ["markdown", "text", "html", "json"] {
            let args = ["transcript", "r", "-o", "-", "--format", format, "--detail", "full"];
            let shown = bench.ok(&args);
            for prompt in ["FIRST", "SECOND", "THIRD"] {
                assert!(shown.contains(prompt), "{format}: {prompt}\n{shown}");
            }
        }
    };
    shows_all();
    std::fs::write(bench.path("runs/r/prompt.md"), "The prompt").unwrap();
    std::fs::write(bench.path("runs/r/effective-system-prompt.md"), "The role").unwrap();
    shows_all();
}

/// If this fails, a token behind a long word is recorded.
#[test]
fn a_secret_behind_a_long_word_is_removed() {
    let bench = Bench::with_run();
    let (token, key) = ("ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "AKIAQ3XYZ7LMN2PRS5TU");
    for lead in ["z".repeat(32), "z".repeat(300), "0123456789abcdef".repeat(4)] {
        for secret in [token, key] {
            bench.emit(&["note", "-f", &format!("text={lead}{secret}")]);
        }
    }
    let log = bench.log();
    assert!(!log.contains("ghp_aB3") && !log.contains("AKIAQ3"), "{log}");
}

/// If this fails, a run whose log cannot be read is listed as a good one.
#[test]
fn an_unsafe_log_is_not_listed() {
    let bench = Bench::with_run();
    std::fs::create_dir_all(bench.path("runs/evil")).unwrap();
    std::os::unix::fs::symlink(bench.log_path(), bench.path("runs/evil/events.jsonl")).unwrap();
    let said = bench.call(&["list", "--format", "json"]);
    assert_eq!(said.status, 77, "{}", said.err);
    let list: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(list["total"]["runs"], 1, "{list}");
}

/// If this fails, a model call counts in two tasks because a repeated line of it comes later.
#[test]
fn a_model_call_counts_in_one_task() {
    let bench = Bench::with_run();
    let usage = |output: &str, id: &str| {
        bench.emit(&[
            "llm.usage",
            "-F",
            "input_tokens=10",
            "-F",
            &format!("output_tokens={output}"),
            "-f",
            &format!("message_id={id}"),
        ]);
    };
    bench.emit(&["message.user", "-f", "text=one"]);
    usage("1", "m1");
    bench.emit(&["message.user", "-f", "text=two"]);
    usage("3", "m1");
    usage("5", "m2");
    let index: Value =
        serde_json::from_str(&bench.ok(&["chapter", "index", "r", "--format", "json"])).unwrap();
    let text = index.to_string();
    assert_eq!(text.matches("\"output_tokens\":8").count(), 1, "{text}");
    assert_eq!(text.matches("\"output_tokens\":1").count(), 0, "{text}");
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

/// If this fails, a clean copy of a run that rejected lines can never be valid.
#[test]
fn a_copy_does_not_claim_records_that_it_lacks() {
    let bench = Bench::with_run();
    bench.feed(&["emit", "--run", "r", "--stdin"], b"no event\n");
    bench.append_raw(b"{\"torn");
    bench.emit(&["note", "-f", "text=x"]);
    bench.emit(&["run.completed"]);
    assert!(bench.log().contains("log.recovered") && bench.log().contains("stream.rejected"));
    bench.ok(&["validate", "r"]);
    let copy = bench.ok(&["show", "r", "--full", "--format", "jsonl"]);
    let feed = ["emit", "--create", "--run", "copy", "--stdin", "--from", "runlog"];
    let said = bench.feed(&feed, copy.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.ok(&["validate", "copy"]);
}

/// If this fails, the summary of a failed call prints values in another way than templates do.
#[test]
fn failures_are_printed_like_other_values() {
    let bench = Bench::with_run();
    for (error, expected) in [
        (r#"["a","b"]"#, "t failed: a,b"),
        ("5e-05", "t failed: 0.00005"),
        (r#"{"message":"m"}"#, "t failed: m"),
    ] {
        bench.emit(&["tool.failed", "-f", "tool_name=t", "-F", &format!("error={error}")]);
        assert_eq!(bench.lines().last().unwrap()["summary"], expected);
    }
}
