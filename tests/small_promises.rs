//! Promises of the commands that are easily broken in passing.

use std::fs;
use std::process::Stdio;

use crate::support::{Bench, json_lines};

/// If this fails, a hook's payload vanishes because of a mistake in the settings, or is kept without
/// the user's rules for secrets.
#[test]
fn a_mistake_in_the_settings_leaves_a_trace_of_a_hook() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let begin = r#"{"session_id":"s1","hook_event_name":"SessionStart","source":"startup"}"#;
    assert_eq!(bench.feed(&["hook"], begin.as_bytes()).err, "");
    fs::write(bench.path("runlog.toml"), "[secret_rules.x]\npattern = \"(\"\n").unwrap();
    let payload = r#"{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"my-own-secret"}}"#;
    let said = bench.feed(&["hook"], payload.as_bytes());
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{}", said.err);
    assert_eq!(said.err.lines().count(), 1, "{}", said.err);
    let run = bench.path("runs/claude-code-s1/logs/rejected.jsonl");
    let kept = fs::read_to_string(&run).unwrap();
    assert!(kept.contains("PreToolUse") && !kept.contains("my-own-secret"), "{kept}");
    // A reason is told once.
    let reason = json_lines(&run)[0]["reason"].as_str().unwrap().to_owned();
    let (first, rest) = reason.split_once(": ").unwrap();
    assert!(!rest.contains(first), "{reason}");
}

/// If this fails, `-v` is refused somewhere, or says nothing.
#[test]
fn every_command_can_say_more() {
    let bench = Bench::with_run();
    fs::write(bench.path("runlog.toml"), "expected_status = \"any\"\n").unwrap();
    for words in [&["list"][..], &["show", "r"], &["stats"], &["summarize", "r"], &["graph", "r"]] {
        let said = bench.call(&[words, &["-v"]].concat());
        assert_eq!(said.status, 0, "{words:?}: {}", said.err);
        assert!(said.err.contains("the runs directory is"), "{words:?}: {}", said.err);
        assert!(said.err.contains("settings are read from"), "{words:?}: {}", said.err);
    }
    assert_eq!(bench.call(&["list", "-v", "-q"]).status, 2);
}

/// If this fails, somebody who names a run as the runs directory is told to import a session.
#[test]
fn a_run_is_no_runs_directory() {
    let bench = Bench::with_run();
    for words in [&["list"][..], &["show"], &["stats"], &["validate", "--all"]] {
        let said = bench.call(&[words, &["--runs-dir", "runs/r"]].concat());
        assert!(said.err.contains("write --runs-dir runs\n"), "{words:?}: {}", said.err);
    }
    for (place, named, above) in [("runs/r", ".", "./.."), ("runs", "r", ".")] {
        let mut command = bench.command();
        command.current_dir(bench.path(place)).args(["list", "--runs-dir", named]);
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert!(said.contains(&format!("write --runs-dir {above}\n")), "{said}");
    }
}

/// If this fails, a transcript without tokens looks as if the work cost nothing, or the list of errors
/// names numbers that the story does not have.
#[test]
fn what_a_transcript_does_not_know() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=Count"]);
    bench.emit(&[
        "tool.started",
        "-f",
        "tool_name=grep",
        "-f",
        "command=grep -c x log",
        "--correlation-id",
        "c",
    ]);
    bench.emit(&[
        "tool.failed",
        "-f",
        "tool_name=grep",
        "-f",
        "error=no such file",
        "--correlation-id",
        "c",
    ]);
    bench.emit(&["message.assistant", "-f", "text=There is none."]);
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("tokens and cost\n  unknown"), "{text}");
    assert!(text.contains("#3  grep: grep -c x log (failed)"), "{text}");
    assert!(text.contains("#3  error, harmless: grep"), "{text}");
    bench.emit(&["llm.usage", "-f", "model=m", "-F", "input_tokens=7", "-F", "output_tokens=7"]);
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(!text.contains("tokens and cost\n"), "{text}");
}

/// If this fails, a column of statistics is there twice.
#[test]
fn groups_are_named_once() {
    let bench = Bench::with_run();
    assert_eq!(bench.call(&["stats", "--by", "model,model"]).status, 2);
}

/// If this fails, a job in GitHub Actions that keeps its report has no annotations.
#[test]
fn annotations_are_printed_beside_a_report() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    bench.ok(&["emit", "run.failed", "--run", "r"]);
    let mut command = bench.command();
    command.args(["validate", "r", "--output", "report.txt"]);
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", bench.path("summary"));
    let output = command.stdout(Stdio::piped()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("::error"), "{printed}");
    let report = fs::read_to_string(bench.path("report.txt")).unwrap();
    assert!(report.contains("r: ") && !report.contains("::error"), "{report}");
    assert!(bench.path("summary").exists());
}

/// If this fails, facts of a run are left out without a word.
#[test]
fn facts_of_another_form_are_refused() {
    let bench = Bench::new();
    for field in ["session_id=42", "task_id=7", "metadata=\"agent=x\""] {
        let said = bench.call(&["emit", "run.created", "--run", "r", "-F", field]);
        assert_eq!(said.status, 65, "{field}: {}", said.err);
        assert!(!bench.path("runs/r").exists());
    }
}

/// If this fails, deliverables that only a check names are in no view.
#[test]
fn deliverables_of_a_check_are_shown() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/r.md"), "hi\n").unwrap();
    bench.ok(&["validate", "r", "--record", "--require", "r.md"]);
    let transcript = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(transcript.contains("(deliverables/r.md): present"), "{transcript}");
    let json = bench.json(&["transcript", "r", "-o", "-"]);
    assert_eq!(json["deliverables"].as_array().unwrap().len(), 1, "{json}");
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    bench.ok(&["emit", "deliverable.missing", "--run", "r", "-f", "path=x.md"]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    assert!(bench.ok(&["list"]).contains("missing"));
    let transcript = bench.ok(&["transcript", "r", "-o", "-"]);
    assert!(transcript.contains("x.md") && transcript.contains("**missing**"), "{transcript}");
}
