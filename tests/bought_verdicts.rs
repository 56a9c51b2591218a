//! Ways to a green verdict that is not deserved: each is red, or says what is wrong.

use std::fs;
use std::io::Write as _;

use crate::support::Bench;

/// A way to a verdict: what it is, what is done in a run that was created, the arguments of `validate`, and
/// its exit status.
type Way = (&'static str, fn(&Bench), &'static [&'static str], i32);

fn emit(bench: &Bench, args: &[&str]) {
    let said = bench.call(&[&["emit", "--run", "r", "-q"], args].concat());
    assert_eq!(said.status, 0, "{args:?}: {}", said.err);
}

fn refused(bench: &Bench, args: &[&str]) {
    bench.fails(65, &[&["emit", "--run", "r"], args].concat());
}

fn stream(bench: &Bench, more: &[&str], lines: &str) {
    bench.feed(&[&["emit", "--run", "r", "--stdin", "-q"], more].concat(), lines.as_bytes());
}

fn settings(bench: &Bench, text: &str) {
    fs::write(bench.path("runlog.toml"), text).unwrap();
}

fn failed(bench: &Bench) {
    emit(bench, &["tool.started", "-f", "tool_name=make", "--correlation-id", "c"]);
    emit(bench, &["tool.failed", "-f", "tool_name=make", "--correlation-id", "c"]);
    emit(bench, &["run.failed", "-f", "error.message=broken"]);
}

fn done(bench: &Bench) {
    emit(bench, &["note", "-f", "text=worked"]);
    emit(bench, &["run.completed"]);
}

fn deliver(bench: &Bench, name: &str, text: &str) {
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path(&format!("runs/r/deliverables/{name}")), text).unwrap();
}

/// What Claude Code prints for a short session, which ends well or at the limit of its turns.
fn printed(session: &str, is_bad: bool) -> String {
    let (subtype, is_error) =
        if is_bad { ("error_max_turns", "true") } else { ("success", "false") };
    format!(
        "{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"{session}\",\"model\":\"m\",\"tools\":[]}}\n{{\"type\":\"assistant\",\"session_id\":\"{session}\",\"message\":{{\"id\":\"m-{session}\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{{\"type\":\"text\",\"text\":\"hello\"}}],\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}}}\n{{\"type\":\"result\",\"subtype\":\"{subtype}\",\"is_error\":{is_error},\"session_id\":\"{session}\",\"num_turns\":1,\"result\":\"hello\"}}\n"
    )
}

fn edit(bench: &Bench, name: &str, from: &str, to: &str) {
    let path = bench.path(&format!("runs/r/{name}"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{name} lacks {from}: {text}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

/// Makes `runs/r` require a file, record it with a verdict, and change it.
fn recorded(bench: &Bench) {
    fs::remove_dir_all(bench.path("runs")).unwrap();
    bench.ok(&["emit", "run.created", "--run", "r", "-F", r#"deliverables.required=["a.md"]"#]);
    deliver(bench, "a.md", "good");
    done(bench);
    bench.ok(&["validate", "r", "--record"]);
    deliver(bench, "a.md", "evil");
}

const PLAIN: &[&str] = &["r"];

#[rustfmt::skip]
const WAYS: &[Way] = &[
    // Ends.
    ("a failed run", failed, PLAIN, 5),
    ("never ended", |b| emit(b, &["note"]), PLAIN, 5),
    ("created only", |_| {}, PLAIN, 5),
    ("completed after failed", |b| { failed(b); emit(b, &["run.completed"]) }, PLAIN, 5),
    ("completed after cancelled", |b| { emit(b, &["run.cancelled"]); emit(b, &["run.completed"]) }, PLAIN, 5),
    ("failed after completed", |b| { done(b); emit(b, &["run.failed"]) }, PLAIN, 5),
    ("incomplete after completed", |b| { done(b); emit(b, &["run.incomplete"]) }, PLAIN, 5),
    ("cancelled after completed", |b| { done(b); emit(b, &["run.cancelled"]) }, PLAIN, 5),
    ("both in one stream", |b| stream(b, &[], "{\"type\":\"run.completed\"}\n{\"type\":\"run.failed\"}\n"), PLAIN, 5),
    ("failed, session_end of another family", |b| { failed(b); emit(b, &["session_end", "-F", "roundsCompleted=1"]) }, PLAIN, 5),
    ("failed, then started and completed", |b| { failed(b); emit(b, &["run.started"]); emit(b, &["run.completed"]) }, PLAIN, 5),
    ("a call fails after the end", |b| {
        emit(b, &["tool.started", "-f", "tool_name=make", "--correlation-id", "c"]);
        emit(b, &["run.completed"]);
        emit(b, &["tool.failed", "-f", "tool_name=make", "--correlation-id", "c"]);
    }, PLAIN, 5),
    ("run.imported after a failure", |b| { failed(b); emit(b, &["run.imported"]) }, PLAIN, 5),
    ("source_end: true of a caller", |b| { failed(b); emit(b, &["run.completed", "-F", "source_end=true"]) }, PLAIN, 5),
    ("source_end twice", |b| {
        emit(b, &["run.failed", "-F", "source_end=true"]);
        emit(b, &["run.completed", "-F", "source_end=true", "-f", "dialect=codex"]);
    }, PLAIN, 5),
    ("_runlog of a caller", |b| { failed(b); refused(b, &["run.completed", "-F", "_runlog.source_end=true"]) }, PLAIN, 5),
    ("_runlog in a stream", |b| {
        failed(b);
        stream(b, &[], "{\"type\":\"run.completed\",\"data\":{\"_runlog\":{\"source_end\":true}}}\n");
    }, PLAIN, 1),
    ("_runlog in a flat line", |b| {
        failed(b);
        stream(b, &[], "{\"type\":\"session_end\",\"roundsCompleted\":1,\"_runlog\":{\"source_end\":true}}\n");
    }, PLAIN, 1),
    ("copied ends of a source", |b| {
        failed(b);
        let end = |n: u32, kind: &str| format!(
            "{{\"schema_version\":1,\"event_id\":\"e{n}\",\"run_id\":\"r\",\"session_id\":\"s\",\"sequence\":{n},\"timestamp\":\"2026-01-01T00:00:0{n}Z\",\"type\":\"{kind}\",\"data\":{{\"_runlog\":{{\"source_end\":true}}}}}}\n"
        );
        stream(b, &["--from", "runlog"], &(end(1, "run.failed") + &end(2, "run.completed")));
    }, PLAIN, 5),
    ("the output of another session", |b| {
        stream(b, &["--from", "claude-code", "--end-run"], &printed("one", true));
        stream(b, &["--from", "claude-code", "--end-run"], &printed("other", false));
    }, PLAIN, 5),
    ("a paused run", |b| emit(b, &["session_paused"]), PLAIN, 5),
    // Settings beside the data.
    ("expected_status = any", |b| { failed(b); settings(b, "expected_status = \"any\"\n") }, PLAIN, 5),
    ("expected_status = failed", |b| { failed(b); settings(b, "expected_status = \"failed\"\n") }, PLAIN, 5),
    ("expected_status = completed,failed", |b| { failed(b); settings(b, "expected_status = \"completed,failed\"\n") }, PLAIN, 5),
    ("expected_status = running", |b| { emit(b, &["run.started"]); settings(b, "expected_status = \"running,completed\"\n") }, PLAIN, 5),
    ("expected_status = imported narrows", |b| { done(b); settings(b, "expected_status = \"imported\"\n") }, PLAIN, 5),
    ("runs_dir outside", |b| { failed(b); settings(b, "runs_dir = \"../other\"\n") }, PLAIN, 77),
    ("runs_dir absolute", |b| { failed(b); settings(b, "runs_dir = \"/tmp\"\n") }, PLAIN, 77),
    ("runs_dir hides ./runs", |b| {
        failed(b);
        bench_with_good_runs(b);
        settings(b, "runs_dir = \"good\"\n");
    }, PLAIN, 5),
    ("a link as runs_dir", |b| {
        failed(b);
        std::os::unix::fs::symlink("/", b.path("link")).unwrap();
        settings(b, "runs_dir = \"link\"\n");
    }, PLAIN, 77),
    ("a rule that matches run.failed", |b| {
        settings(b, "[secret_rules.x]\nprefix = \"run.failed\"\npattern = \"run\\\\.failed\"\n");
        failed(b);
    }, PLAIN, 5),
    ("a rule that matches tool.failed", |b| {
        settings(b, "[secret_rules.x]\nprefix = \"tool.\"\npattern = \"tool\\\\.[a-z]+\"\n");
        emit(b, &["tool.started", "-f", "tool_name=make", "--correlation-id", "c"]);
        emit(b, &["run.completed"]);
        emit(b, &["tool.failed", "-f", "tool_name=make", "--correlation-id", "c"]);
    }, PLAIN, 5),
    ("a rule that matches known members", |b| {
        settings(b, "[secret_rules.x]\nprefix = [\"required\", \"deliverables\"]\npattern = \"required|deliverables\"\n");
        fs::remove_dir_all(b.path("runs")).unwrap();
        b.ok(&["emit", "run.created", "--run", "r", "-F", r#"deliverables.required=["a.md"]"#]);
        done(b);
    }, PLAIN, 3),
    ("101 rules", |b| {
        failed(b);
        let rule = |n: u32| format!("[secret_rules.x{n}]\nprefix = \"abc{n}\"\npattern = \"abc{n}\"\n");
        settings(b, &(0..101).map(rule).collect::<String>());
    }, PLAIN, 65),
    ("heavy patterns", |b| {
        failed(b);
        let rule = |n: u32| format!("[secret_rules.x{n}]\nprefix = \"abc\"\npattern = \"abc(a{{1,50}}b{{1,50}}){{1,200}}\"\n");
        settings(b, &(0..100).map(rule).collect::<String>());
    }, PLAIN, 65),
    ("a FIFO as settings", |b| {
        failed(b);
        let made = std::process::Command::new("mkfifo").arg(b.path("runlog.toml")).status().unwrap();
        assert!(made.success());
    }, PLAIN, 77),
    // Which run is judged.
    ("the beginning of an id", |b| { done(b); b.ok(&["emit", "run.created", "--run", "right"]); }, &["rig"], 66),
    ("another run's log", |b| {
        done(b);
        b.ok(&["emit", "run.created", "--run", "failing"]);
        b.ok(&["emit", "run.failed", "--run", "failing"]);
        fs::copy(b.log_path(), b.path("runs/failing/events.jsonl")).unwrap();
        fs::copy(b.path("runs/r/run.json"), b.path("runs/failing/run.json")).unwrap();
    }, &["failing"], 1),
    ("no such run", |b| done(b), &["nobody"], 66),
    ("an empty log", |b| fs::write(b.log_path(), "").unwrap(), PLAIN, 1),
    ("a log without its beginning", |b| {
        done(b);
        let log = b.log();
        fs::write(b.log_path(), log.split_once('\n').unwrap().1).unwrap();
    }, PLAIN, 1),
    ("a log that was removed", |b| { done(b); fs::remove_file(b.log_path()).unwrap() }, PLAIN, 66),
    // Evidence.
    ("a word of the same length", |b| { failed(b); edit(b, "events.jsonl", "tool.failed", "tool.ended!") }, PLAIN, 1),
    ("the end cut off", |b| {
        done(b);
        emit(b, &["run.failed"]);
        let log = b.log();
        let end = log[..log.len() - 1].rfind('\n').unwrap();
        fs::write(b.log_path(), &log[..=end]).unwrap();
    }, PLAIN, 1),
    ("run.json says completed", |b| { failed(b); edit(b, "run.json", "\"failed\"", "\"completed\"") }, PLAIN, 1),
    ("a changed record", |b| { done(b); emit(b, &["error", "-f", "message=x"]); edit(b, "logs/errors.jsonl", "\"x\"", "\"y\"") }, PLAIN, 1),
    ("a transcript of another version", |b| {
        done(b);
        let version = concat!("Made by runlog ", env!("CARGO_PKG_VERSION"));
        edit(b, "transcript.md", version, "Made by runlog 9.9.9");
    }, &["r", "--strict"], 1),
    ("a transcript that says something else", |b| { done(b); edit(b, "transcript.md", "worked", "rested") }, PLAIN, 1),
    ("costs of other prices", |b| {
        emit(b, &["llm.usage", "-f", "model=claude-sonnet-4-5", "-F", "input_tokens=1000", "-F", "output_tokens=10"]);
        done(b);
        let run = fs::read_to_string(b.path("runs/r/run.json")).unwrap();
        let (_, rest) = run.split_once("\"prices_as_of\": \"").unwrap();
        let date = rest.split('"').next().unwrap().to_owned();
        edit(b, "run.json", &date, "2001-01");
    }, &["r", "--strict"], 1),
    ("an expected head that is gone", |b| done(b), &["r", "--expect-head", "9:0000000000000000000000000000000000000000000000000000000000000000"], 1),
    // Deliverables.
    ("a recorded file that changed", recorded, PLAIN, 1),
    ("recorded again", |b| { recorded(b); b.call(&["validate", "r", "--record"]); }, PLAIN, 1),
    ("recorded again by name", |b| { recorded(b); b.call(&["validate", "r", "--record", "--require", "a.md"]); }, PLAIN, 1),
    ("recorded again as another program", |b| {
        recorded(b);
        let verdict = r#"{"status":"passed","files":[{"path":"deliverables/a.md","bytes":4,"sha256":"4e1a5ee3a2ae5c7f3a3d3d6d9b3d0d6b1a5d8a0e7d4d4f6c3b2a19080706f5e4","status":"passed"}]}"#;
        emit(b, &["deliverable.check.completed", "--data", verdict]);
    }, PLAIN, 1),
    ("a verdict that forgets the file", |b| {
        recorded(b);
        emit(b, &["deliverable.check.completed", "-f", "status=passed", "-F", "files=[]"]);
    }, PLAIN, 1),
    ("a second run.created requires less", |b| {
        fs::remove_dir_all(b.path("runs")).unwrap();
        b.ok(&["emit", "run.created", "--run", "r", "-F", r#"deliverables.required=["a.md"]"#]);
        done(b);
        stream(b, &[], "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n{\"type\":\"run.created\",\"data\":{\"deliverables\":{\"required\":[]}}}\n{\"type\":\"run.created\",\"data\":{\"deliverables\":{\"required\":[\"b.md\"]}}}\n");
        deliver(b, "b.md", "b");
    }, PLAIN, 1),
    ("a missing file is forgotten", |b| {
        done(b);
        b.call(&["validate", "r", "--record", "--require", "a.md"]);
        emit(b, &["deliverable.check.started"]);
        emit(b, &["deliverable.check.completed", "-f", "status=passed"]);
    }, &["r", "--require", "a.md"], 3),
    ("a start that claims to be early", |b| {
        deliver(b, "a.md", "old");
        let old = fs::File::options().write(true).open(b.path("runs/r/deliverables/a.md")).unwrap();
        let year = std::time::Duration::from_secs(365 * 86_400);
        old.set_modified(std::time::SystemTime::now() - year).unwrap();
        emit(b, &["run.started", "--timestamp", "2019-01-01T00:00:00Z"]);
        done(b);
    }, &["r", "--require", "a.md:fresh"], 3),
    ("a killed exec", |b| {
        let script = "\"$0\" emit -q note -f text=x; \"$0\" emit -q run.completed; kill -9 $PPID";
        let runlog = env!("CARGO_BIN_EXE_runlog");
        let killed = b.call(&["exec", "--run", "r", "--", "sh", "-c", script, runlog]);
        assert_ne!(killed.status, 0);
    }, &["r", "--strict"], 1),
    ("required and missing", |b| done(b), &["r", "--require", "a.md"], 3),
    ("failed and missing", failed, &["r", "--require", "a.md"], 5),
    ("required outside", |b| done(b), &["r", "--require", "../r/run.json"], 4),
    ("a link out of the run", |b| {
        done(b);
        fs::create_dir_all(b.path("runs/r/deliverables")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", b.path("runs/r/deliverables/a.md")).unwrap();
    }, &["r", "--require", "a.md"], 4),
    ("an empty file", |b| { done(b); deliver(b, "a.md", "") }, &["r", "--require", "a.md"], 3),
];

fn bench_with_good_runs(bench: &Bench) {
    for kind in ["run.created", "note", "run.completed"] {
        bench.ok(&["emit", kind, "--run", "r", "--runs-dir", "good"]);
    }
}

/// If this fails, a verdict is green that the run does not deserve. With `RUNLOG_TEST_TABLE=1`, prints each
/// way with its status and first line.
#[test]
fn no_verdict_can_be_bought() {
    let prints = std::env::var_os("RUNLOG_TEST_TABLE").is_some();
    let mut wrong = Vec::new();
    for (name, way, args, status) in WAYS {
        let bench = Bench::with_run();
        way(&bench);
        let output = bench.command().arg("validate").args(*args).output().unwrap();
        let said = crate::support::said(&output);
        let text = format!("{}{}", said.out, said.err);
        let first = text.lines().find(|line| !line.is_empty()).unwrap_or_default();
        if prints {
            let row = format!("{name} | {} | {first}\n", said.status);
            let _ = std::io::stderr().write_all(row.as_bytes());
        }
        if said.status != *status {
            wrong.push(format!("{name}: {} in place of {status}: {text}", said.status));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If this fails, settings beside the data make a run fail that deserves a good verdict.
#[test]
fn what_deserves_a_good_verdict_gets_it() {
    let good: &[fn(&Bench)] = &[
        done,
        |bench| settings(bench, "expected_status = \"completed\"\n"),
        |bench| settings(bench, "expected_status = \"any\"\nruns_dir = \"runs\"\n"),
    ];
    for way in good {
        let bench = Bench::with_run();
        done(&bench);
        way(&bench);
        let output = bench.command().args(["validate", "r"]).output().unwrap();
        assert_eq!(crate::support::said(&output).status, 0);
    }
}
