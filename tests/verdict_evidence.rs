//! Verdicts that must not become better than what the record shows.

use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

fn completed() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["run.completed"]);
    bench
}

fn stream(bench: &Bench, lines: &str) {
    bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes());
}

/// If this fails, a report replaces the log of a run, or is appended to it.
#[test]
fn a_report_through_a_link_to_the_log() {
    let bench = completed();
    std::os::unix::fs::symlink(bench.log_path(), bench.path("out")).unwrap();
    let before = bench.log();
    bench.fails(77, &["validate", "r", "-o", "out"]);
    bench.fails(77, &["validate", "r", "--report", "json=out"]);
    let mut command = bench.command();
    command.args(["validate", "r"]).env("GITHUB_ACTIONS", "true");
    command.env("GITHUB_STEP_SUMMARY", bench.path("out")).output().unwrap();
    assert_eq!(bench.log(), before);
}

/// If this fails, a recorded verdict becomes good because nobody names the deliverable again.
#[test]
fn a_recorded_failure_is_not_forgotten() {
    let bench = completed();
    bench.fails(3, &["validate", "r", "--record", "--require", "r.md"]);
    assert_eq!(bench.call(&["validate", "r", "--record"]).status, 3);
    assert_eq!(bench.call(&["validate", "r"]).status, 3);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/r.md"), "done\n").unwrap();
    bench.ok(&["validate", "r", "--record"]);
    bench.ok(&["validate", "r"]);
    // Who says what is required can correct it.
    bench.fails(3, &["validate", "r", "--record", "--require", "typo.md"]);
    bench.ok(&["validate", "r", "--record", "--require", "r.md"]);
    bench.ok(&["validate", "r"]);
}

/// If this fails, a check that says "passed" and names a missing file passes.
#[test]
fn a_verdict_that_contradicts_itself() {
    for told in [
        json!({"status": "passed", "missing": ["x.md"]}),
        json!({"status": "passed", "files": [{"path": "deliverables/y.md", "status": "failed"}]}),
    ] {
        let bench = completed();
        bench.emit(&["deliverable.check.completed", "--data", &told.to_string()]);
        assert_eq!(bench.call(&["validate", "r"]).status, 3, "{told}");
        bench.emit(&["deliverable.check.completed", "-f", "status=passed"]);
        bench.ok(&["validate", "r"]);
    }
}

/// If this fails, the end that a stream tells is lost among rejected lines: after many others, in an
/// agent's own format, in a stream that was killed, or as a verdict on deliverables.
#[test]
fn a_rejected_end_is_told() {
    let end = "{\"type\":\"run.failed\",\"data\":{\"error\":\n";
    let notes = "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n".repeat(1300);
    let bench = completed();
    stream(&bench, &format!("{notes}{}{end}", "junk\n".repeat(1100)));
    let torn = "{\"type\":\"deliverable.check.completed\",\"data\":{\"status\":\"failed\"\n";
    let verdict = completed();
    stream(&verdict, &format!("{}{torn}", &notes[..400]));
    let agent = Bench::new();
    fs::write(
        agent.path("lines"),
        "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n{\"type\":\"result\",\"is_error\":true,\"res",
    )
    .unwrap();
    agent.ok(&["exec", "--run-new", "--run", "r", "--from", "claude-code", "--", "cat", "lines"]);
    for bench in [bench, verdict, agent] {
        let said = bench.call(&["validate", "r"]);
        assert_eq!(said.status, 1, "{}", said.out);
        assert!(said.out.contains("RL016"), "{}", said.out);
    }
}

/// If this fails, what a killed stream rejected is told nowhere.
#[test]
fn rejected_lines_that_no_event_tells_of() {
    let bench = completed();
    stream(&bench, "junk\n");
    let log = bench.log();
    let kept = bench.path("runs/r/logs/rejected.jsonl");
    let record = fs::read_to_string(&kept).unwrap();
    assert!(!bench.codes().contains(&"RL017".to_owned()));
    fs::write(&kept, format!("{record}{record}")).unwrap();
    assert!(bench.codes().contains(&"RL017".to_owned()));
    assert_eq!(bench.log(), log);
    assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 1);
}

/// If this fails, a program whose output was rejected altogether passes without a word.
#[test]
fn the_call_around_a_stream_is_no_input() {
    let bench = Bench::new();
    let echo = [
        "exec",
        "--run-new",
        "--run",
        "r",
        "--from",
        "claude-code",
        "--",
        "echo",
        "Invalid API key",
    ];
    bench.ok(&echo);
    let said = bench.ok(&["validate", "r"]);
    assert!(said.contains("1 line rejected, 0 events recorded"), "{said}");
}

/// If this fails, what `run.json` said of the end of a log is lost with it.
#[test]
fn an_unreadable_state_is_kept() {
    let bench = completed();
    let state = bench.path("runs/r/run.json");
    let text = fs::read_to_string(&state).unwrap();
    fs::write(&state, text.replace("\"head\"", "\"haed\"")).unwrap();
    bench.ok(&["validate", "r", "--fix"]);
    let names = fs::read_dir(bench.path("runs/r")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().any(|name| name.starts_with("run.kept-")));
}

/// If this fails, a reader of the JUnit report sees nothing of warnings and notes.
#[test]
fn junit_has_the_lesser_findings() {
    let bench = Bench::with_run();
    bench.emit(&["tool.started", "-f", "tool_name=x"]);
    bench.emit(&["run.completed"]);
    let report = bench.ok(&["validate", "r", "--format", "junit"]);
    assert!(
        report.contains("<system-out>warning ") && report.contains("failures=\"0\""),
        "{report}"
    );
}

/// If this fails, a folder that cannot be read has all files that a pattern wants.
#[test]
fn a_folder_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let bench = Bench::new();
    let required: Value = json!({"deliverables": {"required": ["**/*.md"]}});
    bench.emit(&["run.created", "--data", &required.to_string()]);
    let folder = bench.path("runs/r/deliverables/closed");
    fs::create_dir_all(&folder).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.md"), "a\n").unwrap();
    bench.emit(&["run.completed"]);
    bench.ok(&["validate", "r"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o000)).unwrap();
    let is_closed = fs::read_dir(&folder).is_err();
    let said = bench.call(&["validate", "r"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    // The superuser reads everything.
    assert_eq!(said.status, i32::from(is_closed), "{}", said.out);
    assert_eq!(said.out.contains("RL802"), is_closed, "{}", said.out);
}

/// If this fails, a changed deliverable passes as soon as another program records a verdict of its own.
#[test]
fn a_verdict_without_files_forgets_no_file() {
    for told in
        [json!({"status": "passed"}), json!({"status": "passed", "files": ["a.md"], "missing": []})]
    {
        let bench = completed();
        fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
        fs::write(bench.path("runs/r/deliverables/a.md"), "good\n").unwrap();
        bench.ok(&["validate", "r", "--record", "--require", "a.md"]);
        fs::write(bench.path("runs/r/deliverables/a.md"), "changed\n").unwrap();
        bench.emit(&["deliverable.check.completed", "--data", &told.to_string()]);
        let said = bench.call(&["validate", "r"]);
        assert!(said.status == 1 && said.out.contains("RL806"), "{told}: {}", said.out);
    }
}
